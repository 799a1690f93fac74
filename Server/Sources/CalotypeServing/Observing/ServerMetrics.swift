import Synchronization

/// The counters and durations of a server: the series of imgproxy under its names, and those of Calotype.
///
/// Labels come from closed sets, never from URLs.
public final class ServerMetrics: Sendable {
  /// A counter.
  enum Counter: String, CaseIterable, Sendable {
    case requests, memoryHits, diskHits, redisHits, bucketHits, sharedHits, staleHits, misses, fetches,
      decodes, encodes, confirmations, cancelled, fallbacks
  }

  /// A part of a request whose duration is observed.
  enum Span: String, CaseIterable, Sendable {
    case queue, downloading, processing
  }

  /// The place that an image came from, for the duration of its request.
  enum ImagePath: String, CaseIterable, Sendable {
    /// From memory, at once.
    case hit
    /// From disk or the source, or from the work of another request.
    case miss
  }

  struct State: Sendable {
    var counters: [Counter: Int] = [:]
    var statuses: [Int: Int] = [:]
    var errors: [String: Int] = [:]
    var request = DurationHistogram()
    var spans: [Span: DurationHistogram] = [:]
    var images: [ImagePath: DurationHistogram] = [:]
    var requestsInProgress = 0
    var imagesInProgress = 0
  }

  private let state = Mutex(State())

  /// Creates counters at 0.
  public init() {}

  /// The values now.
  var snapshot: State { state.withLock { $0 } }

  func count(_ counter: Counter) { state.withLock { $0.counters[counter, default: 0] += 1 } }

  /// Counts a result from a tier.
  func count(_ tier: CacheTier) {
    switch tier {
    case .memory: count(.memoryHits)
    case .disk: count(.diskHits)
    case .redis: count(.redisHits)
    case .bucket: count(.bucketHits)
    }
  }

  func observe(_ span: Span, _ duration: Duration) {
    state.withLock { $0.spans[span, default: DurationHistogram()].add(duration) }
  }

  /// Observes the duration of a request whose response is an image.
  func observe(_ path: ImagePath, _ duration: Duration) {
    state.withLock { $0.images[path, default: DurationHistogram()].add(duration) }
  }

  func begin() {
    state.withLock { state in
      state.counters[.requests, default: 0] += 1
      state.requestsInProgress += 1
    }
  }

  func end(status: Int, error: String?, after duration: Duration) {
    state.withLock { state in
      state.requestsInProgress -= 1
      // Statuses of origins are passed on: three digits at most.
      state.statuses[min(max(status, 0), 999), default: 0] += 1
      if let error { state.errors[error, default: 0] += 1 }
      state.request.add(duration)
    }
  }

  func beginImage() { state.withLock { $0.imagesInProgress += 1 } }

  func endImage() { state.withLock { $0.imagesInProgress -= 1 } }
}
