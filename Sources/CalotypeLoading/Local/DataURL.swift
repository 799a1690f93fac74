import FoundationEssentials

/// A parsed `data:` URL: `data:[<media type>][;base64],<data>` (RFC 2397).
struct DataURL: Equatable {
  var mediaType: String
  var data: Data

  enum Failure: Error, Equatable {
    case malformed(String)
    case tooLarge(Int)
    case cancelled
  }

  /// The default media type of RFC 2397.
  static let defaultMediaType = "text/plain;charset=US-ASCII"

  /// The bytes of text between two checks for cancellation.
  private static let stride = 64 << 10

  /// - Parameter byteLimit: The most decoded bytes; checked before memory is allocated.
  init(_ text: String, byteLimit: Int) throws(Failure) {
    var text = text
    let result = text.withUTF8 { bytes in
      Result { () throws(Failure) in try DataURL(UnsafeRawBufferPointer(bytes), byteLimit: byteLimit) }
    }
    self = try result.get()
  }

  private init(_ bytes: UnsafeRawBufferPointer, byteLimit: Int) throws(Failure) {
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
    let payload = UnsafeRawBufferPointer(rebasing: bytes[(comma + 1)...].prefix { $0 != UInt8(ascii: "#") })
    let unescaped = try payload.count - 2 * Self.countEscapes(payload)
    // Whitespace and padding may make a base64 body smaller than this.
    let atMost = isBase64 ? unescaped / 4 * 3 + 3 : unescaped
    let slack = isBase64 ? unescaped / 4 + 6 : 0
    guard atMost - slack <= byteLimit else { throw .tooLarge(atMost) }
    data = Data(capacity: atMost)
    try decode(payload, isBase64: isBase64)
    guard data.count <= byteLimit else { throw .tooLarge(data.count) }
  }

  private static func countEscapes(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
    var count = 0
    var index = 0
    while index < bytes.count {
      if Task.isCancelled { throw .cancelled }
      let end = min(index + stride, bytes.count)
      while index < end {
        guard bytes[index] == UInt8(ascii: "%") else {
          index += 1
          continue
        }
        guard bytes.count - index > 2, hex(bytes[index + 1]) != nil, hex(bytes[index + 2]) != nil else {
          throw .malformed("a % is not followed by two hexadecimal digits")
        }
        count += 1
        index += 3
      }
    }
    return count
  }

  /// Appends the decoded `payload`, whose escapes are well-formed.
  private mutating func decode(_ payload: UnsafeRawBufferPointer, isBase64: Bool) throws(Failure) {
    // As browsers do: padding may be missing, and unused bits are ignored.
    var decoder = Base64Decoder(.init(allowsMissingPadding: true, allowsUnusedBits: true))
    var block: [UInt8] = []
    block.reserveCapacity(min(Self.stride, payload.count))
    var index = 0
    while index < payload.count {
      if Task.isCancelled { throw .cancelled }
      block.removeAll(keepingCapacity: true)
      while index < payload.count, block.count < Self.stride {
        if payload[index] == UInt8(ascii: "%"), index + 2 < payload.count,
          let high = Self.hex(payload[index + 1]), let low = Self.hex(payload[index + 2])
        {
          block.append(high << 4 | low)
          index += 3
        } else {
          block.append(payload[index])
          index += 1
        }
      }
      guard isBase64 else {
        data.append(contentsOf: block)
        continue
      }
      do throws(Base64Decoder.Failure) {
        data.append(contentsOf: try decoder.decode(block))
      } catch {
        throw Self.failure(error)
      }
    }
    guard isBase64 else { return }
    do throws(Base64Decoder.Failure) {
      data.append(contentsOf: try decoder.finish())
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: Base64Decoder.Failure) -> Failure {
    switch error {
    case .dangling: .malformed("its base64 has a dangling character")
    case .padding, .afterPadding: .malformed("its base64 is padded wrongly")
    case .character, .unusedBits: .malformed("its base64 holds other characters")
    }
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
