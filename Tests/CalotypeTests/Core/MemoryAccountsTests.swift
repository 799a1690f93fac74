import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

@Suite("Memory accounts", .timeLimit(.minutes(5)))
struct MemoryAccountsTests {
  /// Beside a macro, which cannot change what it looks at.
  private func expect(_ expected: Bool, _ actual: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(actual == expected, sourceLocation: location)
  }

  @Test("an account may take what others leave, but for their floors")
  func floors() {
    var accounts = MemoryLedger(limit: 800)
    #expect(accounts.room(for: .encoded) == 800 - 400 - 100)
    #expect(accounts.room(for: .decoded) == 800 - 200 - 100)
    #expect(accounts.room(for: .arriving) == 500)
    // What arrives leaves others their floors.
    expect(true, accounts.reserve(400, in: .arriving))
    #expect(accounts.room(for: .encoded) == 300)
    #expect(accounts.room(for: .stores) == 200)
    accounts.release(400, from: .arriving)
    expect(true, accounts.reserve(300, in: .encoded))
    expect(false, accounts.reserve(1, in: .encoded))
    // The floor of the others is theirs.
    expect(true, accounts.reserve(400, in: .decoded))
    expect(true, accounts.reserve(100, in: .stores))
    #expect(accounts.total == 800)
    expect(false, accounts.reserve(1, in: .decoded))
    accounts.release(100, from: .encoded)
    expect(true, accounts.reserve(100, in: .decoded))
  }

  @Test("more than its share: alone beside encoded bytes, never beyond the limit")
  func alone() {
    var accounts = MemoryLedger(limit: 800)
    expect(true, accounts.reserve(50, in: .encoded))
    expect(false, accounts.reserve(700, in: .decoded))
    expect(true, accounts.reserveAlone(700, in: .decoded))
    expect(false, accounts.reserveAlone(1, in: .decoded))
    accounts.release(700, from: .decoded)
    expect(false, accounts.reserveAlone(751, in: .decoded))
  }

  @Test("100,000 random steps: the sum is what is held and never above the limit; floors are always there")
  func random() {
    var random = SeededGenerator(seed: 3)
    var accounts = MemoryLedger(limit: 10_000, ceilings: [.encoded: 3_000])
    var held: [(account: MemoryLedger.Account, bytes: Int)] = []
    for _ in 0..<100_000 {
      if held.isEmpty || Bool.random(using: &random) {
        guard let account = MemoryLedger.Account.allCases.randomElement(using: &random) else { continue }
        let bytes = Int.random(in: 0...3_000, using: &random)
        let room = accounts.room(for: account)
        let isTaken = accounts.reserve(bytes, in: account)
        #expect(isTaken == (bytes <= room))
        if isTaken { held.append((account, bytes)) }
      } else {
        let gone = held.remove(at: .random(in: held.indices, using: &random))
        accounts.release(gone.bytes, from: gone.account)
      }
      #expect(accounts.total == held.reduce(0) { $0 + $1.bytes })
      #expect(accounts.total <= 10_000)
      for account in MemoryLedger.Account.allCases {
        #expect(accounts.held(by: account) == held.reduce(0) { $1.account == account ? $0 + $1.bytes : $0 })
      }
      #expect(accounts.held(by: .encoded) <= 3_000)
    }
  }

  @Test("who waits for room is served in order, or leaves when it is cancelled")
  func waiting() async throws {
    let memory = ImagePipeline.Memory(
      accounts: MemoryLedger(limit: 100, ceilings: [.decoded: 0, .stores: 0]))
    let first = try #require(memory.tryReserve(80, in: .encoded))
    let large = Task { try await memory.reserve(60, in: .encoded) }
    try await eventually { memory.statistics.waiting >= 1 }
    let small = Task { try await memory.reserve(10, in: .encoded) }
    try await eventually { memory.statistics.waiting >= 2 }
    // There is room for the small one, but it is not its turn.
    #expect(memory.statistics.bytes == 80)
    large.cancel()
    await #expect(throws: CancellationError.self) { try await large.value }
    #expect(try await small.value?.bytes == 10)
    first.release()
    #expect(try await memory.reserve(101, in: .encoded) == nil)
  }

  @Test("10,000 rounds of reserving, growing, moving and being cancelled at once: nothing stays taken")
  func races() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 1_000)
    await withTaskGroup(of: Void.self) { group in
      for round in 0..<10_000 {
        group.addTask {
          let task = Task {
            guard let reservation = try await memory.reserve(round % 300, in: .encoded) else { return }
            _ = reservation.grow(to: round % 400)
            reservation.shrink(to: round % 50)
            _ = reservation.move(to: .stores)
          }
          if round % 3 == 0 { task.cancel() }
          _ = await task.result
        }
        if round % 64 == 63 { await group.waitForAll() }
      }
    }
    #expect(memory.statistics.bytes == 0)
    #expect(memory.statistics.waiting == 0)
    #expect(memory.statistics.peakBytes <= 1_000)
  }
}

@Suite("Purge log")
struct PurgeLogTests {
  private let key = CacheKey("http://a/1", source: "http://a/1")

  @Test(
    "what was begun before a purge is not valid, what begins afterwards is, and meanwhile nothing is read")
  func purge() {
    var log = PurgeLog()
    let before = log.now
    let number = log.begin(.selection(.sourcePrefix("http://a/")))
    #expect(!log.isValid(key, tags: [], since: before))
    #expect(log.isValid(key, tags: [], since: log.now))
    #expect(!log.isReadable(key, tags: []))
    #expect(log.isReadable(CacheKey("x", source: "http://b/1"), tags: []))
    log.end(number)
    #expect(log.isReadable(key, tags: []))
    #expect(!log.isValid(key, tags: [], since: before))
    log.forget(before: log.now)
    #expect(log.isValid(key, tags: [], since: log.now))
  }

  @Test("tags, single keys, and all")
  func selections() {
    var log = PurgeLog()
    _ = log.begin(.selection(.tag("t")))
    #expect(!log.isValid(key, tags: ["t"], since: 0))
    #expect(log.isValid(key, tags: ["u"], since: 0))
    _ = log.begin(.keys(["http://a/1"]))
    #expect(!log.isValid(key, tags: [], since: 1))
    _ = log.begin(.all)
    #expect(!log.isValid(CacheKey("y"), tags: [], since: 2))
  }

  @Test("it is bounded: what is older than the oldest that is known counts as purged")
  func bounded() {
    var log = PurgeLog()
    for _ in 0..<10_000 { log.end(log.begin(.keys(["other"]))) }
    #expect(!log.isValid(key, tags: [], since: 1))
    #expect(log.isValid(key, tags: [], since: log.now - PurgeLog.capacity / 2))
  }

  @Test("purges that go on are not forgotten, however many there are")
  func manyThatGoOn() {
    var log = PurgeLog()
    let numbers = (0..<2 * PurgeLog.capacity).map { log.begin(.keys([$0 == 0 ? key.text : "other"])) }
    #expect(!log.isReadable(key, tags: []))
    for number in numbers.dropFirst() { log.end(number) }
    #expect(!log.isReadable(key, tags: []))
    #expect(!log.isValid(key, tags: [], since: 0))
    log.end(numbers[0])
    #expect(log.isReadable(key, tags: []))
  }
}
