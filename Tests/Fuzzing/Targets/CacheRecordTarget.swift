@testable import CalotypeCaching
import FoundationEssentials

/// Reads the bytes as a record of the disk cache, and writes one with them.
enum CacheRecordTarget {
  static func run(_ input: FuzzInput) throws {
    var bytes = input.bytes
    if input.choices.contains(.repairsChecksums) { repair(&bytes) }
    let data = input.data(of: bytes)
    let fileSize = bytes.count + Int(input.first)
    if let length = bytes.withUnsafeBytes({ RecordHeader.length(prefix: $0, fileSize: fileSize) }) {
      try FuzzFailure.unless(
        length >= RecordHeader.fixedLength && length <= RecordHeader.maxLength && length <= fileSize,
        "a header of \(length) bytes")
      if let header = data.withUnsafeBytes({ RecordHeader($0, fileSize: fileSize) }) {
        try FuzzFailure.unless(header.length + header.payloadLength == fileSize, "lengths that do not add up")
        try writeAgain(header)
      }
    }
    if let known = bytes.withUnsafeBytes({ MetadataCoding.decode($0) }) {
      let again = MetadataCoding.encode(known.metadata, source: known.source)
        .withUnsafeBytes { MetadataCoding.decode($0) }
      try FuzzFailure.unless(
        again?.metadata == known.metadata && again?.source == known.source,
        "\(known) became \(again as Any)")
    }
  }

  private static func writeAgain(_ header: RecordHeader) throws {
    let payload = Data([1, 2, 3])
    let key = CacheKey(header.key.text, source: header.key.source)
    let length = try RecordHeader.length(key: key, metadata: header.metadata)
    let encoded = RecordHeader.encode(
      key: key, metadata: header.metadata, created: header.created, payload: payload)
    let again = encoded.withUnsafeBytes { RecordHeader($0, fileSize: encoded.count + payload.count) }
    try FuzzFailure.unless(
      encoded.count == length && again?.key.isText(of: key) == true
        && again?.metadata.user == header.metadata.user
        && again?.metadata.tags == header.metadata.tags
        && payload.withUnsafeBytes { again?.matches(payload: $0) } == true,
      "\(header) became \(again as Any)")
  }

  /// What stands before the lengths and the checksum of the header, as far as there are bytes.
  private static func repair(_ bytes: inout [UInt8]) {
    guard bytes.count >= RecordHeader.fixedLength else { return }
    bytes.replaceSubrange(0..<8, with: RecordHeader.magic)
    let keyLength = min(Int(bytes[40]), bytes.count - RecordHeader.fixedLength)
    let metadataLength = bytes.count - RecordHeader.fixedLength - keyLength
    func put(_ value: Int, at offset: Int, count: Int) {
      for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    put(Int(RecordHeader.version), at: 8, count: 4)
    put(bytes.count, at: 12, count: 4)
    put(keyLength, at: 40, count: 4)
    put(metadataLength, at: 44, count: 4)
    var checksum = bytes.withUnsafeBytes { Checksum(of: UnsafeRawBufferPointer(rebasing: $0[..<56])) }
    bytes.withUnsafeBytes { checksum.update(UnsafeRawBufferPointer(rebasing: $0[64...])) }
    put(Int(truncatingIfNeeded: checksum.value), at: 56, count: 8)
  }
}
