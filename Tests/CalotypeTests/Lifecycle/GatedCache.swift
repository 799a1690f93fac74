import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

@testable import Calotype

/// A cache whose stores wait for a gate; it notes what happens, in order.
final class GatedCache: DataCaching {
  let gate = Gate()
  let entered = Gate()
  private let state = Lock((records: [CacheKey: CacheRecord](), notes: [String]()))

  var notes: [String] { state.withLock { $0.notes } }
  var count: Int { state.withLock { $0.records.count } }

  func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? { state.withLock { $0.records[key] } }

  func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    entered.open()
    do {
      try await gate.wait()
    } catch {
      state.withLock { $0.notes.append("cancelled") }
      throw .cancelled
    }
    let record = CacheRecord(data: data, metadata: metadata, created: .now, accessed: .now)
    state.withLock { state in
      state.records[key] = record
      state.notes.append("stored")
    }
  }

  func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    state.withLock { $0.records[key] != nil }
  }

  func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    state.withLock { $0.records.removeValue(forKey: key) != nil }
  }

  func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int { 0 }

  func removeAll() async throws(CachingError) -> Int { 0 }

  func flush() async throws(CachingError) { state.withLock { $0.notes.append("flushed") } }
}
