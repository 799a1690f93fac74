public import CalotypeCaching
public import FoundationEssentials

/// Tells nodes of new entries of the log of purges at once, and numbers them where the storage cannot. Redis does.
///
/// Announcements may be lost: the log finds the gap, or polls.
public protocol PurgeAnnouncing: Sendable {
  /// Announces an entry.
  func announce(_ entry: Data, number: Int) async

  /// Registers the function that is called with announced entries, also with own ones. It must not block.
  func receive(_ body: @escaping @Sendable (_ entry: Data, _ number: Int) -> Void)

  /// Returns a number that no other call returns, larger than `number`.
  ///
  /// - Throws: `CachingError.failed` when there is no connection, `CachingError.cancelled`.
  func nextNumber(after number: Int) async throws(CachingError) -> Int
}
