import FoundationEssentials

/// The XMP packet in an iTXt chunk (11.3.3.4; XMP specification part 3, 1.1.5). No other text is read.
enum PNGText {
  /// The keyword of XMP and the zero behind it.
  static let keyword = Array("XML:com.adobe.xmp".utf8) + [0]

  /// Returns true if an iTXt chunk contains XMP.
  static func isXMP(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes[chunk.payload].starts(with: keyword)
  }

  /// Returns the packet; `nil` if the chunk is damaged or the packet larger than `limit` bytes.
  static func xmp(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer, limit: Int) -> Data? {
    let payload = bytes[chunk.payload].dropFirst(keyword.count)
    // Compression flag and method, language and translated keyword, each ended by a zero.
    guard payload.count >= 4, let flag = payload.first,
      let language = payload.dropFirst(2).firstIndex(of: 0),
      let translated = payload[(language + 1)...].firstIndex(of: 0)
    else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: payload[(translated + 1)...])
    switch (flag, payload[payload.startIndex + 1]) {
    case (0, _): return text.count <= limit ? Data(text) : nil
    case (1, 0): return PNGInflater.inflate(text, limit: limit).map { Data($0) }
    default: return nil
    }
  }

  /// Returns the data of an iTXt chunk with an uncompressed packet.
  static func payload(xmp: Data) -> [UInt8] { keyword + [0, 0, 0, 0] + Array(xmp) }
}
