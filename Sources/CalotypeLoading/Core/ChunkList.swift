import CalotypeSupport
import FoundationEssentials

/// A queue of chunks.
final class ChunkList: Sendable {
  private let remaining: Lock<[Data]>

  init(_ chunks: [Data]) {
    remaining = Lock(chunks.filter { !$0.isEmpty }.reversed())
  }

  func pop() -> Data? {
    remaining.withLock { $0.popLast() }
  }

  func clear() {
    remaining.withLock { $0.removeAll() }
  }
}
