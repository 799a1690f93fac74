public import FoundationEssentials

extension CacheRecord {
  /// Returns the record as one piece of bytes, for caches elsewhere and for ``FlightOutcome/value(_:)``: the bytes of its file
  /// in a ``DiskCache``, with checksums.
  ///
  /// - Parameter key: The key of the record.
  /// - Throws: ``CachingError/keyTooLong(bytes:limit:)``, ``CachingError/metadataTooLarge(bytes:limit:)``.
  public func encoded(for key: CacheKey) throws(CachingError) -> Data {
    let pieces = try PortableRecord.encode(data, metadata: metadata, for: key, created: created)
    return pieces.reduce(into: Data()) { $0 += $1 }
  }

  /// Reads the result of ``encoded(for:)``; `nil` when the bytes are damaged, cut off, of another format or of another key.
  public init?(encoded bytes: Data, for key: CacheKey) {
    guard let record = try? PortableRecord.decode(bytes, for: key) else { return nil }
    self = record
  }
}
