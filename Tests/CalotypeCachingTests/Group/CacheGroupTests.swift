import CalotypeSupport
import FoundationEssentials
import Testing

@testable import CalotypeCaching

@Suite("Groups of caches")
struct CacheGroupTests {
  typealias Policy = CacheGroup.Policy

  private let key = CacheKey("a", source: "image")
  private let other = CacheKey("b", source: "image")
  private static let broken = CachingError.permissionDenied(path: "/broken")
  private static let full = CachingError.diskFull(path: "/full")

  private func group(_ tiers: [TestTier], _ policies: CacheGroup.Policies, fills: Bool = true) -> CacheGroup {
    CacheGroup(tiers, policies: policies, fillsHigherTiers: fills)
  }

  private func text(_ record: CacheRecord?) -> String? {
    record.map { String(decoding: $0.data, as: UTF8.self) }
  }

  /// Two tiers and three, every policy.
  static let cases: [(count: Int, policy: Policy)] = [2, 3].flatMap { count in
    Policy.allCases.map { (count, $0) }
  }

  /// The tiers that a policy names.
  private func named(_ policy: Policy, of count: Int) -> [Int] {
    switch policy {
    case .serial, .concurrent: Array(0..<count)
    case .highestOnly: [0]
    case .lowestOnly: [count - 1]
    }
  }

  @Test func defaultsAreThoseOfSDWebImage() {
    let policies = CacheGroup.Policies()
    #expect(policies.query == .serial && policies.store == .highestOnly && policies.remove == .concurrent)
    #expect(policies.contains == .serial && policies.clear == .concurrent)
  }

  // Questions.

  @Test(arguments: cases) func readsWhereThePolicySays(count: Int, policy: Policy) async throws {
    for holder in 0..<count {
      let tiers = (0..<count).map { TestTier($0 == holder ? [key: "\($0)"] : [:]) }
      let record = try await group(tiers, .init(query: policy), fills: false).read(key)
      let isNamed = named(policy, of: count).contains(holder)
      #expect(text(record) == (isNamed ? "\(holder)" : nil))
      for index in 0..<count {
        let isAsked =
          switch policy {
          case .serial: index <= holder
          case .concurrent: true
          case .highestOnly, .lowestOnly: named(policy, of: count).contains(index)
          }
        #expect(tiers[index].calls == (isAsked ? [.read] : []))
      }
    }
  }

