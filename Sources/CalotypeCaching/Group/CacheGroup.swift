import CalotypeSupport
public import FoundationEssentials

/// Several caches as one, with a policy for each verb.
///
/// The first tier is the highest. A record that is found in a lower tier is stored into the higher ones that were asked
/// before and had none, so that it is found there next time. Tiers that are only read are asked, and left out of all
/// else: `highestOnly` is then the highest that is written.
///
/// A tier that fails does not hide what another has: questions throw only if no tier has an answer. What is to be
/// changed is tried in every tier that the policy names, and then the first error is thrown: after it, tiers may
/// differ. A group without tiers answers at once that there is nothing, and takes whatever is stored without keeping
/// it.
///
/// ```swift
/// let cache = CacheGroup([memory, disk, ReadOnlyCache(delivered)], policies: .init(store: .concurrent))
/// ```
public struct CacheGroup: DataCaching {
  /// The tiers, the highest first.
  public let tiers: [any DataCaching]
  /// A policy for each verb.
  public let policies: Policies
  /// Whether records that are found in a lower tier are stored into higher ones.
  public let fillsHigherTiers: Bool

  let book: Book

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - tiers: The highest first.
  ///   - policies: A policy for each verb.
  ///   - fillsHigherTiers: Whether records that are found in a lower tier are stored into higher ones.
  public init(_ tiers: [any DataCaching], policies: Policies = Policies(), fillsHigherTiers: Bool = true) {
    self.tiers = tiers
    self.policies = policies
    self.fillsHigherTiers = fillsHigherTiers
    book = Book(tierCount: tiers.count)
  }

  /// What the group did that its callers did not see.
  public var statistics: Statistics { book.statistics.withLock { $0 } }

  /// Whether there is no tier that is written.
  public var isReadOnly: Bool { !tiers.isEmpty && tiers.allSatisfy(\.isReadOnly) }

  /// The record of a key in one of the tiers that ``Policies/query`` names.
  ///
  /// With ``Policy/concurrent``, the first answer counts, which may be older than what a slower tier has.
  /// A record that is stored into higher tiers is there when the call returns; that this fails shows in ``statistics``
  /// only. With ``Policy/concurrent``, the call returns when all tiers have, those that were cancelled too.
  ///
  /// - Throws: The first error, if there is one and no tier has a record.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    let mark = book.fills.withLock { $0.beginRead(key) }
    defer { book.fills.withLock { $0.endRead(key) } }
    let answer = try await ask(policies.query) { tier throws(CachingError) in try await tier.read(key) }
    guard let answer else { return nil }
    if fillsHigherTiers, let mark {
      for index in answer.misses.sorted() where index < answer.tier && !tiers[index].isReadOnly {
        // What was stored or removed since is newer than what was found.
        guard book.fills.withLock({ $0.isCurrent(key, since: mark) }) else { break }
        do throws(CachingError) {
          try await tiers[index].store(answer.value.data, metadata: answer.value.metadata, for: key)
          book.noteFill()
          // Or it was while we filled: then a miss is right, and harmless.
          if !book.fills.withLock({ $0.isCurrent(key, since: mark) }) { try await tiers[index].remove(key) }
        } catch {
          book.note(error, of: index)
        }
      }
    }
    return answer.value
  }

  /// Whether one of the tiers that ``Policies/contains`` names has a record.
  ///
  /// - Throws: The first error, if there is one and no tier has a record.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await ask(policies.contains) { tier throws(CachingError) in try await tier.contains(key) ? true : nil
    } != nil
  }

  /// Stores a record into the tiers that ``Policies/store`` names.
  ///
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/onlyRead`` when no tier is written.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    _ = try await change(policies.store, of: .key(key)) { tier throws(CachingError) in
      try await tier.store(data, metadata: metadata, for: key)
    }
  }

  /// Removes the record of a key from the tiers that ``Policies/remove`` names.
  ///
  /// - Returns: Whether one of them had it.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/onlyRead`` when no tier is written.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await change(policies.remove, of: .key(key)) { tier throws(CachingError) in try await tier.remove(key)
    }.contains(
      true)
  }

  /// Removes the records of a selection from the tiers that ``Policies/remove`` names.
  ///
  /// - Returns: How many there were, in all tiers together.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/onlyRead`` when no tier is written.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    try await change(policies.remove, of: .all) { tier throws(CachingError) in
      try await tier.removeAll(selection)
    }
    .reduce(0, +)
  }

  /// Removes all records from the tiers that ``Policies/clear`` names.
  ///
  /// - Returns: How many there were, in all tiers together.
  /// - Throws: The first error of a tier, after all were tried; ``CachingError/onlyRead`` when no tier is written.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    try await change(policies.clear, of: .all) { tier throws(CachingError) in try await tier.removeAll() }
      .reduce(0, +)
  }

  /// Waits until everything that was stored is where it stays, in all tiers that are written.
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
    /// Sees to it that no filling undoes a store or a removal.
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
