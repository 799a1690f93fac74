/// The log of purges that all nodes share and apply in the same order.
///
/// Its entries are numbered from 1. A record carries the number of the last entry that its node had applied when the origin
/// was asked (``RecordMetadata/position``), and is valid while no later entry selects it. No clock is compared: a node that
/// lags behind purges too much, never too little.
public protocol PurgeLogging: Sendable {
  /// The number of the last applied entry, before which none is missing; 0 before the first one. Read it before the origin
  /// is asked, and store it with the record. A node that has not read the log yet may return a negative number of its own, which
  /// counts as 0 at all other nodes.
  var position: Int { get }

  /// Returns whether a record may be used; O(1) in the number of entries. Takes no hop, and never waits.
  ///
  /// - Parameters:
  ///   - source: The source of the record.
  ///   - tags: The tags of the record.
  ///   - position: The position of the record; `nil`, and a negative one of another node, count as 0.
  func verdict(source: String, tags: [String], at position: Int?) -> PurgeVerdict

  /// Appends an entry and applies it here. Other nodes apply it when they hear of it.
  ///
  /// - Returns: The number of the entry.
  /// - Throws: ``CachingError/failed(operation:reason:isRetryable:)`` when the log cannot be reached, or has nothing that
  ///   orders the entries of several nodes; ``CachingError/cancelled``.
  func append(_ purge: SharedPurge) async throws(CachingError) -> Int

  /// Registers a function that is told of entries of other nodes after they were applied, in order, so that caches without
  /// positions follow.
  ///
  /// Each call gets at most 1,000 entries. When a node has missed more than the log keeps, one entry stands for the others,
  /// with ``SharedPurge/Scope/all``. The function must not block: the log waits for it.
  ///
  /// - Returns: The registration, which ends when it is released.
  func observe(_ body: @escaping @Sendable ([SharedPurge]) -> Void) -> PurgeObservation
}
