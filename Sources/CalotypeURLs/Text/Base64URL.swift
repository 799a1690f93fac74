/// Base64 with the URL-safe alphabet and without padding (RFC 4648, §5).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// The text of some bytes.
  static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var buffer = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[buffer >> bits & 0x3F])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { text.append(alphabet[buffer << (6 - bits) & 0x3F]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, or `nil` if it has other characters, padding, or a length that no bytes have. `isCanonical` tells
  /// whether the bits behind the last byte are zero, as an encoder leaves them.
  static func decode(_ text: some Collection<UInt8>) -> (bytes: [UInt8], isCanonical: Bool)? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var buffer = 0
    var bits = 0
    for byte in text {
      let value = values[Int(byte)]
      guard value != 0xFF else { return nil }
      buffer = buffer << 6 | Int(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    return (bytes, buffer == 0)
  }

  /// The bytes of a text with or without padding, with any bits behind the last byte, as imgproxy reads sources.
  static func decodeLeniently(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var text = text
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    return decode(text)?.bytes
  }
}
