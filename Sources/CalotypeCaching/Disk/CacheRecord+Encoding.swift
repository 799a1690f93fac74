public import FoundationEssentials

extension CacheRecord {
  /// Returns the record as one piece of bytes, for caches elsewhere and for ``FlightOutcome/value(_:)``: the bytes of its file
  /// in a ``DiskCache``, with checksums.
  ///
  /// - Parameter key: The key of the record.
  /// - Throws: ``CachingError/keyTooLong(bytes:limit:)``, ``CachingError/metadataTooLarge(bytes:limit:)``.
  public func encoded(for key: CacheKey) throws(CachingError) -> Data {
    try PortableRecord.encode(data, metadata: metadata, for: key, created: created)
  }

  /// Reads the result of ``encoded(for:)``; `nil` when the bytes are damaged, cut off, of another format or of another key.
  public init?(encoded bytes: Data, for key: CacheKey) {
    guard let record = PortableRecord.decode(bytes, for: key) else { return nil }
    self = record
  }
}
