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
  let pipeline: ImagePipeline
  private let failures: FailureList
  private let loaded: LoadedSources
  /// The first loads of sources after a purge.
  private let reloads = SharedWork<Reload, DataResponse>()
  let now: @Sendable () -> Date

  /// The failures of sources, with the clock that ages them.
  private final class FailureList: Sendable {
    let list = Mutex(NegativeResults())
    let start = ContinuousClock.now
    var age: Duration { ContinuousClock.now - start }
  }

  /// The generations in which sources were loaded.
  private final class LoadedSources: Sendable {
    let generations = Mutex(LoadGenerations())
  }

  private struct Reload: Hashable, Sendable {
    let source: String
    let generation: Int
  }

  init(_ pipeline: ImagePipeline, now: @escaping @Sendable () -> Date) {
    self.pipeline = pipeline
    self.now = now
    failures = FailureList()
    loaded = LoadedSources()
  }

  /// Returns the bytes of the source of an order.
  ///
  /// The pipeline may hold bytes from before a purge, or load them at the moment: the first order after it removes both.
  ///
  /// - Parameter purges: Knows the purges.
  /// - Throws: ``Failure``, `CancellationError`.
  func bytes(for order: ImageOrder, purges: ResultStore) async throws -> SourceBytes {
    try await remembering(order) {
      SourceBytes(try await response(for: order, purges: purges), kind: order.source.kind, now: now())
    }
  }

  /// Performs a transfer unless its failure is known, and remembers how it ends.
  func remembering<Value: Sendable>(
    _ order: ImageOrder, _ transfer: () async throws -> Value
  ) async throws -> Value {
    let key = order.failureKey
    if let known = failures.list.withLock({ $0.failure(for: key, at: failures.age) }) { throw known }
    do {
      let value = try await transfer()
      failures.list.withLock { $0.forget(key) }
      return value
    } catch {
      if Task.isCancelled { throw CancellationError() }
      let failure = Failure(error)
      var random = SystemRandomNumberGenerator()
      failures.list.withLock { _ = $0.record(failure, for: key, at: failures.age, using: &random) }
      throw failure
    }
  }

  private func response(for order: ImageOrder, purges: ResultStore) async throws -> DataResponse {
    if order.options.bypassesCache == true {
      return try await pipeline.data(for: request(for: order, reloads: true))
    }
    // Records carry positions, which tell those of before a purge.
    if purges.isShared { return try await pipeline.data(for: request(for: order, reloads: false)) }
    let (source, generation) = (order.failureKey, purges.generation)
    let last = loaded.generations.withLock { $0[source] }
    guard purges.wasPurged(order.identity, tags: order.options.cacheTags, since: last) else {
      return try await pipeline.data(for: request(for: order, reloads: false))
    }
    return try await reloads.value(for: Reload(source: source, generation: generation)) {
      let request = request(for: order, reloads: false)
      try await pipeline.cache.removeAll(of: request)
      let response = try await pipeline.data(for: request)
      loaded.generations.withLock { $0.record(source, at: generation) }
      return response
    }
  }

  /// Forgets failures and the bytes of sources, because results of them were purged. The pipeline names sources by the URL that
  /// it reads; where a purge names something else, the first order after it reads its source anew.
  ///
  /// - Throws: `CachingError`, `LoadingError`.
  func forget(_ selection: PurgeSelection) async throws {
    failures.list.withLock { $0.forgetAll() }
    switch selection {
    case .all: try await pipeline.cache.removeAll()
    case .source(let text):
      try await pipeline.cache.removeAll(.source(URL(string: text)?.absoluteString ?? text))
    case .prefix(let text): try await pipeline.cache.removeAll(.sourcePrefix(text))
    case .identity(let text): try await pipeline.cache.removeAll(.tag("result " + text))
    case .tag(let text): try await pipeline.cache.removeAll(.tag("tag " + text))
    }
  }

  /// The request for the source of an order.
  private func request(for order: ImageOrder, reloads: Bool) -> ImageRequest {
    let settings = order.rules.settings
    var request = ImageRequest(url: order.source.url, headers: order.passedFields)
    request.timeouts.total = settings.server.downloadTimeout
    if reloads { request.cachePolicy = .reload }
    var limits = pipeline.configuration.decodeLimits
    let bytes =
      settings.security.allowsSecurityOptions
      ? order.options.maxSourceFileSize ?? settings.limits.sourceBytes : settings.limits.sourceBytes
    limits.maxBytes = bytes > 0 ? bytes : Settings.Limits.largestSource
    request.limits = limits
    // A purge of one of them concerns the original as well, as far as this order uses it.
    request.tags = StoredResult.recordTags(order.options.cacheTags, identity: order.identity.text)
    guard order.source.kind == .http else { return request }
    // The allowed sources hold for the targets of redirects, too.
    let (sources, start) = (order.rules.sources, order.source.url)
    let patterns = sources.allowed.map(\.text).joined(separator: "\n")
    request.validation = ImageRequest.Identified("source\n" + patterns) { response in
      guard sources.areAllowed(response, from: start) else {
        throw LoadingError.vetoed(
          response.url, reason: "no pattern of the allowed sources matches it, or a redirect to it")
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
