package import CalotypeCaching
package import FoundationEssentials

/// Everything about a record but its data, by a header whose checksum fits.
package struct RecordHead: Sendable {
  package let key: CacheKey
  package let metadata: RecordMetadata
  /// When it was stored.
  package let created: Date
  /// The length of the record with its data.
  package let byteCount: Int
  /// The `ETag` of an object.
  var tag: String?

  init(key: CacheKey, metadata: RecordMetadata, created: Date, byteCount: Int, tag: String? = nil) {
    self.key = key
    self.metadata = metadata
    self.created = created
    self.byteCount = byteCount
    self.tag = tag
  }

  /// Reads the beginning of a record.
  ///
  /// - Parameters:
  ///   - bytes: The beginning, with the whole header.
  ///   - count: The length of the record.
  ///   - digest: The digest of its key, as 64 hexadecimal digits.
  ///   - tag: The `ETag` of the object.
  /// - Returns: `nil` for anything but the header of a record of this key and length.
  init?(_ bytes: Data, of count: Int, digest: String, tag: String? = nil) {
    guard let header = bytes.withUnsafeBytes({ RecordHeader($0, fileSize: count) }), !header.isShared else {
      return nil
    }
    let key = CacheKey(header.key.text, source: header.key.source)
    guard key.hexDigest.utf8.elementsEqual(digest.utf8) else { return nil }
    self.init(key: key, metadata: header.metadata, created: header.created, byteCount: count, tag: tag)
  }
}
