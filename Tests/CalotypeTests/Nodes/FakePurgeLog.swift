import CalotypeCaching
import CalotypeSupport

/// A log of purges in memory, and the part of it that one node has applied.
final class FakePurgeLog: PurgeLogging {
  final class Shared: Sendable {
    let entries = Lock<[SharedPurge]>([])
  }

  private let shared: Shared
  private let applied = Lock(0)
  private let observer = Lock<(@Sendable ([SharedPurge]) -> Void)?>(nil)
  /// Whether the log cannot be reached.
  let isBroken = Lock(false)

  init(_ shared: Shared) { self.shared = shared }

  var position: Int { applied.withLock { $0 } }

  func verdict(source: String, tags: [String], at position: Int?) -> PurgeVerdict {
    let known = shared.entries.withLock { [applied] entries in
      Array(entries.prefix(applied.withLock { $0 }).dropFirst(position ?? 0))
    }
    let concerned = known.filter {
      switch $0.scope {
      case .all: true
      case .selection(let selection): selection.contains(source: source, tags: tags)
      }
    }
    return concerned.isEmpty ? .valid : concerned.contains { $0.mode == .gone } ? .gone : .stale
  }

  func append(_ purge: SharedPurge) async throws(CachingError) -> Int {
    guard !isBroken.withLock({ $0 }) else {
      throw .failed(operation: "purge", reason: "no log", isRetryable: true)
    }
    let number = shared.entries.withLock { entries in
      entries.append(purge)
      return entries.count
    }
    applied.withLock { $0 = number }
    return number
  }

  /// Applies the entries of other nodes.
  func catchUp() {
    let entries = shared.entries.withLock { $0 }
    let known = applied.withLock { applied in
      defer { applied = entries.count }
      return applied
    }
    observer.withLock { $0 }?(Array(entries.dropFirst(known)))
  }

  func observe(_ body: @escaping @Sendable ([SharedPurge]) -> Void) -> PurgeObservation {
    observer.withLock { $0 = body }
    return PurgeObservation { [observer] in observer.withLock { $0 = nil } }
  }
}
