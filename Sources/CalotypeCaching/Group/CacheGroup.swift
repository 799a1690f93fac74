import CalotypeSupport
public import FoundationEssentials

/// Combines several caches into one, with a policy for each operation.
///
/// The first tier is the highest. A record that is found in a lower tier is stored into the higher ones that were asked
/// before and had none, so that it is found there next time. Read-only tiers take part in look-ups only; for changes,
/// `highestOnly` means the highest writable tier.
///
/// A tier that fails does not hide the answer of another: look-ups throw only if no tier has an answer. A change is
/// attempted in every tier that the policy selects, and then the first error is thrown; tiers may differ after it. A
/// group without tiers is always empty, and discards stored records.
///
/// ```swift
/// let cache = CacheGroup([memory, disk, ReadOnlyCache(delivered)], policies: .init(store: .concurrent))
/// ```
public struct CacheGroup: DataCaching {
  /// The tiers, the highest first.
  public let tiers: [any DataCaching]
  /// A policy for each operation.
  public let policies: Policies
  /// Whether records that are found in a lower tier are stored into higher ones.
  public let fillsHigherTiers: Bool

  let book: Book

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - tiers: The highest first.
  ///   - policies: A policy for each operation.
  ///   - fillsHigherTiers: Whether records that are found in a lower tier are stored into higher ones.
  public init(_ tiers: [any DataCaching], policies: Policies = Policies(), fillsHigherTiers: Bool = true) {
    self.tiers = tiers
    self.policies = policies
    self.fillsHigherTiers = fillsHigherTiers
    book = Book(tierCount: tiers.count)
  }

  /// Fills and failures that callers do not see.
  public var statistics: Statistics { book.statistics.withLock { $0 } }

  /// Whether no tier is writable.
  public var isReadOnly: Bool { !tiers.isEmpty && tiers.allSatisfy(\.isReadOnly) }

  /// Returns the record of a key from one of the tiers that ``Policies/query`` selects.
  ///
  /// With ``Policy/concurrent``, the first answer counts, which may be older than what a slower tier has. A record that
  /// fills higher tiers is stored there before the call returns. A failure to do so shows only in ``statistics``. With
  /// ``Policy/concurrent``, the call returns after all tiers have returned, including cancelled ones.
  ///
  /// - Throws: The first error, if there is one and no tier has a record.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await read(key) { _ in true }
  }

  /// Returns an acceptable record of a key from one of the tiers that ``Policies/query`` selects, as ``read(_:)`` does. A tier
  /// whose record is not acceptable counts as a tier without one.
  ///
  /// - Throws: The first error, if there is one and no tier has an acceptable record.
  public func read(
    _ key: CacheKey, where isUsable: @escaping @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord? {
    let mark = book.fills.withLock { $0.beginRead(key) }
    defer { book.fills.withLock { $0.endRead(key) } }
    let answer = try await ask(policies.query) { tier throws(CachingError) in
      try await tier.read(key, where: isUsable)
    }
    guard let answer else { return nil }
    if fillsHigherTiers, let mark {
      for index in answer.misses.sorted() where index < answer.tier && !tiers[index].isReadOnly {
        // A record that was stored or removed meanwhile is newer than this one.
        guard book.fills.withLock({ $0.isCurrent(key, since: mark) }) else { break }
        do throws(CachingError) {
          try await tiers[index].store(answer.value.data, metadata: answer.value.metadata, for: key)
          book.noteFill()
          // If that happened during the fill, a miss is correct and harmless.
          if !book.fills.withLock({ $0.isCurrent(key, since: mark) }) { try await tiers[index].remove(key) }
        } catch {
          book.note(error, of: index)
        }
      }
    }
    return answer.value
  }

  /// Returns whether one of the tiers that ``Policies/contains`` selects has a record.
  ///
  /// - Throws: The first error, if there is one and no tier has a record.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await ask(policies.contains) { tier throws(CachingError) in try await tier.contains(key) ? true : nil
    } != nil
  }

  /// Stores a record into the tiers that ``Policies/store`` selects.
  ///
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/cacheIsReadOnly`` when no tier is
  ///   writable.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    _ = try await change(policies.store, of: .key(key)) { tier throws(CachingError) in
      try await tier.store(data, metadata: metadata, for: key)
    }
  }

  /// Removes the record of a key from the tiers that ``Policies/remove`` selects.
  ///
  /// - Returns: Whether any of them had it.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/cacheIsReadOnly`` when no tier is
  ///   writable.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await change(policies.remove, of: .key(key)) { tier throws(CachingError) in try await tier.remove(key)
    }.contains(
      true)
  }

  /// Removes the records of a selection from the tiers that ``Policies/remove`` selects.
  ///
  /// - Returns: The number of records, summed over all tiers.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/cacheIsReadOnly`` when no tier is
  ///   writable.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    try await change(policies.remove, of: .all) { tier throws(CachingError) in
      try await tier.removeAll(selection)
    }
    .reduce(0, +)
  }

  /// Removes all records from the tiers that ``Policies/clear`` selects.
  ///
  /// - Returns: The number of records, summed over all tiers.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/cacheIsReadOnly`` when no tier is
  ///   writable.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    try await change(policies.clear, of: .all) { tier throws(CachingError) in try await tier.removeAll() }
      .reduce(0, +)
  }

  /// Waits until all stored records are durable in all writable tiers.
  ///
  /// - Throws: The first error of a tier, after all were tried.
  public func flush() async throws(CachingError) {
    if isReadOnly { return }
    _ = try await change(.concurrent, of: .none) { tier throws(CachingError) in try await tier.flush() }
  }

  func note(_ error: CachingError, of tier: Int) { book.note(error, of: tier) }

  /// The statistics, which all copies of a group share.
  final class Book: Sendable {
    let statistics: Lock<Statistics>
    /// Prevents fills from undoing a store or a removal.
    let fills = Lock(FillTable())

    init(tierCount: Int) {
      statistics = Lock(Statistics(failures: Array(repeating: 0, count: tierCount)))
    }

    func noteFill() {
      statistics.withLock { $0.fills += 1 }
    }

    func note(_ error: CachingError, of tier: Int) {
      guard error != .cancelled else { return }
      statistics.withLock { statistics in
        statistics.failures[tier] += 1
        statistics.lastFailure = error
      }
    }
  }
}
