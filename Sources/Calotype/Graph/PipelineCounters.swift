import CalotypeCaching
import CalotypeSupport

/// Counters that jobs increment from any thread.
final class PipelineCounters: Sendable {
  private let number = Lock(0)

  /// Returns a number that is unique among requests.
  func nextNumber() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }

  private let statistics = Lock(ImagePipeline.Statistics())

  func count(_ change: (inout ImagePipeline.Statistics) -> Void) {
    statistics.withLock { change(&$0) }
  }

  /// Counts an error of a cache. A cancelled operation is not a failure of the cache.
  func count(cacheError error: any Error) {
    if error is CancellationError || error as? CachingError == .cancelled { return }
    guard let error = error as? any CalotypeError else { return }
    count {
      $0.cacheErrors += 1
      $0.lastCacheErrorCode = error.code
    }
  }

  var snapshot: ImagePipeline.Statistics { statistics.withLock { $0 } }
}
