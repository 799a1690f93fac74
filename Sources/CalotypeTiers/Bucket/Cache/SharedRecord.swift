import CalotypeCaching
import FoundationEssentials
import HTTPTypes

/// A record as the object of a bucket: the record file of `DiskCache`, with its payload.
enum SharedRecord {
  /// The media type of the objects.
  static let contentType = "application/vnd.calotype.record"
  /// The version of the record format, as user metadata.
  static let fields: HTTPFields = [.amzMetaCalotype: "2"]
  /// The most bytes of an object beside its payload.
  static let overhead = RecordHeader.maxLength

  /// Why an object is no record of a key.
  enum Damage: String, Error, Hashable, Sendable {
    /// The header is cut, altered, or of another format.
    case header
    /// It is the record of another key.
    case key
    /// The payload is cut or altered.
    case payload
  }

  /// Returns the object of a record, in pieces.
  ///
  /// - Throws: `CachingError` when the key or the metadata are too long.
  static func encode(
    _ data: Data, metadata: RecordMetadata, for key: CacheKey, created: Date
  ) throws(CachingError) -> [Data] {
    _ = try RecordHeader.length(key: key, metadata: metadata)
    return [RecordHeader.encode(key: key, metadata: metadata, created: created, payload: data), data]
  }

  /// Reads the object of a key. Nothing in it is believed before checksums, lengths and the text of the key fit.
  static func decode(_ object: Data, for key: CacheKey) throws(Damage) -> CacheRecord {
    guard let header = object.withUnsafeBytes({ RecordHeader($0, fileSize: object.count) }), !header.isShared
    else {
      throw .header
    }
    guard header.key.isText(of: key) else { throw .key }
    let isWhole = object.withUnsafeBytes { bytes in
      header.matches(payload: UnsafeRawBufferPointer(rebasing: bytes[header.length...]))
    }
    guard isWhole else { throw .payload }
    // A copy, because the indices of a record's data start at zero.
    return CacheRecord(
      data: Data(object.dropFirst(header.length)), metadata: header.metadata, created: header.created,
      accessed: header.created)
  }
}
