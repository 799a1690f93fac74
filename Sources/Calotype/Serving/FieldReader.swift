/// A reader over the bytes of a field value, with the common rules of HTTP (RFC 9110 §5.6).
///
/// Each step takes its part from the front, or takes nothing and returns `nil`. All steps together are
/// O(length).
struct FieldReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) {
    rest = text
  }

  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  mutating func skips(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func skipWhitespace() {
    rest = rest.drop(while: Self.isWhitespace)
  }

  /// Takes a token (RFC 9110 §5.6.2), unchanged.
  mutating func token() -> String? {
    let token = rest.prefix(while: Self.isTokenCharacter)
    guard !token.isEmpty else { return nil }
    rest = rest[token.endIndex...]
    return String(decoding: token, as: UTF8.self)
  }

  /// Takes a quoted string (RFC 9110 §5.6.4); the result has neither its quotes nor its escapes.
  mutating func quotedString() -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var text: [UInt8] = []
    var isEscaped = false
    for index in rest.indices.dropFirst() {
      let byte = rest[index]
      if isEscaped {
        guard Self.isText(byte) else { return nil }
        text.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        rest = rest[(index + 1)...]
        return String(decoding: text, as: UTF8.self)
      } else {
        guard Self.isText(byte) else { return nil }
        text.append(byte)
      }
    }
    return nil
  }

  /// Takes a decimal number; one beyond `Int` is `Int.max`.
  mutating func number() -> Int? {
    let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard !digits.isEmpty else { return nil }
    rest = rest[digits.endIndex...]
    var number = 0
    for digit in digits {
      let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !overflows, !overflowsToo else { return .max }
      number = sum
    }
    return number
  }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
