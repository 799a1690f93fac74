import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// A tier in memory that fails, waits and remembers its calls as a test wants.
final class TestTier: DataCaching {
  enum Verb: String, Hashable, Sendable { case read, contains, store, remove, removeSelection, clear, flush }

  struct State {
    var records: [CacheKey: CacheRecord] = [:]
    var calls: [Verb] = []
    var failures: [Verb: CachingError] = [:]
    var barriers: [Verb: Barrier] = [:]
    var wasCancelled = false
  }

  let state: Lock<State>
  let isReadOnly: Bool

  init(_ contents: [CacheKey: String] = [:], isReadOnly: Bool = false) {
    var state = State()
    for (key, text) in contents { state.records[key] = Self.record(text) }
    self.state = Lock(state)
    self.isReadOnly = isReadOnly
  }

  static func record(_ text: String, metadata: RecordMetadata = RecordMetadata()) -> CacheRecord {
    CacheRecord(data: Data(text.utf8), metadata: metadata, created: .distantPast, accessed: .distantPast)
  }

  var calls: [Verb] { state.withLock { $0.calls } }
  var wasCancelled: Bool { state.withLock { $0.wasCancelled } }

  func text(_ key: CacheKey) -> String? {
    state.withLock { $0.records[key] }.map { String(decoding: $0.data, as: UTF8.self) }
  }

  func fail(_ verb: Verb, with error: CachingError) { state.withLock { $0.failures[verb] = error } }

  func wait(in verb: Verb, at barrier: Barrier) { state.withLock { $0.barriers[verb] = barrier } }

  private func call<Value: Sendable>(
    _ verb: Verb, _ work: (inout State) -> Value
  ) async throws(CachingError) -> Value {
    let (barrier, error) = state.withLock { state in
      state.calls.append(verb)
      return (state.barriers[verb], state.failures[verb])
    }
    if let barrier, await !barrier.pass() {
      state.withLock { $0.wasCancelled = true }
      throw .cancelled
    }
    if let error { throw error }
    return state.withLock { work(&$0) }
  }

  func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await call(.read) { $0.records[key] }
  }

  func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await call(.contains) { $0.records[key] != nil }
  }

  func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    let record = CacheRecord(data: data, metadata: metadata, created: .distantPast, accessed: .distantPast)
    try await call(.store) { $0.records[key] = record }
  }

  func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await call(.remove) { $0.records.removeValue(forKey: key) != nil }
  }

  func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    try await call(.removeSelection) { state in
      let selected = state.records.keys.filter { selection.contains(source: $0.source, tags: []) }
      for key in selected { state.records[key] = nil }
      return selected.count
    }
  }

  func removeAll() async throws(CachingError) -> Int {
    try await call(.clear) { state in
      defer { state.records = [:] }
      return state.records.count
    }
  }

  func flush() async throws(CachingError) {
    try await call(.flush) { _ in }
  }
}

/// Lets go when as many have arrived as are expected, or never; who is cancelled does not wait.
final class Barrier: Sendable {
  private struct State {
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    var arrived = 0
  }

  private let expected: Int
  private let state = Lock(State())
  private let arrivals = AsyncStream<Void>.makeStream()

  /// - Parameter expected: `Int.max` for a barrier that is opened by nobody but cancellation.
  init(_ expected: Int) { self.expected = expected }

  /// - Returns: Whether it was passed; `false` if cancelled before.
  func pass() async -> Bool {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (released, passed) = state.withLock { state in
          if state.cancelled.contains(id) { return ([continuation], false) }
          state.arrived += 1
          state.waiting[id] = continuation
          guard state.arrived >= expected else { return ([], true) }
          defer { state.waiting = [:] }
          return (Array(state.waiting.values), true)
        }
        for one in released { one.resume(returning: passed) }
        arrivals.continuation.yield()
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.cancelled.insert(id)
        return state.waiting.removeValue(forKey: id)
      }
      waiting?.resume(returning: false)
    }
  }

  /// Returns when one has arrived.
  func reached() async {
    for await _ in arrivals.stream { return }
  }
}
