package import FoundationEssentials

/// A record as one piece of bytes, for caches elsewhere: the bytes of its file in a ``DiskCache``, header and payload.
package enum PortableRecord {
  /// Returns the bytes of a record.
  ///
  /// - Throws: ``CachingError/keyTooLong(bytes:limit:)``, ``CachingError/metadataTooLarge(bytes:limit:)``.
  package static func encode(
    _ data: Data, metadata: RecordMetadata, for key: CacheKey, created: Date
  ) throws(CachingError) -> Data {
    _ = try RecordHeader.length(key: key, metadata: metadata)
    return RecordHeader.encode(key: key, metadata: metadata, created: created, payload: data) + data
  }

  /// Reads the bytes of a record; `nil` when they are damaged, cut off, of another format or of another key.
  package static func decode(_ bytes: Data, for key: CacheKey) -> CacheRecord? {
    bytes.withUnsafeBytes { raw -> CacheRecord? in
      guard let header = RecordHeader(raw, fileSize: raw.count), !header.isShared, header.key.isText(of: key),
        header.matches(payload: UnsafeRawBufferPointer(rebasing: raw[header.length...]))
      else { return nil }
      return CacheRecord(
        data: Data(raw[header.length...]), metadata: header.metadata, created: header.created,
        accessed: header.created)
    }
  }
}
