public import CalotypeCaching

/// Tells nodes of new entries of the log of purges at once, and numbers them where the storage cannot. Redis does.
///
/// Announcements are hints, which may be lost or wrong: the log reads the entry from its storage, finds gaps, and polls.
public protocol PurgeAnnouncing: Sendable {
  /// Announces the number of an entry that is in the storage.
  func announce(_ number: Int) async

  /// Registers the function that is called with announced numbers, also with own ones. It must not block.
  func receive(_ body: @escaping @Sendable (_ number: Int) -> Void)

  /// Returns a number that no other call returns, larger than `number`.
  ///
  /// - Throws: `CachingError.failed` when there is no connection, `CachingError.cancelled`.
  func nextNumber(after number: Int) async throws(CachingError) -> Int
}
