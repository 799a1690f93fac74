/// Percent-encoding (RFC 3986, §2.1).
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The bytes of a text in which each `%` is followed by two hexadecimal digits, or `nil` if one is not.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var position = text.startIndex
    while position < text.endIndex {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard position + 1 < text.endIndex, let high = value(text[position]),
        let low = value(text[position + 1])
      else { return nil }
      bytes.append(high << 4 | low)
      position += 2
    }
    return bytes
  }

  /// A text in which all bytes but those that `isKept` names are percent-encoded.
  static func encode(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> [UInt8] {
    var text: [UInt8] = []
    for byte in bytes { append(byte, to: &text, isKept: isKept(byte)) }
    return text
  }

  /// Adds a byte, as it is or percent-encoded.
  static func append(_ byte: UInt8, to text: inout [UInt8], isKept: Bool) {
    if isKept {
      text.append(byte)
    } else {
      text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }
  }

  /// Letters, digits and `-._~` (RFC 3986, §2.3).
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The value of a hexadecimal digit.
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
