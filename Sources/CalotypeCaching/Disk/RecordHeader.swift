import Crypto
import FoundationEssentials

/// The first part of a record file: what it is the record of, and how to know that its bytes are right.
///
/// Little-endian, in this order: magic (8 bytes), version (4), header length (4), payload length (8), created and
/// expires in microseconds since 1970 (8 each, expires `Int64.max` for never), key length (4), metadata length (4),
/// SHA-256 of the payload (32), SHA-256 of this header without this field (32), key, metadata. The payload follows
/// to the end of the file. The two checksums make a header trustworthy without its payload.
struct RecordHeader: Sendable {
  var key: String
  var metadata: RecordMetadata
  var created: Date
  var payloadLength: Int
  var payloadChecksum: Digest256
  /// Bytes before the payload.
  var length: Int

  static let magic: [UInt8] = Array("CALOTYPE".utf8)
  static let version: UInt32 = 1
  static let fixedLength = 112
  static let maxKeyLength = 64 << 10
  static let maxMetadataLength = 64 << 10
  static let maxLength = fixedLength + maxKeyLength + maxMetadataLength
  private static let checksumRange = 80..<112

  /// The bytes that stand before `payload` in its file.
  static func encode(
    key: String, metadata: RecordMetadata, created: Date, payload: Data
  ) throws(CachingError) -> Data {
    let keyBytes = Array(key.utf8)
    guard keyBytes.count <= maxKeyLength else {
      throw .keyTooLong(bytes: keyBytes.count, limit: maxKeyLength)
    }
    let metadataBytes = MetadataCoding.encode(metadata)
    guard metadataBytes.count <= maxMetadataLength else {
      throw .metadataTooLarge(bytes: metadataBytes.count, limit: maxMetadataLength)
    }
    let length = fixedLength + keyBytes.count + metadataBytes.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes += magic
    bytes.append(little: version)
    bytes.append(little: UInt32(length))
    bytes.append(little: UInt64(payload.count))
    bytes.append(little: created.microseconds)
    bytes.append(little: metadata.expires?.microseconds ?? .max)
    bytes.append(little: UInt32(keyBytes.count))
    bytes.append(little: UInt32(metadataBytes.count))
    bytes += Array(SHA256.hash(data: payload))
    bytes += [UInt8](repeating: 0, count: checksumRange.count)
    bytes += keyBytes
    bytes += metadataBytes
    bytes.replaceSubrange(checksumRange, with: Array(checksum(of: bytes)))
    return Data(bytes)
  }

  /// The length of the header whose beginning is `prefix`; `nil` when these are not the first bytes of a whole
  /// record file of `fileSize` bytes.
  static func length(prefix: Data, fileSize: Int) -> Int? {
    prefix.withUnsafeBytes { raw -> Int? in
      guard raw.count >= fixedLength, raw[..<8].elementsEqual(magic),
        raw.little(at: 8, UInt32.self) == version
      else { return nil }
      let length = Int(raw.little(at: 12, UInt32.self))
      let keyLength = Int(raw.little(at: 40, UInt32.self))
      let metadataLength = Int(raw.little(at: 44, UInt32.self))
      guard keyLength <= maxKeyLength, metadataLength <= maxMetadataLength,
        length == fixedLength + keyLength + metadataLength, length <= fileSize,
        let payloadLength = Int(exactly: raw.little(at: 16, UInt64.self)), payloadLength == fileSize - length
      else { return nil }
      return length
    }
  }

  /// Reads a whole header whose length was found by ``length(prefix:fileSize:)``; `nil` when it is damaged.
  init?(_ bytes: Data, fileSize: Int) {
    guard let length = Self.length(prefix: bytes, fileSize: fileSize), bytes.count == length else {
      return nil
    }
    let bytes = [UInt8](bytes)
    guard Self.checksum(of: bytes).elementsEqual(bytes[Self.checksumRange]) else { return nil }
    let parsed = bytes.withUnsafeBytes { raw -> RecordHeader? in
      let keyEnd = Self.fixedLength + Int(raw.little(at: 40, UInt32.self))
      guard let key = String(validating: raw[Self.fixedLength..<keyEnd], as: UTF8.self),
        var metadata = MetadataCoding.decode(UnsafeRawBufferPointer(rebasing: raw[keyEnd..<length]))
      else { return nil }
      let expires = raw.little(at: 32, Int64.self)
      if expires != .max { metadata.expires = Date(microseconds: expires) }
      return RecordHeader(
        key: key, metadata: metadata, created: Date(microseconds: raw.little(at: 24, Int64.self)),
        payloadLength: fileSize - length,
        payloadChecksum: Digest256(UnsafeRawBufferPointer(rebasing: raw[48..<80])), length: length)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  private init(
    key: String, metadata: RecordMetadata, created: Date, payloadLength: Int, payloadChecksum: Digest256,
    length: Int
  ) {
    self.key = key
    self.metadata = metadata
    self.created = created
    self.payloadLength = payloadLength
    self.payloadChecksum = payloadChecksum
    self.length = length
  }

  func matches(payload: Data) -> Bool {
    payload.count == payloadLength && Digest256(SHA256.hash(data: payload)) == payloadChecksum
  }

  private static func checksum(of header: [UInt8]) -> SHA256Digest {
    header.withUnsafeBytes { raw in
      var hash = SHA256()
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: raw[..<checksumRange.lowerBound]))
      hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: raw[checksumRange.upperBound...]))
      return hash.finalize()
    }
  }
}

/// The checksum of a payload that comes in pieces.
struct PayloadChecksum {
  private var hash = SHA256()

  mutating func update(_ piece: Data) { hash.update(data: piece) }

  func finalize() -> Digest256 { Digest256(hash.finalize()) }
}

extension Digest256 {
  init(_ digest: SHA256Digest) {
    self = digest.withUnsafeBytes { Digest256($0) }
  }

  /// Reads the first 32 bytes, which must be there.
  init(_ raw: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    self.init(word0: word(0), word1: word(1), word2: word(2), word3: word(3))
  }
}

extension [UInt8] {
  mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Reads an integer; traps outside of the buffer, so lengths are checked before.
  func little<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}

extension Date {
  /// Microseconds since 1970; the nearest that fits, and 0 for a date that is not a number. Never `Int64.max`.
  var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    guard !value.isNaN else { return 0 }
    return Int64(exactly: min(max(value, -0x1p62), 0x1p62)) ?? 0
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
