import CalotypeSupport
import Synchronization

/// A shard of a ``MemoryCache`` and its lock.
///
/// `Lock` behaves the same, but the compiler does not specialise its generic methods across modules, and a look-up
/// would then spend half of its time on metadata. Built with `-DTSAN` it is a `Lock`, for the reason given there.
final class MemoryShardLock: Sendable {
  #if TSAN
    private let shard: Lock<MemoryShard>
  #else
    private let shard: Mutex<MemoryShard>
  #endif

  init(_ shard: MemoryShard) {
    #if TSAN
      self.shard = Lock(shard)
    #else
      self.shard = Mutex(shard)
    #endif
  }

  @inline(__always)
  func withLock<Result: Sendable>(_ body: (inout MemoryShard) -> Result) -> Result {
    shard.withLock { body(&$0) }
  }
}
