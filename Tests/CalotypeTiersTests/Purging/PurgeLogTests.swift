import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeTiers

/// The log of purges over a shared storage.
@Suite struct PurgeLogTests {
  private static func purge(_ tag: String, _ mode: SharedPurge.Mode = .stale) -> SharedPurge {
    SharedPurge(.selection(.tag(tag)), mode: mode, time: Date(timeIntervalSince1970: 1_000))
  }

  /// What a log has told.
  private final class Heard: Sendable {
    let purges = Lock<[SharedPurge]>([])
    let calls = Lock<[Int]>([])
    func note(_ more: [SharedPurge]) {
      purges.withLock { $0 += more }
      calls.withLock { $0.append(more.count) }
    }
    var tags: [String] {
      purges.withLock { $0 }.map { if case .selection(.tag(let tag)) = $0.scope { tag } else { "*" } }
    }
  }

  private let store = FakePurgeStore()

  @Test func aPurgeReachesOtherNodesWithThePoll() async throws {
    let time = ManualTime()
    let one = PurgeLog(storage: store)
    let other = PurgeLog(storage: store, clock: time.clock)
    try await one.start()
    try await other.start()
    let heard = Heard()
    let observation = other.observe { heard.note($0) }
    let polling = Task { await other.run() }
    defer { polling.cancel() }
    try await time.clock.waitForSleepers()
    #expect(try await one.append(Self.purge("t", .gone)) == 1)
    #expect(one.verdict(source: "s", tags: ["t"], at: 0) == .gone)
    #expect(one.verdict(source: "s", tags: ["t"], at: 1) == .valid)
    #expect(other.verdict(source: "s", tags: ["t"], at: 0) == .valid)
    time.advance(by: .seconds(12))
    try await time.clock.waitForSleepers()
    #expect(other.verdict(source: "s", tags: ["t"], at: 0) == .gone)
    #expect(other.position == 1)
    #expect(heard.tags == ["t"])
    withExtendedLifetime(observation) {}
  }

  @Test func announcementsArriveAtOnce() async throws {
    let announcer = FakeAnnouncer()
    let time = ManualTime()
    let one = PurgeLog(storage: store, announcing: announcer, clock: time.clock)
    let other = PurgeLog(storage: store, announcing: announcer, clock: time.clock)
    try await one.start()
    try await other.start()
    let running = Task { await other.run() }
    defer { running.cancel() }
    // The first poll is over.
    try await time.clock.waitForSleepers()
    let lists = store.state.withLock { $0.lists }
    _ = try await one.append(Self.purge("a"))
    try await eventually { other.position == 1 }
    // An announcement is a hint; the entry is that of the storage.
    #expect(store.state.withLock { $0.reads } == 1)
    // The storage has none of this number.
    await announcer.announce(2)
    try await eventually { store.state.withLock { $0.reads } == 2 }
    // One is lost: the next shows the gap.
    announcer.state.withLock { $0.drops = true }
    _ = try await one.append(Self.purge("b"))
    announcer.state.withLock { $0.drops = false }
    _ = try await one.append(Self.purge("c"))
    try await eventually { other.position == 3 }
    #expect(other.verdict(source: "s", tags: ["b"], at: 1) == .stale)
    #expect(store.state.withLock { $0.lists } > lists)
  }

