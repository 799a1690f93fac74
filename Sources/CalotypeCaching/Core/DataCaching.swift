public import FoundationEssentials

/// Keeps encoded bytes under keys: originals and encoded results. ``DiskCache`` is the one on disk.
///
/// Conform to keep them somewhere else. Misses, records that are too old and records that are damaged read as `nil`;
/// errors are for what may interest an operator. Bytes come back exactly as they were stored, or not at all. No call
/// goes on waiting when its task is cancelled.
public protocol DataCaching: Sendable {
  /// Whether it is only read: what would be stored or removed is refused. `false` unless a type says otherwise.
  var isReadOnly: Bool { get }

  /// The record of a key, or `nil`; counts as an access.
  func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord?

  /// Stores a record, replacing the one the key had; when it returns, the record can be read.
  func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError)

  /// Whether there is a record that could be read; no access.
  func contains(_ key: CacheKey) async throws(CachingError) -> Bool

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult func remove(_ key: CacheKey) async throws(CachingError) -> Bool

  /// Removes the records of a selection.
  ///
  /// - Returns: How many there were.
  @discardableResult func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int

  /// Removes all records.
  ///
  /// - Returns: How many there were.
  @discardableResult func removeAll() async throws(CachingError) -> Int

  /// Waits until everything that was stored is where it stays: on the device, for a cache on disk, so that a loss of
  /// power does not undo it.
  ///
  /// - Throws: ``CachingError/cancelled`` at once when the task is cancelled, so that a program that ends need not wait
  ///   for a device that does not answer; what was stored goes on.
  func flush() async throws(CachingError)
}

extension DataCaching {
  /// `false`.
  public var isReadOnly: Bool { false }
}
