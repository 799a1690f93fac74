import FoundationEssentials

/// A parsed `data:` URL: `data:[<media type>][;base64],<data>` (RFC 2397).
struct DataURL: Equatable {
  var mediaType: String
  var data: Data

  enum Failure: Error, Equatable {
    case malformed(String)
    case tooLarge(Int)
  }

  /// What RFC 2397 says when there is no media type.
  static let defaultMediaType = "text/plain;charset=US-ASCII"

  /// - Parameter maxBytes: Most bytes to decode to; checked before memory is taken.
  init(_ text: String, maxBytes: Int) throws(Failure) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      let comma = bytes[colon...].firstIndex(of: UInt8(ascii: ","))
    else { throw .malformed("there is no comma before the data") }
    var header = String(decoding: bytes[(colon + 1)..<comma], as: UTF8.self)
    var isBase64 = false
    if let semicolon = header.lastIndex(of: ";"),
      header[header.index(after: semicolon)...].lowercased().filter({ $0 != " " }) == "base64"
    {
      isBase64 = true
      header = String(header[..<semicolon])
    }
    if header.isEmpty {
      mediaType = Self.defaultMediaType
    } else {
      mediaType = header.first == ";" ? "text/plain" + header : header
    }

    // A fragment is not part of the data.
    let payload = bytes[(comma + 1)...].prefix { $0 != UInt8(ascii: "#") }
    let (escapes, isWellFormed) = Self.countEscapes(payload)
    guard isWellFormed else { throw .malformed("a % is not followed by two hexadecimal digits") }
    let unescaped = payload.count - 2 * escapes
    // Whitespace and padding may make a base64 body smaller than this by what they are.
    let atMost = isBase64 ? unescaped / 4 * 3 + 3 : unescaped
    let slack = isBase64 ? unescaped / 4 + 6 : 0
    guard atMost - slack <= maxBytes else { throw .tooLarge(atMost) }
    let plain = Self.unescape(payload, count: unescaped)
    let data = isBase64 ? try Self.base64(plain) : Data(plain)
    guard data.count <= maxBytes else { throw .tooLarge(data.count) }
    self.data = data
  }

  private static func countEscapes(_ bytes: ArraySlice<UInt8>) -> (count: Int, isWellFormed: Bool) {
    var count = 0
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "%") {
        guard bytes.endIndex - index > 2, hex(bytes[index + 1]) != nil, hex(bytes[index + 2]) != nil else {
          return (count, false)
        }
        count += 1
        index += 3
      } else {
        index += 1
      }
    }
    return (count, true)
  }

  private static func unescape(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = hex(bytes[index + 1]),
        let low = hex(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Base64 as browsers take it in URLs: whitespace is skipped, padding may be missing.
  private static func base64(_ bytes: [UInt8]) throws(Failure) -> Data {
    var text = bytes.filter { $0 != 32 && $0 != 9 && $0 != 10 && $0 != 12 && $0 != 13 }
    // The decoder takes any number of them.
    if text.suffix(3).elementsEqual("===".utf8) { throw .malformed("its base64 is padded wrongly") }
    switch text.count % 4 {
    case 0: break
    case 1: throw .malformed("its base64 has a dangling character")
    default:
      if text.last == UInt8(ascii: "=") { throw .malformed("its base64 is padded wrongly") }
      text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 4 - text.count % 4))
    }
    guard let data = Data(base64Encoded: Data(text)) else {
      throw .malformed("its base64 holds other characters")
    }
    return data
  }
}
