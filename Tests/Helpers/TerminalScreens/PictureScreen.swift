import CDeflate
import FoundationEssentials

/// A terminal that draws: cells with colours, pictures of kitty, sixels and inline images. As much of one as pictures need.
package struct PictureScreen {
  package struct Cell: Equatable {
    package var scalar: Unicode.Scalar = " "
    /// 0xFF000000 and the colour, or 0x01000000 and one of 256; `nil` for the terminal's own.
    package var foreground: UInt32?
    package var background: UInt32?
    package var marks: [Unicode.Scalar] = []
    package var isReversed = false

    package init(
      scalar: Unicode.Scalar = " ", foreground: UInt32? = nil, background: UInt32? = nil,
      marks: [Unicode.Scalar] = [], isReversed: Bool = false
    ) {
      (self.scalar, self.foreground, self.background) = (scalar, foreground, background)
      (self.marks, self.isReversed) = (marks, isReversed)
    }
  }

  /// A picture in the memory of the terminal.
  package struct Picture {
    package let width: Int
    package let height: Int
    /// Straight RGBA.
    package let pixels: [UInt32]
  }

  package struct Placement: Equatable {
    package let column: Int
    package let row: Int
    package let columns: Int
    package let rows: Int
    package let isVirtual: Bool

    package init(column: Int, row: Int, columns: Int, rows: Int, isVirtual: Bool) {
      self.column = column
      self.row = row
      self.columns = columns
      self.rows = rows
      self.isVirtual = isVirtual
    }
  }

  package let columns: Int
  package let rows: Int
  package private(set) var cells: [[Cell]]
  package private(set) var cursor = (column: 0, row: 0)
  package private(set) var isCursorVisible = true
  /// Times the cursor was shown.
  package private(set) var cursorShows = 0
  package private(set) var isUpdating = false
  /// What stood there before the alternate screen, while that is shown.
  package private(set) var stashed: [[Cell]]?
  /// Lines that went out of the window.
  package private(set) var scrolled = 0
  package private(set) var pictures: [UInt32: Picture] = [:]
  package private(set) var placements: [UInt32: Placement] = [:]
  /// Every picture that was sent, in order.
  package private(set) var transmitted: [UInt32] = []
  /// Sixels and inline images: where, and the control string.
  package private(set) var strings: [(column: Int, row: Int, text: [UInt8])] = []
  /// What was not understood.
  package private(set) var faults: [String] = []
  private var saved = (column: 0, row: 0)
  private var pen = Cell()
  private var pending: [UInt8] = []
  private var transfer: (control: [String: String], base64: [UInt8])?

  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// Whether text that comes next has the colours of the terminal.
  package var hasPlainPen: Bool { pen == Cell() }

  /// The text of a line.
  package func text(_ row: Int) -> String {
    var text = String(String.UnicodeScalarView(cells[row].map(\.scalar)))
    while text.last == " " { text.removeLast() }
    return text
  }

  package var lines: [String] { (0..<rows).map(text) }

  /// The two pixels that each cell of a rectangle shows, row by row; clear is 0.
  package func blocks(column: Int = 0, row: Int = 0, columns: Int, rows: Int) -> [UInt32] {
    (0..<rows * 2).flatMap { y in
      (0..<columns).map { x in
        let cell = cells[row + y / 2][column + x]
        let isUpper = y.isMultiple(of: 2)
        switch cell.scalar {
        case "▀": return (isUpper ? cell.foreground : cell.background) ?? 0
        case "▄": return (isUpper ? cell.background : cell.foreground) ?? 0
        default: return cell.background ?? 0
        }
      }
    }
  }

  package mutating func write(_ bytes: [UInt8]) {
    pending += bytes
    var rest = pending[...]
    while let length = take(rest) { rest = rest.dropFirst(length) }
    pending = Array(rest)
  }

  /// Handles what is at the beginning; `nil` if that is not complete.
  private mutating func take(_ rest: ArraySlice<UInt8>) -> Int? {
    guard let first = rest.first else { return nil }
    let start = rest.startIndex
    guard first == 0x1B else { return takeText(rest) }
    guard rest.count > 1 else { return nil }
    switch rest[start + 1] {
    case UInt8(ascii: "["):
      guard let last = rest.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
      control(String(decoding: rest[(start + 2)..<last], as: UTF8.self), rest[last])
      return last - start + 1
    case UInt8(ascii: "7"): saved = cursor
    case UInt8(ascii: "8"): cursor = saved
    case UInt8(ascii: "\\"): break
    case let kind where [UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]")].contains(kind):
      var end = start + 2
      while end < rest.endIndex, rest[end] != 0x1B, rest[end] != 0x07 { end += 1 }
      guard end < rest.endIndex, rest[end] == 0x07 || end + 1 < rest.endIndex else { return nil }
      string(kind, Array(rest[(start + 2)..<end]))
      return end - start + (rest[end] == 0x07 ? 1 : 2)
    default: faults.append("ESC \(rest[start + 1])")
    }
    return 2
  }

  private mutating func takeText(_ rest: ArraySlice<UInt8>) -> Int? {
    let first = rest[rest.startIndex]
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard rest.count >= length else { return nil }
    for scalar in String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars { put(scalar) }
    return length
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r": cursor.column = 0
    case "\n":
      cursor.row += 1
      if cursor.row == rows {
        cells.removeFirst()
        cells.append(Array(repeating: Cell(), count: columns))
        cursor.row -= 1
        scrolled += 1
        placements = placements.mapValues {
          Placement(
            column: $0.column, row: $0.row - 1, columns: $0.columns, rows: $0.rows, isVirtual: $0.isVirtual)
        }
      }
    case let mark where mark.properties.canonicalCombiningClass.rawValue == 230:
      if cursor.column > 0 { cells[cursor.row][cursor.column - 1].marks.append(mark) }
    default:
      guard cursor.column < columns else { return faults.append("beyond the last column") }
      cells[cursor.row][cursor.column] = Cell(
        scalar: scalar, foreground: pen.foreground, background: pen.background, isReversed: pen.isReversed)
      cursor.column += 1
    }
  }

  private mutating func control(_ text: String, _ final: UInt8) {
    let numbers = text.split(separator: ";").compactMap { Int($0) }
    let count = max(1, numbers.first ?? 1)
    switch (final, text) {
    case (UInt8(ascii: "A"), _): cursor.row = max(0, cursor.row - count)
    case (UInt8(ascii: "C"), _): cursor.column = min(columns - 1, cursor.column + count)
    case (UInt8(ascii: "H"), ""): cursor = (0, 0)
    case (UInt8(ascii: "H"), _):
      cursor = (min(columns, numbers[1]) - 1, min(rows, numbers[0]) - 1)
    case (UInt8(ascii: "K"), _): erase(cursor.row, from: cursor.column)
    case (UInt8(ascii: "J"), _):
      erase(cursor.row, from: cursor.column)
      for row in (cursor.row + 1)..<max(rows, cursor.row + 1) { erase(row, from: 0) }
    case (UInt8(ascii: "m"), _): attributes(text.isEmpty ? [0] : numbers)
    case (UInt8(ascii: "h"), "?1049") where stashed == nil:
      stashed = cells
      cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    case (UInt8(ascii: "l"), "?1049"):
      cells = stashed ?? cells
      stashed = nil
    case (UInt8(ascii: "h"), "?25"):
      isCursorVisible = true
      cursorShows += 1
    case (UInt8(ascii: "l"), "?25"): isCursorVisible = false
    case (UInt8(ascii: "h"), "?2026"): isUpdating = true
    case (UInt8(ascii: "l"), "?2026"): isUpdating = false
    case (UInt8(ascii: "q"), ">0"), (UInt8(ascii: "t"), "14"), (UInt8(ascii: "t"), "16"),
      (UInt8(ascii: "c"), ""):
      break
    default: faults.append("CSI \(text) \(final)")
    }
  }

  private mutating func erase(_ row: Int, from column: Int) {
    for place in min(column, columns)..<columns { cells[row][place] = Cell() }
  }

  private mutating func attributes(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: pen = Cell()
      case 7: pen.isReversed = true
      case 30...37: pen.foreground = UInt32(number - 30) | 0x0100_0000
      case 39: pen.foreground = nil
      case 49: pen.background = nil
      case 38, 48:
        var color: UInt32?
        if rest.first == 2, rest.count >= 4 {
          let samples = rest.dropFirst().prefix(3).map { UInt32($0) }
          color = samples[0] | samples[1] << 8 | samples[2] << 16 | 0xFF00_0000
          rest = rest.dropFirst(4)
        } else if rest.first == 5, rest.count >= 2 {
          color = UInt32(rest[rest.startIndex + 1]) | 0x0100_0000
          rest = rest.dropFirst(2)
        }
        if number == 38 { pen.foreground = color } else { pen.background = color }
      default: faults.append("attribute \(number)")
      }
    }
  }

  // MARK: Control strings

  private mutating func string(_ kind: UInt8, _ text: [UInt8]) {
    switch kind {
    case UInt8(ascii: "_"): graphics(text)
    case UInt8(ascii: "P") where text.starts(with: Array("tmux;".utf8)): faults.append("tmux is not here")
    case UInt8(ascii: "P"): strings.append((cursor.column, cursor.row, text))
    case UInt8(ascii: "]") where text.starts(with: Array("1337;".utf8)):
      strings.append((cursor.column, cursor.row, text))
    case UInt8(ascii: "]") where text == Array("11;?".utf8): break
    default: faults.append("string \(kind)")
    }
  }

  /// Commands of kitty: one that is complete, or a part of one.
  private mutating func graphics(_ text: [UInt8]) {
    let parts = text.dropFirst().split(separator: UInt8(ascii: ";"), maxSplits: 1)
    var control: [String: String] = [:]
    for pair in String(decoding: parts.first ?? [], as: UTF8.self).split(separator: ",") {
      let sides = pair.split(separator: "=").map(String.init)
      if sides.count == 2 { control[sides[0]] = sides[1] }
    }
    let payload = parts.count > 1 ? Array(parts[1]) : []
    if payload.count > 4096 { faults.append("a chunk of \(payload.count)") }
    if let begun = transfer {
      if Set(control.keys).subtracting(["m", "q"]) != [] { faults.append("a chunk with more than m and q") }
      transfer = (begun.control, begun.base64 + payload)
    } else {
      transfer = (control, payload)
    }
    guard control["m"] != "1", let (whole, base64) = transfer else { return }
    transfer = nil
    run(whole, base64)
  }

  private mutating func run(_ control: [String: String], _ base64: [UInt8]) {
    let id = control["i"].flatMap { UInt32($0) } ?? 0
    func number(_ key: String) -> Int { control[key].flatMap { Int($0) } ?? 0 }
    let placement = Placement(
      column: cursor.column, row: cursor.row, columns: number("c"), rows: number("r"),
      isVirtual: control["U"] == "1")
    switch control["a"] {
    case "T":
      guard let picture = Self.picture(control, base64, width: number("s"), height: number("v")) else {
        return faults.append("no picture in \(control)")
      }
      pictures[id] = picture
      transmitted.append(id)
      placements[id] = placement
    case "p":
      if pictures[id] == nil { faults.append("no picture \(id)") }
      placements[id] = placement
    case "d" where control["d"] == "I":
      if pictures.removeValue(forKey: id) == nil { faults.append("no picture \(id) to delete") }
      placements[id] = nil
    case "q": break
    default: faults.append("kitty \(control)")
    }
  }

  private static func picture(
    _ control: [String: String], _ base64: [UInt8], width: Int, height: Int
  ) -> Picture? {
    guard var data = Data(base64Encoded: Data(base64)), let format = control["f"].flatMap({ Int($0) }) else {
      return nil
    }
    let length = width * height * format / 8
    if control["o"] == "z" {
      var inflated = [UInt8](repeating: 0, count: length)
      let decompressor = libdeflate_alloc_decompressor()
      defer { libdeflate_free_decompressor(decompressor) }
      let isWhole = data.withUnsafeBytes { source in
        inflated.withUnsafeMutableBytes { target in
          // Without a place for the count it has to be all of them.
          libdeflate_zlib_decompress(
            decompressor, source.baseAddress, source.count, target.baseAddress, target.count, nil)
        }
      }
      guard isWhole == LIBDEFLATE_SUCCESS else { return nil }
      data = Data(inflated)
    }
    guard data.count == length, format == 24 || format == 32 else { return nil }
    let bytes = Array(data)
    let step = format / 8
    return Picture(
      width: width, height: height,
      pixels: stride(from: 0, to: bytes.count, by: step).map { at -> UInt32 in
        let color = UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16
        return color | (step == 4 ? UInt32(bytes[at + 3]) << 24 : 0xFF00_0000)
      })
  }
}
