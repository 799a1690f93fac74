import CalotypeSupport
package import FoundationEssentials

/// The bytes of a body while they arrive: one loads, others look at what is there.
///
/// These are the bytes that the load collects anyway: nothing is copied but what is asked for. What was seen once stays
/// as it was and where it was, also when a load has to connect again for the rest; after an error it ends where it broke off.
/// All may be called from any thread.
package final class ArrivingBytes: Sendable {
  private struct State {
    var data = Data()
    var count = 0
    var isSpooled = false
  }

  private let state = Lock(State())

  /// Nothing yet.
  package init() {}

  /// How many bytes have arrived, whether in memory or not.
  package var count: Int { state.withLock { $0.count } }

  /// Whether they are too many for memory (``LoadRequest/maxBytesInMemory``): they go to a file from now on, and none can
  /// be looked at before the end of the load.
  package var isSpooled: Bool { state.withLock { $0.isSpooled } }

  /// A copy of what has arrived from `offset` on: empty when there is nothing new, and once ``isSpooled``.
  ///
  /// A copy, because what others hold a part of would have to be copied as a whole to be added to.
  package func bytes(from offset: Int) -> Data {
    state.withLock { state in
      guard offset >= 0, offset < state.data.count else { return Data() }
      return state.data.withUnsafeBytes { Data($0[offset...]) }
    }
  }

  // MARK: The load

  /// All of them, without a copy: for the end, when nothing is added any more.
  var all: Data { state.withLock { $0.data } }

  /// Adds a chunk of a body whose declared length is `expected`.
  func append(_ chunk: Data, expecting expected: Int?) {
    state.withLock { state in
      state.count += chunk.count
      guard state.data.isEmpty else { return state.data.append(chunk) }
      // Most bodies come in one piece: no copy then. Declared lengths are not trusted with much memory.
      state.data = chunk
      if let expected, expected > chunk.count { state.data.reserveCapacity(min(expected, 16 << 20)) }
    }
  }

  /// Hands over what is held, because there will be more than memory is for.
  func takeForSpooling() -> Data {
    state.withLock { state in
      state.isSpooled = true
      defer { state.data = Data() }
      return state.data
    }
  }

  /// Counts bytes that went to the file.
  func countSpooled(_ count: Int) {
    state.withLock { $0.count += count }
  }
}
