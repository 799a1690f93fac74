import Calotype
import CalotypeSupport

/// The errors of caches that a log has.
final class CacheErrorLog: Sendable {
  /// Errors since the last sample.
  struct News: Hashable, Sendable {
    let count: Int
    /// The code of the last one.
    let code: String
    /// Whether the sample before had errors of the same code.
    let isRepeated: Bool
  }

  private let last = Lock<(count: Int, code: String?)>((0, nil))

  /// Returns the errors since the last sample; `nil` if there are none.
  func news(in statistics: ImagePipeline.Statistics) -> News? {
    last.withLock { last in
      let count = statistics.cacheErrors - last.count
      guard count > 0 else {
        last.code = nil
        return nil
      }
      let code = statistics.lastCacheErrorCode ?? "other"
      defer { last = (statistics.cacheErrors, code) }
      return News(count: count, code: code, isRepeated: last.code == code)
    }
  }
}
