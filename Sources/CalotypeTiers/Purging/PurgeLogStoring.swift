public import CalotypeCaching
public import FoundationEssentials

/// The storage of a ``PurgeLog``: numbered entries, and snapshots. A bucket is one.
///
/// Entries are written once and never changed. Calls end by their own timeouts.
public protocol PurgeLogStoring: Sendable {
  /// Returns whether ``put(_:at:)`` refuses a number that is taken, as a probe at the start found out.
  ///
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func supportsConditionalWrites() async throws(CachingError) -> Bool

  /// Writes an entry at a number; without conditional writes, over one that is there.
  ///
  /// - Returns: `false` when the number is taken, or another write of it is under way (statuses 412 and 409).
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func put(_ entry: Data, at number: Int) async throws(CachingError) -> Bool

  /// Returns numbers of entries after `number`, ascending, at most 1,000.
  ///
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func numbers(after number: Int) async throws(CachingError) -> [Int]

  /// Returns the bytes of an entry; `nil` when there is none.
  ///
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func entry(at number: Int) async throws(CachingError) -> Data?

  /// Returns the snapshot with the largest number, and that number; `nil` when there is none.
  ///
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func newestSnapshot() async throws(CachingError) -> (number: Int, bytes: Data)?

  /// Writes a snapshot of everything up to a number.
  ///
  /// - Throws: `CachingError.failed` when the storage fails, `CachingError.cancelled`.
  func putSnapshot(_ bytes: Data, at number: Int) async throws(CachingError)
}
