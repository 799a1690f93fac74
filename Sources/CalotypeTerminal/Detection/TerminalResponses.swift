import Calotype

/// The answers of a terminal, picked out of its input. Everything else is keys.
struct TerminalResponses: Equatable, Sendable {
  /// Whether kitty's graphics are understood; `nil` without an answer.
  private(set) var kittyGraphics: Bool?
  /// Its capabilities by number (DA1); 4 is sixel graphics.
  private(set) var attributes: [Int]?
  /// Its name and version (XTVERSION).
  private(set) var version: String?
  /// The name of its terminfo entry (XTGETTCAP).
  private(set) var terminfoName: String?
  /// Width and height of a cell in pixels.
  private(set) var cell: PixelSize?
  /// Width and height of the window in pixels.
  private(set) var window: PixelSize?
  /// The colour of its background.
  private(set) var background: PixelColor?
  /// The bytes that were typed meanwhile.
  private(set) var keys: [UInt8] = []
  private var pending: [UInt8] = []

  /// More of a control string than this is none.
  private static let limit = 4096

  /// Takes bytes as they come, in pieces of any size.
  mutating func read(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while !pending.isEmpty, let length = next() { pending.removeFirst(length) }
  }

  /// Nothing more comes: what is not complete was typed.
  mutating func finish() {
    keys += pending
    pending = []
  }

  /// Handles what is at the beginning. `nil` if more is needed for that, else how many bytes it was.
  private mutating func next() -> Int? {
    guard pending[0] == 0x1B else { return typed(1) }
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): return controlString()
    default: return typed(1)
    }
  }

  private mutating func typed(_ count: Int) -> Int {
    keys += pending.prefix(count)
    return count
  }

  private mutating func controlSequence() -> Int? {
    guard let last = pending.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      return pending.count > Self.limit ? typed(1) : nil
    }
    let parameters = String(decoding: pending[2..<last], as: UTF8.self)
    let numbers = parameters.drop { $0 == "?" }.split(separator: ";").compactMap { Int($0) }
    switch pending[last] {
    case UInt8(ascii: "c") where parameters.hasPrefix("?"):
      attributes = numbers
    case UInt8(ascii: "t") where numbers.count == 3 && numbers[0] == 6:
      cell = Self.size(numbers)
    case UInt8(ascii: "t") where numbers.count == 3 && numbers[0] == 4:
      window = Self.size(numbers)
    case 0x40...0x7E:
      return typed(last + 1)
    default:
      return typed(1)
    }
    return last + 1
  }

  /// Height comes before width. Some terminals say 0 for what they do not know.
  private static func size(_ numbers: [Int]) -> PixelSize? {
    guard (1...100_000).contains(numbers[1]), (1...100_000).contains(numbers[2]) else { return nil }
    return PixelSize(width: numbers[2], height: numbers[1])
  }

  private mutating func controlString() -> Int? {
    let rest = pending.dropFirst(2)
    let isCommand = pending[1] == UInt8(ascii: "]")
    guard let end = rest.firstIndex(where: { $0 == 0x1B || (isCommand && $0 == 0x07) }) else {
      return pending.count > Self.limit ? typed(1) : nil
    }
    var length = end + 1
    if pending[end] == 0x1B {
      guard end + 1 < pending.count else { return nil }
      // Broken off: Alt and a letter, and then something else.
      guard pending[end + 1] == UInt8(ascii: "\\") else { return typed(end) }
      length += 1
    }
    if !take(pending[1], String(decoding: rest[..<end], as: UTF8.self)) { return typed(length) }
    return length
  }

  private mutating func take(_ kind: UInt8, _ text: String) -> Bool {
    switch kind {
    case UInt8(ascii: "_") where text.hasPrefix("G"):
      kittyGraphics = text.hasSuffix(";OK")
    case UInt8(ascii: "P") where text.hasPrefix(">|"):
      version = String(text.dropFirst(2))
    case UInt8(ascii: "P") where text.hasPrefix("1+r"):
      let parts = text.dropFirst(3).split(separator: "=")
      if parts.count == 2, Self.text(ofHex: parts[0]) == "TN" { terminfoName = Self.text(ofHex: parts[1]) }
    case UInt8(ascii: "P") where text.hasPrefix("0+r"):
      break
    case UInt8(ascii: "]") where text.hasPrefix("11;"):
      background = Self.color(text.dropFirst(3))
    default:
      return false
    }
    return true
  }

  private static func text(ofHex digits: Substring) -> String? {
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
    return String(
      decoding: stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) },
      as: UTF8.self)
  }

  /// `rgb:1e1e/1e1e/2e2e`, with one to four digits a sample.
  private static func color(_ text: Substring) -> PixelColor? {
    guard text.hasPrefix("rgb:") else { return nil }
    let samples = text.dropFirst(4).split(separator: "/").compactMap { digits -> UInt8? in
      guard (1...4).contains(digits.count), let value = Int(digits, radix: 16), value >= 0 else { return nil }
      let most = 1 << (4 * digits.count) - 1
      return UInt8((value * 255 + most / 2) / most)
    }
    guard samples.count == 3 else { return nil }
    return PixelColor(red: samples[0], green: samples[1], blue: samples[2])
  }
}
