package import FoundationEssentials

/// A record as bytes, for caches elsewhere: those of its file in a ``DiskCache``, header and payload.
package enum PortableRecord {
  /// The reason why bytes are no record of a key.
  package enum Damage: String, Error, Hashable, Sendable {
    /// The header is cut, altered, or of another format.
    case header
    /// It is the record of another key.
    case key
    /// The payload is cut or altered.
    case payload
  }

  /// Returns the bytes of a record in pieces, of which the last is the payload.
  ///
  /// - Throws: ``CachingError/keyTooLong(bytes:limit:)``, ``CachingError/metadataTooLarge(bytes:limit:)``.
  package static func encode(
    _ data: Data, metadata: RecordMetadata, for key: CacheKey, created: Date
  ) throws(CachingError) -> [Data] {
    _ = try RecordHeader.length(key: key, metadata: metadata)
    return [RecordHeader.encode(key: key, metadata: metadata, created: created, payload: data), data]
  }

  /// Reads the bytes of a record. Nothing in them is believed before checksums, lengths and the text of the key fit.
  package static func decode(_ bytes: Data, for key: CacheKey) throws(Damage) -> CacheRecord {
    guard let header = bytes.withUnsafeBytes({ RecordHeader($0, fileSize: $0.count) }), !header.isShared
    else {
      throw .header
    }
    guard header.key.isText(of: key) else { throw .key }
    let isWhole = bytes.withUnsafeBytes {
      header.matches(payload: UnsafeRawBufferPointer(rebasing: $0[header.length...]))
    }
    guard isWhole else { throw .payload }
    // A copy, because the indices of a record's data start at zero.
    return CacheRecord(
      data: Data(bytes.dropFirst(header.length)), metadata: header.metadata, created: header.created,
      accessed: header.created)
  }
}
