@testable import CalotypeCaching
import Crypto
import FoundationEssentials

/// Reads the bytes as a record of the disk cache, and writes one with them.
enum CacheRecordTarget {
  static func run(_ input: FuzzInput) throws {
    var bytes = input.bytes
    if input.choices.contains(.repairsChecksums) { repair(&bytes) }
    let data = input.data(of: bytes)
    let fileSize = bytes.count + Int(input.first)
    if let length = RecordHeader.length(prefix: data, fileSize: fileSize) {
      try FuzzFailure.unless(
        length >= RecordHeader.fixedLength && length <= RecordHeader.maxLength && length <= fileSize,
        "a header of \(length) bytes")
      if let header = RecordHeader(data.prefix(length), fileSize: fileSize) {
        try FuzzFailure.unless(header.length + header.payloadLength == fileSize, "lengths that do not add up")
        try writeAgain(header)
      }
    }
    _ = RecordHeader(data, fileSize: fileSize)
    if let metadata = bytes.withUnsafeBytes({ MetadataCoding.decode($0) }) {
      let again = MetadataCoding.encode(metadata).withUnsafeBytes { MetadataCoding.decode($0) }
      try FuzzFailure.unless(again == metadata, "\(metadata) became \(again as Any)")
    }
  }

  private static func writeAgain(_ header: RecordHeader) throws {
    let payload = Data([1, 2, 3])
    let encoded = try RecordHeader.encode(
      key: header.key, metadata: header.metadata, created: header.created, payload: payload)
    let again = RecordHeader(encoded, fileSize: encoded.count + payload.count)
    try FuzzFailure.unless(
      again?.key == header.key && again?.metadata.user == header.metadata.user
        && again?.metadata.etag == header.metadata.etag && again?.matches(payload: payload) == true,
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
    put(1, at: 8, count: 4)
    put(bytes.count, at: 12, count: 4)
    put(keyLength, at: 40, count: 4)
    put(metadataLength, at: 44, count: 4)
    var hash = SHA256()
    hash.update(data: bytes[..<80])
    hash.update(data: bytes[112...])
    bytes.replaceSubrange(80..<112, with: Array(hash.finalize()))
  }
}