  @Test(arguments: cases) func containsHasAPolicyOfItsOwn(count: Int, policy: Policy) async throws {
    for holder in 0..<count {
      let tiers = (0..<count).map { TestTier($0 == holder ? [key: "\($0)"] : [:]) }
      // The other verbs have another policy, which would lead elsewhere.
      let different: Policy = policy == .lowestOnly ? .highestOnly : .lowestOnly
      let policies = CacheGroup.Policies(
        query: different, store: different, remove: different, contains: policy, clear: different)
      let isNamed = named(policy, of: count).contains(holder)
      #expect(try await group(tiers, policies).contains(key) == isNamed)
      if policy == .serial {
        for index in 0..<count { #expect(tiers[index].calls == (index <= holder ? [.contains] : [])) }
      }
    }
  }

  @Test(arguments: cases) func nobodyHasIt(count: Int, policy: Policy) async throws {
    let tiers = (0..<count).map { _ in TestTier() }
    let group = group(tiers, .init(query: policy, contains: policy))
    #expect(try await group.read(key) == nil)
    #expect(try await !group.contains(key))
    for index in 0..<count {
      #expect(tiers[index].calls == (named(policy, of: count).contains(index) ? [.read, .contains] : []))
    }
  }

  @Test func theHighestWinsInTurn() async throws {
    let tiers = [TestTier(), TestTier([key: "1"]), TestTier([key: "2"])]
    #expect(text(try await group(tiers, .init()).read(key)) == "1")
    #expect(tiers[2].calls == [])
  }

  /// Each tier waits until all have been asked: in turn, that would never end.
  @Test(arguments: [2, 3]) func concurrentMeansAtOnce(count: Int) async throws {
    let policies = CacheGroup.Policies(
      query: .concurrent, store: .concurrent, remove: .concurrent, contains: .concurrent, clear: .concurrent)
    let tiers = (0..<count).map { _ in TestTier() }
    for verb in [TestTier.Verb.read, .contains, .store, .remove, .removeSelection, .clear, .flush] {
      let barrier = Barrier(count)
      for tier in tiers { tier.wait(in: verb, at: barrier) }
    }
    let group = group(tiers, policies)
    #expect(try await group.read(key) == nil)
    #expect(try await !group.contains(key))
    try await group.store(Data("x".utf8), metadata: .init(), for: key)
    #expect(try await group.remove(key))
    #expect(try await group.removeAll(.source("image")) == 0)
    #expect(try await group.removeAll() == 0)
    try await group.flush()
    let all: [TestTier.Verb] = [.read, .contains, .store, .remove, .removeSelection, .clear, .flush]
    #expect(tiers.allSatisfy { $0.calls == all })
  }

  /// The first tier never answers; that it is cancelled lets the call return.
  @Test func theFirstHitCancelsTheOthers() async throws {
    let slow = TestTier([key: "slow"])
    slow.wait(in: .read, at: Barrier(.max))
    slow.wait(in: .contains, at: Barrier(.max))
    let quick = TestTier([key: "quick"])
    let group = group([slow, quick], .init(query: .concurrent, contains: .concurrent))
    #expect(text(try await group.read(key)) == "quick")
    #expect(slow.text(key) == "slow" && !slow.calls.contains(.store))
    #expect(try await group.contains(key))
    #expect(group.statistics.failures == [0, 0])
  }

  // Changes.

  @Test(arguments: cases) func storesWhereThePolicySays(count: Int, policy: Policy) async throws {
    let tiers = (0..<count).map { _ in TestTier() }
    try await group(tiers, .init(store: policy)).store(
      Data("x".utf8), metadata: .init(tags: ["1"]), for: key)
    for index in 0..<count {
      let isNamed = named(policy, of: count).contains(index)
      #expect(tiers[index].text(key) == (isNamed ? "x" : nil))
      if isNamed { #expect(tiers[index].state.withLock { $0.records[key] }?.metadata.tags == ["1"]) }
    }
  }

  @Test(arguments: cases) func removesWhereThePolicySays(count: Int, policy: Policy) async throws {
    let tiers = (0..<count).map { _ in TestTier([key: "x", other: "y"]) }
    let group = group(tiers, .init(remove: policy))
    let named = named(policy, of: count)
    #expect(try await group.remove(key))
    for index in 0..<count { #expect(tiers[index].text(key) == (named.contains(index) ? nil : "x")) }
    #expect(try await !group.remove(key))
    #expect(try await group.removeAll(.source("image")) == named.count)
    for index in 0..<count { #expect(tiers[index].text(other) == (named.contains(index) ? nil : "y")) }
  }

  @Test(arguments: cases) func clearsWhereThePolicySays(count: Int, policy: Policy) async throws {
    let tiers = (0..<count).map { _ in TestTier([key: "x", other: "y"]) }
    let group = group(tiers, .init(clear: policy))
    #expect(try await group.removeAll() == 2 * named(policy, of: count).count)
    for index in 0..<count {
      #expect(tiers[index].text(key) == (named(policy, of: count).contains(index) ? nil : "x"))
    }
  }

  @Test func oneTierThatHadItIsEnough() async throws {
    #expect(try await group([TestTier(), TestTier([key: "x"]), TestTier()], .init()).remove(key))
  }

  // No tiers.

  @Test(arguments: Policy.allCases) func noTiersAnswerAtOnce(policy: Policy) async throws {
    let group = CacheGroup(
      [], policies: .init(query: policy, store: policy, remove: policy, contains: policy, clear: policy))
    #expect(try await group.read(key) == nil)
    #expect(try await !group.contains(key))
    try await group.store(Data(), metadata: .init(), for: key)
    #expect(try await !group.remove(key))
    #expect(try await group.removeAll(.tag("x")) == 0)
    #expect(try await group.removeAll() == 0)
    try await group.flush()
    #expect(!group.isReadOnly && group.statistics.failures == [])
  }

  // Records that rise.

  @Test func aLowerHitFillsTheHigherTiers() async throws {
    let tiers = [TestTier(), TestTier(), TestTier([key: "x"])]
    tiers[2].state.withLock { $0.records[key] = TestTier.record("x", metadata: .init(tags: ["1"])) }
    let group = group(tiers, .init())
    #expect(text(try await group.read(key)) == "x")
    for tier in tiers[..<2] {
      #expect(tier.state.withLock { $0.records[key] }?.metadata.tags == ["1"])
      #expect(tier.calls == [.read, .store])
    }
    #expect(tiers[2].calls == [.read])
    #expect(group.statistics.fills == 2)
    _ = try await group.read(key)
    #expect(tiers[2].calls == [.read] && group.statistics.fills == 2)
  }

  @Test func concurrentHitsFillThoseThatHaveNone() async throws {
    // Neither answers before both are asked.
    let barrier = Barrier(2)
    let tiers = [TestTier(), TestTier([key: "x"])]
    for tier in tiers { tier.wait(in: .read, at: barrier) }
    let group = group(tiers, .init(query: .concurrent))
    #expect(text(try await group.read(key)) == "x")
    #expect(tiers[0].text(key) == "x" && group.statistics.fills == 1)
    #expect(tiers[1].calls == [.read])
  }

  /// Somebody stores or removes while a lower tier is read.
  @Test func fillingCanBeTurnedOff() async throws {
    let tiers = [TestTier(), TestTier([key: "x"])]
    let group = group(tiers, .init(), fills: false)
    #expect(text(try await group.read(key)) == "x")
    #expect(tiers[0].calls == [.read] && group.statistics.fills == 0)
  }

  @Test func tiersThatWereNotAskedAreNotFilled() async throws {
    let tiers = [TestTier(), TestTier([key: "x"])]
    #expect(text(try await group(tiers, .init(query: .lowestOnly)).read(key)) == "x")
    #expect(tiers[0].calls == [])
  }

  @Test func containsFillsNothing() async throws {
    let tiers = [TestTier(), TestTier([key: "x"])]
    #expect(try await group(tiers, .init()).contains(key))
    #expect(tiers[0].calls == [.contains])
  }

  @Test func aFillThatFailsHidesNothing() async throws {
    let tiers = [TestTier(), TestTier([key: "x"])]
    tiers[0].fail(.store, with: Self.full)
    let group = group(tiers, .init())
    #expect(text(try await group.read(key)) == "x")
    #expect(group.statistics.failures == [1, 0])
    #expect(group.statistics.lastFailure == Self.full && group.statistics.fills == 0)
  }

  @Test(arguments: [("other", "x", 1), ("remove", nil, 0), ("removeAll", nil, 0), ("store", "y", 0)])
  func onlyChangesOfTheKeyUndoAFill(change: String, left: String?, fills: Int) async throws {
    let read = CacheKey("k")
    let barrier = Barrier(2)
    let tiers = [TestTier(), TestTier([read: "x"])]
    tiers[1].wait(in: .read, at: barrier)
    let group = group(tiers, .init())
    let reading = Task { try await group.read(read) }
    await barrier.reached()
    switch change {
    case "remove": try await group.remove(read)
    case "removeAll": try await group.removeAll()
    case "store": try await group.store(Data("y".utf8), metadata: RecordMetadata(), for: read)
    default: try await group.remove(CacheKey("other"))
    }
    // The record may have been on its way already.
    tiers[1].state.withLock { $0.records[read] = TestTier.record("x") }
    _ = await barrier.pass()
    #expect(text(try await reading.value) == "x")
    #expect(tiers[0].text(read) == left)
    #expect(group.statistics.fills == fills)
  }

  @Test func aFillTableForgetsWhatHasEnded() {
    var table = FillTable()
    let other = CacheKey("other")
    let mark = table.beginRead(key)
    table.beginChange(.key(other))
    #expect(mark.map { table.isCurrent(key, since: $0) } == true)
    // Begun within a change: what is read may be the old record.
    #expect(table.beginRead(other) == nil)
    table.endChange(.key(other))
    table.endRead(other)
    #expect(table.beginRead(other) != nil)
    table.beginChange(.all)
    #expect(mark.map { table.isCurrent(key, since: $0) } == false)
    table.endChange(.all)
    for key in [key, other] { table.endRead(key) }
    #expect(table.isIdle)
  }

  // Failures.

  @Test(arguments: [Policy.serial, .concurrent]) func aFailureHidesNoHit(policy: Policy) async throws {
    let tiers = [TestTier(), TestTier([key: "x"])]
    tiers[0].fail(.read, with: Self.broken)
    tiers[0].fail(.contains, with: Self.broken)
    let group = group(tiers, .init(query: policy, contains: policy))
    #expect(text(try await group.read(key)) == "x")
    #expect(try await group.contains(key))
    // A tier that cannot be read is not filled.
    #expect(tiers[0].text(key) == nil)
    if policy == .serial { #expect(group.statistics.failures == [2, 0]) }
  }

  @Test(arguments: [Policy.serial, .concurrent]) func failuresShowWhenNobodyHasIt(policy: Policy) async throws
  {
    let tiers = [TestTier(), TestTier(), TestTier()]
    for verb in [TestTier.Verb.read, .contains] {
      tiers[1].fail(verb, with: Self.broken)
      tiers[2].fail(verb, with: Self.full)
    }
    let group = group(tiers, .init(query: policy, contains: policy))
    await #expect(throws: Self.broken) { try await group.read(key) }
    await #expect(throws: Self.broken) { try await group.contains(key) }
    #expect(group.statistics.failures == [0, 2, 2])
  }

  @Test(arguments: [Policy.serial, .concurrent]) func changesAreTriedEverywhere(policy: Policy) async throws {
    let tiers = [TestTier([key: "x"]), TestTier([key: "x"]), TestTier([key: "x"])]
    for verb in [TestTier.Verb.store, .remove, .removeSelection, .clear, .flush] {
      tiers[0].fail(verb, with: Self.broken)
      tiers[1].fail(verb, with: Self.full)
    }
    let group = group(tiers, .init(store: policy, remove: policy, clear: policy))
    await #expect(throws: Self.broken) { try await group.store(Data("y".utf8), metadata: .init(), for: key) }
    #expect(tiers.map { $0.text(key) } == ["x", "x", "y"])
    await #expect(throws: Self.broken) { try await group.remove(key) }
    #expect(tiers.map { $0.text(key) } == ["x", "x", nil])
    await #expect(throws: Self.broken) { try await group.removeAll(.source("image")) }
    await #expect(throws: Self.broken) { try await group.removeAll() }
    await #expect(throws: Self.broken) { try await group.flush() }
    #expect(tiers.allSatisfy { $0.calls == [.store, .remove, .removeSelection, .clear, .flush] })
    #expect(group.statistics.failures == [5, 5, 0])
  }

  // Cancellation.

  @Test(arguments: [Policy.serial, .concurrent]) func cancelledWhileTiersWait(policy: Policy) async throws {
    let never = Barrier(.max)
    let tiers = [TestTier(), TestTier()]
    for tier in tiers { tier.wait(in: .read, at: never) }
    let group = group(tiers, .init(query: policy))
    let task = Task { try await group.read(key) }
    await never.reached()
    task.cancel()
    await #expect(throws: CachingError.cancelled) { try await task.value }
    #expect(tiers[0].wasCancelled || policy == .concurrent)
    if policy == .serial { #expect(tiers[1].calls == []) }
    #expect(group.statistics.failures == [0, 0])
  }

  @Test(arguments: Policy.allCases) func cancelledBefore(policy: Policy) async throws {
    let tiers = [TestTier([key: "x"]), TestTier([key: "x"])]
    let group = group(
      tiers, .init(query: policy, store: policy, remove: policy, contains: policy, clear: policy))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CachingError.cancelled) { try await group.read(key) }
      await #expect(throws: CachingError.cancelled) { try await group.contains(key) }
      await #expect(throws: CachingError.cancelled) {
        try await group.store(Data(), metadata: .init(), for: key)
      }
      await #expect(throws: CachingError.cancelled) { try await group.remove(key) }
      await #expect(throws: CachingError.cancelled) { try await group.removeAll() }
    }
    await task.value
    #expect(tiers.allSatisfy { $0.calls == [] })
  }

  // Groups in groups.

  @Test func aGroupIsACache() async throws {
    let lower = [TestTier(), TestTier([key: "x"])]
    let upper = TestTier()
    let group = CacheGroup([upper, CacheGroup(lower)])
    #expect(text(try await group.read(key)) == "x")
    #expect(upper.text(key) == "x" && lower[0].text(key) == "x")
  }
}
