/// An incremental base64 decoder (RFC 4648). Input may be split anywhere; whitespace is skipped.
struct Base64Decoder: Sendable {
  /// Variants of base64.
  struct Rules: Hashable, Sendable {
    /// `-` and `_` instead of `+` and `/` (RFC 4648 §5).
    var isURLSafe = false
    /// Whether the padding may be left out. Padding that is present must be correct.
    var allowsMissingPadding = false
    /// Whether the unused bits of the last character may be other than 0.
    var allowsUnusedBits = false
  }

  /// An error in the text, with its offset in bytes.
  enum Failure: Error, Hashable {
    case character(UInt8, offset: Int)
    case afterPadding(offset: Int)
    case padding(offset: Int)
    case dangling(offset: Int)
    case unusedBits(offset: Int)
  }

  private let rules: Rules
  private let values: [UInt8]
  /// The bits of the unfinished group of four characters.
  private var bits: UInt32 = 0
  private var characters = 0
  private var padding = 0
  private var offset = 0

  init(_ rules: Rules) {
    self.rules = rules
    values = rules.isURLSafe ? Self.urlSafe : Self.standard
  }

  /// Returns the bytes that `text` adds.
  mutating func decode(_ text: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let output = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { target, count in
      do throws(Failure) {
        count = try decode(text, into: target)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return output
  }

  /// Returns the bytes that `text` adds.
  mutating func decode(_ text: [UInt8]) throws(Failure) -> [UInt8] {
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try decode(bytes) }
    }
    return try result.get()
  }

  /// Returns the bytes of a last group without padding.
  mutating func finish() throws(Failure) -> [UInt8] {
    if characters + padding == 0 || characters + padding == 4 { return [] }
    if characters == 1 { throw .dangling(offset: offset) }
    guard padding == 0, rules.allowsMissingPadding else { throw .padding(offset: offset) }
    defer { characters = 0 }
    return try lastGroup()
  }

  private mutating func decode(
    _ text: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
  ) throws(Failure) -> Int {
    var index = 0
    var count = 0
    let start = offset
    while index < text.count {
      if characters == 0, padding == 0 {
        // Fast path for complete groups.
        while text.count - index >= 4 {
          let first = values[Int(text[index])]
          let second = values[Int(text[index + 1])]
          let third = values[Int(text[index + 2])]
          let fourth = values[Int(text[index + 3])]
          guard first | second | third | fourth < 64 else { break }
          target[count] = first << 2 | second >> 4
          target[count + 1] = second << 4 | third >> 2
          target[count + 2] = third << 6 | fourth
          count += 3
          index += 4
        }
        guard index < text.count else { break }
      }
      offset = start + index
      for byte in try take(text[index]) {
        target[count] = byte
        count += 1
      }
      index += 1
    }
    offset = start + text.count
    return count
  }

  /// Takes one character, and returns the bytes of the group that it completes.
  private mutating func take(_ character: UInt8) throws(Failure) -> [UInt8] {
    let value = values[Int(character)]
    if value == Self.whitespace { return [] }
    if padding > 0, characters + padding == 4 { throw .afterPadding(offset: offset) }
    if value == Self.pad {
      guard characters >= 2 else { throw .padding(offset: offset) }
      padding += 1
      return characters + padding == 4 ? try lastGroup() : []
    }
    guard value < 64 else { throw .character(character, offset: offset) }
    guard padding == 0 else { throw .padding(offset: offset) }
    bits = bits << 6 | UInt32(value)
    characters += 1
    guard characters == 4 else { return [] }
    characters = 0
    return [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }

  /// The bytes of a group of two or three characters.
  private func lastGroup() throws(Failure) -> [UInt8] {
    let unused = characters == 2 ? 4 : 2
    guard rules.allowsUnusedBits || bits & (1 << UInt32(unused) - 1) == 0 else {
      throw .unusedBits(offset: offset)
    }
    let whole = bits >> UInt32(unused)
    if characters == 2 { return [UInt8(truncatingIfNeeded: whole)] }
    return [UInt8(truncatingIfNeeded: whole >> 8), UInt8(truncatingIfNeeded: whole)]
  }

  private static let whitespace: UInt8 = 64
  private static let pad: UInt8 = 65
  private static let standard = table("+/")
  private static let urlSafe = table("-_")

  /// Maps each byte to its value below 64, ``whitespace``, ``pad``, or 255.
  private static func table(_ last: String) -> [UInt8] {
    var table = [UInt8](repeating: 255, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
    for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
    for character in " \t\n\u{c}\r".utf8 { table[Int(character)] = whitespace }
    table[Int(UInt8(ascii: "="))] = pad
    return table
  }
}

extension Base64Decoder.Failure: CustomStringConvertible {
  var description: String {
    switch self {
    case .character(let character, let offset):
      "the byte \(character) at \(offset) is not one of base64; check the alphabet"
    case .afterPadding(let offset): "the base64 goes on after its padding, at byte \(offset)"
    case .padding(let offset): "the base64 is padded wrongly at byte \(offset)"
    case .dangling(let offset): "the base64 ends with a dangling character at byte \(offset)"
    case .unusedBits(let offset): "the base64 ends with bits that no byte takes, at byte \(offset)"
    }
  }
}
