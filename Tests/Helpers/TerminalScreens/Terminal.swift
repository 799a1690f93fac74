/// A terminal of a size, and what stands on it: as much of one as the command makes use of.
package final class Terminal {
  private let pseudo: PseudoTerminal
  private var columns: Int
  /// Everything that was written.
  package private(set) var bytes: [UInt8] = []
  package private(set) var lines: [[Character]] = [[]]
  package private(set) var isCursorVisible = true
  /// Whether a line reached the last column, where terminals break it.
  package private(set) var hasBrokenLines = false
  private var (row, column) = (0, 0)
  private var pending: [UInt8] = []

  package init(columns: Int, rows: Int) throws {
    self.columns = columns
    pseudo = try PseudoTerminal(columns: columns, rows: rows)
  }

  /// What the command gets for a terminal.
  package var end: Int32 { pseudo.end }

  /// The command has its own now.
  package func letGo() { pseudo.letGo() }

  package func resize(columns: Int, rows: Int) {
    self.columns = columns
    pseudo.resize(columns: columns, rows: rows)
  }

  /// Lines with something on them.
  package var text: [String] {
    lines.map { String($0).trimmingEnd() }.filter { !$0.isEmpty }
  }

  /// Reads until the terminal looks as expected. `false` if that does not happen before the command ends.
  package func wait(until isReached: (Terminal) -> Bool) -> Bool {
    while !isReached(self) { if !read() { return isReached(self) } }
    return true
  }

  /// Reads until the command ends.
  package func drain() { while read() {} }

  private func read() -> Bool {
    guard let piece = pseudo.read() else { return false }
    bytes += piece
    pending += piece
    while let character = take() { put(character) }
    return true
  }

  private enum Piece {
    case character(Character)
    case control(Character, String)
  }

  private func take() -> Piece? {
    guard let first = pending.first else { return nil }
    if first == 0x1B {
      let isLast = { (byte: UInt8) in (0x40...0x7e).contains(byte) }
      guard let last = pending.dropFirst(2).firstIndex(where: isLast) else { return nil }
      let arguments = String(decoding: pending[2..<last], as: UTF8.self)
      let final = Character(Unicode.Scalar(pending[last]))
      pending.removeFirst(last + 1)
      return .control(final, arguments)
    }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard pending.count >= length else { return nil }
    let text = String(decoding: pending[..<length], as: UTF8.self)
    pending.removeFirst(length)
    return text.first.map { .character($0) }
  }

  private func put(_ piece: Piece) {
    switch piece {
    case .character("\r"): column = 0
    case .character("\n"):
      row += 1
      if row == lines.count { lines.append([]) }
    case .character(let character):
      if column >= columns - 1 { hasBrokenLines = true }
      while lines[row].count <= column { lines[row].append(" ") }
      lines[row][column] = character
      column += 1
    case .control("A", let count): row = max(0, row - (Int(count) ?? 1))
    case .control("K", _): lines[row] = Array(lines[row].prefix(column))
    case .control("J", _):
      lines[row] = Array(lines[row].prefix(column))
      lines = Array(lines[...row])
    case .control("l", "?25"): isCursorVisible = false
    case .control("h", "?25"): isCursorVisible = true
    case .control: break
    }
  }
}

extension String {
  fileprivate func trimmingEnd() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
