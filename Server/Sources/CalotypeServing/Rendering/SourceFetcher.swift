import Calotype
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Reads sources through the pipeline, which shares transfers, bounds them by origin, and retries.
///
/// Failures are remembered, so that a broken origin is asked rarely.
struct SourceFetcher: Sendable {
  private let pipeline: ImagePipeline
  private let failures: FailureList
  private let now: @Sendable () -> Date

  /// The failures of sources, with the clock that ages them.
  private final class FailureList: Sendable {
    let list = Mutex(NegativeResults())
    let start = ContinuousClock.now
    var age: Duration { ContinuousClock.now - start }
  }

  init(_ pipeline: ImagePipeline, now: @escaping @Sendable () -> Date) {
    self.pipeline = pipeline
    self.now = now
    failures = FailureList()
  }

  /// Returns the bytes of the source of an order.
  ///
  /// - Throws: ``Failure``, `CancellationError`.
  func bytes(for order: ImageOrder) async throws -> SourceBytes {
    let key = order.failureKey
    if let known = failures.list.withLock({ $0.failure(for: key, at: failures.age) }) { throw known }
    do {
      let response = try await pipeline.data(for: request(for: order))
      failures.list.withLock { $0.forget(key) }
      return SourceBytes(response, kind: order.source.kind, now: now())
    } catch {
      if Task.isCancelled { throw CancellationError() }
      let failure = Failure(error)
      var random = SystemRandomNumberGenerator()
      failures.list.withLock { _ = $0.record(failure, for: key, at: failures.age, using: &random) }
      throw failure
    }
  }

  /// Forgets failures, because something was purged.
  func forgetFailures() { failures.list.withLock { $0.forgetAll() } }

  /// The request for the source of an order.
  private func request(for order: ImageOrder) -> ImageRequest {
    let settings = order.rules.settings
    var request = ImageRequest(url: order.source.url, headers: order.passedFields)
    request.timeouts.total = settings.server.downloadTimeout
    if settings.security.allowsBypassingCache, order.options.bypassesCache == true {
      request.cachePolicy = .reload
    }
    var limits = pipeline.configuration.decodeLimits
    let bytes =
      settings.security.allowsSecurityOptions
      ? order.options.maxSourceFileSize ?? settings.limits.sourceBytes : settings.limits.sourceBytes
    limits.maxBytes = bytes > 0 ? bytes : Settings.Limits.largestSource
    request.limits = limits
    guard order.source.kind == .http else { return request }
    // The allowed sources hold for the targets of redirects, too.
    let (sources, start) = (order.rules.sources, order.source.url)
    let patterns = sources.allowed.map(\.text).joined(separator: "\n")
    request.validation = ImageRequest.Identified("source\n" + patterns) { response in
      guard response.url == start || sources.isAllowed(response.url.absoluteString) else {
        throw LoadingError.vetoed(response.url, reason: "no pattern of the allowed sources matches it")
      }
      if response.status == 206,
        !PartialSource.isWhole(response.headers[.contentRange], length: response.expectedLength)
      {
        throw LoadingError.httpStatus(response.url, status: 206, headers: response.headers)
      }
    }
    return request
  }
}