  @Test func numbersThatNoLogReachesCountAsNone() async throws {
    var table = PurgeTable()
    for number in [Int.max, Int.max - 1, PurgeTable.highestNumber + 1] {
      #expect(table.apply(Self.purge("a"), number: number) == .refused)
      #expect(RedisPurgeChannel.parse(Array(String(number).utf8)) == nil)
      let snapshot = Data(#"{"gone":0,"marks":[],"position":\#(number),"stale":0,"v":1}"#.utf8)
      #expect(PurgeEntryCoding.table(snapshot, at: number) == nil)
    }
    #expect(table.position == 0 && table.lastNumber == 0)
    let snapshot = Data(#"{"gone":0,"marks":[],"position":7,"stale":0,"v":1}"#.utf8)
    #expect(PurgeEntryCoding.table(snapshot, at: 7)?.position == 7)
  }

  /// Announcements of a node may be lost without a trace.
  @Test func pollsAtItsPaceAlthoughPurgesAreAnnounced() async throws {
    let time = ManualTime()
    let log = PurgeLog(storage: store, announcing: FakeAnnouncer(), clock: time.clock)
    try await log.start()
    let running = Task { await log.run() }
    defer { running.cancel() }
    try await time.clock.waitForSleepers()
    let pause = try #require(time.clock.advanceToNextDeadline())
    #expect(pause >= .seconds(8) && pause <= .seconds(12))
  }

  @Test func takenNumbersAreAppliedAndPassed() async throws {
    let log = PurgeLog(storage: store)
    try await log.start()
    let store = store
    // Another node is faster three times.
    store.state.withLock { state in
      state.beforePut = { number in if number <= 3 { store.write(Self.purge("other\(number)"), at: number) } }
    }
    let heard = Heard()
    let observation = log.observe { heard.note($0) }
    #expect(try await log.append(Self.purge("own")) == 4)
    #expect(log.position == 4)
    #expect(heard.tags == ["other1", "other2", "other3"])
    #expect(log.verdict(source: "", tags: ["other2"], at: 1) == .stale)
    withExtendedLifetime(observation) {}
  }

  @Test func givesUpAfterSixteenTries() async throws {
    let log = PurgeLog(storage: store)
    try await log.start()
    let store = store
    store.state.withLock { $0.beforePut = { store.write(Self.purge("x"), at: $0) } }
    await #expect(throws: CachingError.self) { try await log.append(Self.purge("own")) }
    #expect(store.state.withLock { $0.puts } == 16)
    #expect(log.position == 16)
  }

  @Test func simultaneousPurgesGetTheirOwnNumbers() async throws {
    let logs = (0..<4).map { _ in PurgeLog(storage: store) }
    for log in logs { try await log.start() }
    let numbers = try await withThrowingTaskGroup { group in
      for (index, log) in logs.enumerated() {
        for round in 0..<4 { group.addTask { try await log.append(Self.purge("\(index)-\(round)")) } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(numbers.sorted() == Array(1...16))
    for log in logs {
      await log.poll()
      #expect(log.position == 16)
      for index in 0..<4 { #expect(log.verdict(source: "", tags: ["\(index)-3"], at: 0) == .stale) }
    }
    // The same table everywhere.
    let tables = logs.map { $0.book.withLock { $0.table } }
    #expect(tables.allSatisfy { $0 == tables[0] })
  }

  @Test func withoutConditionsRedisNumbers() async throws {
    store.state.withLock { $0.isConditional = false }
    let alone = PurgeLog(storage: store)
    try await alone.start()
    await #expect {
      try await alone.append(Self.purge("t"))
    } throws: {
      ($0 as? CachingError)?.isRetryable == false && "\($0)".contains("unsupported")
    }
    let announcer = FakeAnnouncer()
    let log = PurgeLog(storage: store, announcing: announcer)
    try await log.start()
    #expect(try await log.append(Self.purge("a")) == 1)
    // Redis has lost its number.
    announcer.state.withLock { $0.number = 0 }
    #expect(try await log.append(Self.purge("b")) == 2)
    #expect(store.state.withLock { $0.entries.count } == 2)
  }

  /// A number that its node never wrote holds the position, for a time.
  @Test func lostNumbersAreSkipped() async throws {
    store.state.withLock { $0.isConditional = false }
    let time = ManualTime()
    let log = PurgeLog(storage: store, clock: time.clock)
    try await log.start()
    store.write(Self.purge("a"), at: 1)
    store.write(Self.purge("c"), at: 3)
    await log.poll()
    #expect(log.position == 1)
    #expect(log.verdict(source: "", tags: ["c"], at: 1) == .stale)
    time.advance(by: .seconds(59))
    await log.poll()
    #expect(log.position == 1)
    time.advance(by: .seconds(2))
    await log.poll()
    #expect(log.position == 3)
    #expect(log.statistics.skipped == 1)
  }

  @Test func startsFromASnapshot() async throws {
    let writer = PurgeLog(
      storage: store, announcing: nil,
      configuration: {
        var configuration = PurgeLog.Configuration()
        configuration.snapshotInterval = 50
        return configuration
      }(), clock: ContinuousClock())
    try await writer.start()
    for number in 1...120 { _ = try await writer.append(Self.purge("t\(number)")) }
    #expect(store.state.withLock { $0.snapshots.keys.sorted() } == [50, 100])
    // Old entries have expired.
    store.state.withLock { state in for number in 1...90 { state.entries[number] = nil } }
    let reads = store.state.withLock { $0.reads }
    let log = PurgeLog(storage: store)
    let heard = Heard()
    let observation = log.observe { heard.note($0) }
    try await log.start()
    #expect(log.position == 120)
    #expect(store.state.withLock { $0.reads } - reads == 20)
    #expect(log.verdict(source: "", tags: ["t7"], at: 6) == .stale)
    #expect(heard.tags.count == 120)
    withExtendedLifetime(observation) {}
  }

  @Test func expiredEntriesWithoutASnapshotPurgeEverything() async throws {
    store.write(Self.purge("t"), at: 5_000)
    let log = PurgeLog(storage: store)
    let heard = Heard()
    let observation = log.observe { heard.note($0) }
    try await log.start()
    #expect(log.position == 5_000)
    #expect(log.verdict(source: "any", tags: [], at: 4_998) == .stale)
    #expect(log.verdict(source: "any", tags: [], at: 4_999) == .valid)
    #expect(heard.tags == ["*", "t"])
    withExtendedLifetime(observation) {}
  }

  /// A node that slept tells its disk cache what it has missed, and no more.
  @Test func sleepersHearOfWhatTheyMissed() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "position")
    let one = PurgeLog(storage: store, configuration: .init(positionFile: file))
    try await one.start()
    _ = try await one.append(Self.purge("a"))
    _ = try await one.append(Self.purge("b"))
    await one.positionFile?.settle()
    #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == "2\n")
    store.write(Self.purge("c"), at: 3)
    let again = PurgeLog(storage: store, configuration: .init(positionFile: file))
    let heard = Heard()
    let observation = again.observe { heard.note($0) }
    try await again.start()
    #expect(heard.tags == ["c"])
    #expect(again.verdict(source: "", tags: ["a"], at: 0) == .stale)
    await again.positionFile?.settle()
    for text in ["", "x\n", "-1\n", "5", String(repeating: "9", count: 31) + "\n"] {
      try Data(text.utf8).write(to: file)
      #expect(await PositionFile(file.path).load() == nil, "\(text)")
    }
    withExtendedLifetime(observation) {}
  }

  /// Until the storage was read, records count as stale; a storage that is away later is forgiven.
  @Test func anUnreadLogTrustsNothingFromBeforeItsStart() async throws {
    store.write(Self.purge("u"), at: 1)
    store.state.withLock { $0.isDown = true }
    let log = PurgeLog(storage: store)
    await #expect(throws: CachingError.self) { try await log.start() }
    #expect(!log.isCurrent && log.age == nil)
    #expect(log.verdict(source: "s", tags: [], at: 5) == .stale)
    // Records since the start carry a position that is this log's alone, so that each is asked for once.
    let own = log.position
    #expect(own < 0)
    #expect(log.verdict(source: "s", tags: ["u"], at: own) == .valid)
    let other = PurgeLog(storage: store)
    await #expect(throws: CachingError.self) { try await other.start() }
    #expect(other.position != own)
    #expect(other.verdict(source: "s", tags: [], at: own) == .stale)
    await log.poll()
    #expect(log.statistics.failedPolls == 1)
    store.state.withLock { $0.isDown = false }
    await log.poll()
    #expect(log.isCurrent && log.position == 1 && log.age != nil)
    #expect(log.verdict(source: "s", tags: [], at: 5) == .valid)
    // From now on they are older than all entries.
    for log in [log, other] {
      await log.poll()
      #expect(log.verdict(source: "s", tags: [], at: own) == .valid)
      #expect(log.verdict(source: "s", tags: ["u"], at: own) == .stale)
    }
    store.state.withLock { $0.isDown = true }
    await log.poll()
    #expect(log.verdict(source: "s", tags: [], at: 5) == .valid)
    await #expect(throws: CachingError.self) { try await log.append(Self.purge("t")) }
    #expect(log.verdict(source: "s", tags: ["t"], at: 0) == .valid)
  }

  @Test func observersAreToldInPieces() async throws {
    for number in 1...2_500 { store.write(Self.purge("t\(number)"), at: number) }
    let log = PurgeLog(storage: store)
    let heard = Heard()
    do {
      let observation = log.observe { heard.note($0) }
      try await log.start()
      withExtendedLifetime(observation) {}
    }
    #expect(heard.calls.withLock { $0.reduce(0, +) } == 2_500)
    #expect(heard.calls.withLock { $0.max() } == 1_000)
    store.write(Self.purge("later"), at: 2_501)
    await log.poll()
    #expect(log.position == 2_501)
    #expect(heard.calls.withLock { $0.reduce(0, +) } == 2_500)
  }
}
