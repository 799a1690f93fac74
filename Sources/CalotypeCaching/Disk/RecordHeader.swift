import CalotypeSupport
package import FoundationEssentials
import Glibc

/// The header of a record file: its key and metadata, and checksums.
///
/// Little-endian, in this order: magic (8 bytes), version (4), header length (4), payload length (8), created and
/// expires in microseconds since 1970 (8 each, expires `Int64.max` for never), key length (4), metadata length (4),
/// ``Checksum`` of the payload (8), checksum of this header without this field (8), key, metadata. The payload follows
/// to the end of the file. With two checksums, the header can be verified without the payload.
///
/// Version 2 is a file with its payload. The file of a record that shares its payload ends with the header and has version
/// 3: the payload is that of the record file whose second name is ``CacheLayout/payload(_:_:)``.
package struct RecordHeader: Sendable {
  package var key: CacheKeyText
  package var metadata: RecordMetadata
  package var created: Date
  package var payloadLength: Int
  package var payloadChecksum: Checksum
  /// Bytes before the payload.
  package var length: Int
  /// Whether the payload is in another file.
  package var isShared: Bool

  /// The texts of a ``CacheKey``.
  package struct CacheKeyText: Sendable {
    package var text: String
    package var source: String?

    /// Whether the text equals that of `key`, byte by byte.
    package func isText(of key: CacheKey) -> Bool {
      var own = text
      var other = key.text
      return own.withUTF8 { own in
        other.withUTF8 { other in
          guard own.count == other.count else { return false }
          guard let left = own.baseAddress, let right = other.baseAddress else { return true }
          return memcmp(left, right, own.count) == 0
        }
      }
    }
  }

  static let magic: [UInt8] = Array("CALOTYPE".utf8)
  private static let magicWord: UInt64 = 0x4550_5954_4F4C_4143
  static let version: UInt32 = 2
  static let sharedVersion: UInt32 = 3
  /// The longest plausible payload, so that sums do not overflow.
  private static let maxPayloadLength = 1 << 40
  static let fixedLength = 64
  static let maxKeyLength = 64 << 10
  static let maxMetadataLength = 64 << 10
  package static let maxLength = fixedLength + maxKeyLength + maxMetadataLength
  private static let checksumOffset = 56

  /// Returns the number of bytes before the payload. Throws when key or metadata are too long.
  package static func length(key: CacheKey, metadata: RecordMetadata) throws(CachingError) -> Int {
    let keyLength = key.text.utf8.count
    guard keyLength <= maxKeyLength else { throw .keyTooLong(bytes: keyLength, limit: maxKeyLength) }
    let metadataLength = metadataBytes(key, metadata).count
    guard metadataLength <= maxMetadataLength else {
      throw .metadataTooLarge(bytes: metadataLength, limit: maxMetadataLength)
    }
    return fixedLength + keyLength + metadataLength
  }

  private static func metadataBytes(_ key: CacheKey, _ metadata: RecordMetadata) -> [UInt8] {
    MetadataCoding.encode(
      metadata, source: key.source.utf8.elementsEqual(key.text.utf8) ? nil : key.source)
  }

  /// Returns the bytes before `payload` in its file, for key and metadata that ``length(key:metadata:)`` has accepted.
  ///
  /// - Parameter checksum: The checksum of the payload, where the caller has computed it already.
  package static func encode(
    key: CacheKey, metadata: RecordMetadata, created: Date, payload: Data, checksum: Checksum? = nil
  ) -> Data {
    let keyBytes = key.text.utf8
    let metadataBytes = metadataBytes(key, metadata)
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
    bytes.append(little: (checksum ?? Checksum(of: payload)).value)
    bytes.append(little: UInt64(0))
    bytes += keyBytes
    bytes += metadataBytes
    seal(&bytes)
    return Data(bytes)
  }

  /// Changes the time of the store in an encoded header.
  static func setCreated(_ time: Date, in header: inout Data) {
    var bytes = [UInt8](header)
    withUnsafeBytes(of: time.microseconds.littleEndian) { bytes.replaceSubrange(24..<32, with: $0) }
    seal(&bytes)
    header = Data(bytes)
  }

  /// Returns an encoded header for a file without the payload, which the record shares. Its length is the same.
  static func shared(_ header: Data) -> Data { setVersion(sharedVersion, in: header) }

  /// Returns an encoded header for a file with the payload.
  static func whole(_ header: Data) -> Data { setVersion(version, in: header) }

  private static func setVersion(_ version: UInt32, in header: Data) -> Data {
    var bytes = [UInt8](header)
    withUnsafeBytes(of: version.littleEndian) { bytes.replaceSubrange(8..<12, with: $0) }
    seal(&bytes)
    return Data(bytes)
  }

  /// Reads the checksum of the payload in an encoded header.
  static func payloadChecksum(in header: Data) -> Checksum {
    header.withUnsafeBytes { Checksum(seed: $0.count >= fixedLength ? $0.little(at: 48, UInt64.self) : 0) }
  }

  /// Writes the checksum of a header into it.
  private static func seal(_ bytes: inout [UInt8]) {
    let checksum = bytes.withUnsafeBytes { Self.checksum(of: $0) }
    withUnsafeBytes(of: checksum.value.littleEndian) {
      bytes.replaceSubrange(checksumOffset..<fixedLength, with: $0)
    }
  }

  /// Returns the length of the header that begins with `prefix`; `nil` when these are not the first bytes of a complete
  /// record file of `fileSize` bytes.
  static func length(prefix raw: UnsafeRawBufferPointer, fileSize: Int) -> Int? {
    guard raw.count >= fixedLength, raw.little(at: 0, UInt64.self) == magicWord else { return nil }
    let version = raw.little(at: 8, UInt32.self)
    guard version == Self.version || version == sharedVersion else { return nil }
    let length = Int(raw.little(at: 12, UInt32.self))
    let keyLength = Int(raw.little(at: 40, UInt32.self))
    let metadataLength = Int(raw.little(at: 44, UInt32.self))
    guard keyLength <= maxKeyLength, metadataLength <= maxMetadataLength,
      length == fixedLength + keyLength + metadataLength, length <= fileSize,
      let payloadLength = Int(exactly: raw.little(at: 16, UInt64.self)), payloadLength <= maxPayloadLength,
      version == sharedVersion ? length == fileSize : payloadLength == fileSize - length
    else { return nil }
    return length
  }

  /// Returns where the payload begins in a record file of `fileSize` bytes that has one; `nil` for any other file.
  static func payloadStart(prefix raw: UnsafeRawBufferPointer, fileSize: Int) -> Int? {
    guard let length = length(prefix: raw, fileSize: fileSize), raw.little(at: 8, UInt32.self) == version
    else {
      return nil
    }
    return length
  }

  /// Reads the complete header at the beginning of `raw`; `nil` when it is damaged.
  package init?(_ raw: UnsafeRawBufferPointer, fileSize: Int) {
    guard let length = Self.length(prefix: raw, fileSize: fileSize), raw.count >= length else { return nil }
    let header = UnsafeRawBufferPointer(rebasing: raw[..<length])
    guard Self.checksum(of: header).value == header.little(at: Self.checksumOffset, UInt64.self) else {
      return nil
    }
    let keyEnd = Self.fixedLength + Int(header.little(at: 40, UInt32.self))
    guard let text = String(validating: header[Self.fixedLength..<keyEnd], as: UTF8.self),
      let (metadata, source) = MetadataCoding.decode(UnsafeRawBufferPointer(rebasing: header[keyEnd...]))
    else { return nil }
    key = CacheKeyText(text: text, source: source)
    self.metadata = metadata
    let expires = header.little(at: 32, Int64.self)
    if expires != .max { self.metadata.expires = Date(microseconds: expires) }
    created = Date(microseconds: header.little(at: 24, Int64.self))
    payloadLength = Int(header.little(at: 16, UInt64.self))
    isShared = header.little(at: 8, UInt32.self) == Self.sharedVersion
    payloadChecksum = Checksum(seed: header.little(at: 48, UInt64.self))
    self.length = length
  }

  package func matches(payload: UnsafeRawBufferPointer) -> Bool {
    payload.count == payloadLength && Checksum(of: payload) == payloadChecksum
  }

  private static func checksum(of header: UnsafeRawBufferPointer) -> Checksum {
    var checksum = Checksum(of: UnsafeRawBufferPointer(rebasing: header[..<checksumOffset]))
    checksum.update(UnsafeRawBufferPointer(rebasing: header[fixedLength...]))
    return checksum
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
