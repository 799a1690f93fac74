/// Parses keys in the input of a terminal: characters, and the control sequences of xterm, rxvt and the Linux console. Other
/// keys are skipped.
struct KeyReader {
  private var pending: [UInt8] = []

  /// No key sends more than this.
  private static let limit = 32
  /// Nor does any answer.
  private static let stringLimit = 4096

  /// Whether what came last may be the beginning of a key.
  var isWithin: Bool { !pending.isEmpty }

  /// Returns the keys in the next bytes, which may come in pieces of any size.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes {
      pending.append(byte)
      guard let length = take(&keys) else { continue }
      pending.removeFirst(length)
    }
    return keys
  }

  /// Drops an incomplete sequence, after a pause in the input.
  mutating func giveUp() { pending = [] }

  /// Handles what is pending; `nil` if more is needed for that.
  private func take(_ keys: inout [Key]) -> Int? {
    guard pending[0] == 0x1B else {
      if let key = Self.characters[pending[0]] { keys.append(key) }
      return 1
    }
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      guard pending.count > 2, let last = pending.last else { return nil }
      // The console's own function keys: ESC [ [ A.
      let isOpen = (0x20...0x3F).contains(last) || (pending.count == 3 && last == UInt8(ascii: "["))
      if isOpen, pending.count < Self.limit { return nil }
      let parameters = String(decoding: pending[2..<(pending.count - 1)], as: UTF8.self)
      if let key = Self.key(parameters, last) { keys.append(key) }
      return pending.count
    // A control string: an answer that comes late.
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
      let isOver =
        pending.last == 0x07 || (pending.count > 3 && pending.suffix(2) == [0x1B, UInt8(ascii: "\\")])
      return isOver || pending.count >= Self.stringLimit ? pending.count : nil
    // Escape twice, or a key with Alt.
    case 0x1B: return 1
    default: return 2
    }
  }

  private static func key(_ parameters: String, _ last: UInt8) -> Key? {
    if parameters.hasPrefix("[") { return nil }
    return switch (last, parameters) {
    // With modifiers: 1;2 and so on.
    case (UInt8(ascii: "A"), _): .up
    case (UInt8(ascii: "B"), _): .down
    case (UInt8(ascii: "H"), _): .home
    case (UInt8(ascii: "F"), _): .end
    case (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
    case (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
    case (UInt8(ascii: "~"), "5"): .pageUp
    case (UInt8(ascii: "~"), "6"): .pageDown
    default: nil
    }
  }

  private static let characters: [UInt8: Key] = [
    UInt8(ascii: "k"): .up, UInt8(ascii: "j"): .down, UInt8(ascii: "\r"): .down,
    UInt8(ascii: "b"): .pageUp, 0x02: .pageUp,
    UInt8(ascii: " "): .pageDown, UInt8(ascii: "f"): .pageDown, 0x06: .pageDown,
    UInt8(ascii: "g"): .home, UInt8(ascii: "<"): .home, UInt8(ascii: "G"): .end, UInt8(ascii: ">"): .end,
    UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit, 0x0C: .repaint,
  ]
}
