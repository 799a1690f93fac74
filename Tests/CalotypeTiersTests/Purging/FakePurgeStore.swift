import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

@testable import CalotypeTiers

/// A storage of entries in memory, which nodes of a test share.
final class FakePurgeStore: PurgeLogStoring {
  struct State {
    var entries: [Int: Data] = [:]
    var snapshots: [Int: Data] = [:]
    var isConditional = true
    var isDown = false
    /// Called before a write, as another node that is faster.
    var beforePut: (@Sendable (Int) -> Void)?
    var puts = 0
    var lists = 0
    var reads = 0
  }

  let state = Lock(State())
  private func check() throws(CachingError) {
    if state.withLock({ $0.isDown }) {
      throw .failed(operation: "bucket", reason: "down", isRetryable: true)
    }
  }

  func write(_ purge: SharedPurge, at number: Int) {
    guard let data = try? PurgeEntryCoding.encode(purge) else { return }
    state.withLock { $0.entries[number] = data }
  }

  func supportsConditionalWrites() async throws(CachingError) -> Bool {
    try check()
    return state.withLock { $0.isConditional }
  }

  func put(_ entry: Data, at number: Int) async throws(CachingError) -> Bool {
    try check()
    let before = state.withLock { state in
      state.puts += 1
      return state.beforePut
    }
    before?(number)
    return state.withLock { state in
      if state.isConditional, state.entries[number] != nil { return false }
      state.entries[number] = entry
      return true
    }
  }

  func numbers(after number: Int) async throws(CachingError) -> [Int] {
    try check()
    return state.withLock { state in
      state.lists += 1
      return Array(state.entries.keys.filter { $0 > number }.sorted().prefix(1_000))
    }
  }

  func entry(at number: Int) async throws(CachingError) -> Data? {
    try check()
    return state.withLock { state in
      state.reads += 1
      return state.entries[number]
    }
  }

  func newestSnapshot() async throws(CachingError) -> (number: Int, bytes: Data)? {
    try check()
    return state.withLock { state in state.snapshots.max { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  func putSnapshot(_ bytes: Data, at number: Int) async throws(CachingError) {
    try check()
    state.withLock { $0.snapshots[number] = bytes }
  }
}

/// Announces numbers of entries within a process, and numbers them like Redis.
final class FakeAnnouncer: PurgeAnnouncing {
  struct State {
    var drops = false
    var number = 0
    var receivers: [@Sendable (Int) -> Void] = []
  }

  let state = Lock(State())

  func announce(_ number: Int) async {
    let receivers = state.withLock { $0.drops ? [] : $0.receivers }
    for receiver in receivers { receiver(number) }
  }

  func receive(_ body: @escaping @Sendable (_ number: Int) -> Void) {
    state.withLock { $0.receivers.append(body) }
  }

  func nextNumber(after number: Int) async throws(CachingError) -> Int {
    state.withLock { state in
      state.number = max(state.number, number) + 1
      return state.number
    }
  }
}
