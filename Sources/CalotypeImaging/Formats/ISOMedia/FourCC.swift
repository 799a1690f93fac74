/// A code of four characters: the type of a box, an item or a reference.
package struct FourCC: Hashable, Sendable, CustomStringConvertible {
  /// The characters as a big-endian number.
  package let rawValue: UInt32

  /// Creates a code from a number.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a code from four ASCII characters.
  package init(_ characters: StaticString) {
    rawValue = characters.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// The characters; a question mark in place of each that is not printable.
  package var description: String {
    let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    return String(decoding: characters.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }

  static func ~= (pattern: StaticString, value: FourCC) -> Bool { FourCC(pattern) == value }
}
