import CalotypeCaching
import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// The next step for an original, decided from its stored record.
enum SourceStep: Sendable {
  /// Use the stored original.
  case use(UsableOriginal)
  /// Use the stored original for now; revalidate it afterwards, with these fields.
  case useThenAsk(UsableOriginal, HTTPFields)
  /// Ask the loader, with these fields.
  case ask(HTTPFields)
  /// Fail without asking, because the stored answer is an error.
  case fail(any Error & Sendable)
}

/// The freshness of a stored result.
struct JudgedResult: Sendable {
  let isFresh: Bool
  /// Whether the request accepts the result without revalidation.
  let isGoodEnough: Bool
  /// Whether it is only to be used until there is a new one.
  let isPurged: Bool
  let provenance: OriginalMetadata
}

extension PipelineContext {
  /// Returns the freshness rules for a request. Cache keys include all fields of a request, so that no
  /// identity finds responses to another: the cache is private to each identity.
  func freshness(for request: ImageRequest) -> FreshnessPolicy {
    var policy = configuration.freshness
    if request.identifiesUser { policy.mode = .private }
    // A response over an unauthenticated connection could be pinned by any host on the way (RFC 8246 §3).
    if request.source.url?.scheme?.lowercased() != "https" { policy.honorsImmutable = false }
    return policy
  }

  /// Judges a stored result by the freshness of its original.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the result.
  ///   - isPurged: Whether the result is only to be used until there is a new one.
  ///   - request: The request.
  func judged(_ metadata: RecordMetadata, isPurged: Bool, for request: ImageRequest) -> JudgedResult {
    let (response, now) = (metadata.response, configuration.now())
    let freshness = freshness(for: request)
    var (isFresh, isGoodEnough) = (response == nil, response == nil || request.trustsAge)
    switch freshness.decision(for: request.headers, stored: response, now: now) {
    case .fresh: (isFresh, isGoodEnough) = (true, true)
    case .stale: isGoodEnough = true
    default: break
    }
    if isPurged { (isFresh, isGoodEnough) = (false, false) }
    let end = freshness.end(of: response, for: request.headers, at: now)
    return JudgedResult(
      isFresh: isFresh, isGoodEnough: isGoodEnough, isPurged: isPurged,
      provenance: OriginalMetadata(
        version: metadata.version, url: metadata.url(for: request), response: response,
        freshUntil: response == nil ? nil : end ?? now, isStale: !isFresh, tags: metadata.tags,
        position: metadata.position, cost: metadata.cost))
  }

  /// Returns the next step for an original.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - policy: The cache policy of this job.
  ///   - kept: The stored record.
  func sourceStep(
    for request: ImageRequest, policy: ImageRequest.CachePolicy, kept: CachedOriginal?
  ) -> SourceStep {
    let notCached = PipelineError.notCached(request.source.description)
    let isForbidden =
      policy == .cacheOnly
      || (policy.readsCaches && CacheControlHeader(request: request.headers).onlyIfCached)
    guard let kept, policy.readsCaches else { return isForbidden ? .fail(notCached) : .ask(HTTPFields()) }
    let now = configuration.now()
    let freshness = freshness(for: request)
    let response = kept.metadata.response
    if kept.isPurged {
      // Its validators count for nothing: the purge says that the image has changed.
      guard kept.isImage else { return isForbidden ? .fail(notCached) : .ask(HTTPFields()) }
      let stale = kept.judged(isStale: true)
      return isForbidden ? .use(stale) : .useThenAsk(stale, HTTPFields())
    }
    if let response, !kept.isImage {
      // The recorded absence expires at the latest when the server's answer does.
      if case .fresh = freshness.decision(for: request.headers, stored: response, now: now) {
        guard case .url(let url) = request.source else { return .fail(notCached) }
        return .fail(LoadingError.httpStatus(url, status: response.status, headers: response.fields))
      }
      return isForbidden ? .fail(notCached) : .ask(HTTPFields())
    }
    guard let response, !policy.trustsAge else {
      let end = freshness.end(of: response, for: request.headers, at: now)
      return .use(kept.judged(freshUntil: end, isStale: response != nil && end == nil))
    }
    switch freshness.decision(for: request.headers, stored: response, now: now) {
    case .fresh(let end):
      return .use(kept.judged(freshUntil: end))
    case .stale:
      return .use(kept.judged(isStale: true))
    case .staleWhileRevalidate(let conditional):
      return .useThenAsk(kept.judged(isStale: true), conditional)
    case .revalidate(let conditional):
      guard policy == .staleWhileRevalidate else { return .ask(conditional) }
      return .useThenAsk(kept.judged(isStale: true), conditional)
    case .load:
      guard policy == .staleWhileRevalidate, response.matches(request.headers) else {
        return .ask(HTTPFields())
      }
      return .useThenAsk(kept.judged(isStale: true), HTTPFields())
    case .unavailable:
      return .fail(notCached)
    }
  }

  /// Counts the hit that a step is, if the job takes it.
  func count(_ step: SourceStep, policy: ImageRequest.CachePolicy) {
    switch step {
    case .use(let stored) where stored.provenance.isStale && !policy.trustsAge:
      counters.count { $0.staleHits += 1 }
    case .useThenAsk: counters.count { $0.staleHits += 1 }
    case .fail(let error) where error is LoadingError: counters.count { $0.negativeHits += 1 }
    case .use, .ask, .fail: break
    }
  }
}

extension FreshnessPolicy {
  /// Returns the end of a response's freshness for requests without stricter directives; `nil` when it is
  /// stale.
  func end(of response: StoredResponse?, for request: HTTPFields, at now: Date) -> Date? {
    var request = request
    request[values: .cacheControl] = []
    request[values: .pragma] = []
    guard case .fresh(let end) = decision(for: request, stored: response, now: now) else { return nil }
    return end
  }

  /// The maximum freshness of an image from a fallback, in seconds: by then the source may be available
  /// again.
  private static let fallbackLifetime = 60

  /// Returns the header fields of a response, with a freshness limited by that of its redirects: each
  /// response on the way has its own (RFC 9111 §3). A temporary redirect without a lifetime has none.
  ///
  /// Validators belong to the final URL, which the next request may not reach. They are removed, and so are
  /// those of a fallback: with them, the source would confirm another image.
  func fields(of response: LoadResponse, for request: ImageRequest, at time: Date) -> HTTPFields {
    var fields = response.headers
    let isFallback = !request.fallbacks.isEmpty && response.url != request.source.url
    if response.redirects.isEmpty, !isFallback { return fields }
    fields[values: .eTag] = []
    fields[values: .lastModified] = []
    if isFallback, pinnedLifetime == nil,
      let stored = StoredResponse(
        status: 200, fields: fields, request: HTTPFields(), requestTime: time, responseTime: time)
    {
      let left = stored.freshnessLifetime(under: self) - stored.currentAge(at: time)
      let lifetime = min(Int(max(0, left.components.seconds)), Self.fallbackLifetime)
      fields.append(HTTPField(name: .cacheControl, value: "max-age=\(lifetime), s-maxage=\(lifetime)"))
    }
    return limited(fields, status: response.status ?? 200, by: response.redirects, at: time)
  }

  /// Returns the header fields of a response with that status, with a freshness limited by that of its
  /// redirects.
  func limited(_ headers: HTTPFields, status: Int, by redirects: [LoadResponse.Redirect], at time: Date)
    -> HTTPFields
  {
    func stored(_ status: Int, _ fields: HTTPFields) -> StoredResponse? {
      StoredResponse(
        status: status, fields: fields, request: HTTPFields(), requestTime: time, responseTime: time)
    }
    // A 304 describes the stored response, which is an image; without lifetimes of its own, those of the
    // stored one remain (RFC 9111 §4.3.4).
    let isConfirmation = status == 304
    guard !redirects.isEmpty, let own = stored(isConfirmation ? 200 : status, headers) else { return headers }
    var fields = headers
    let age = own.currentAge(at: time)
    let saysLifetime = headers.contains(.cacheControl) || headers.contains(.expires)
    var lifetime =
      isConfirmation && !saysLifetime
      ? .seconds(CacheControlHeader.longest) : own.freshnessLifetime(under: self)
    for redirect in redirects {
      let control = CacheControlHeader(response: redirect.headers)
      let says =
        redirect.isPermanent || control.maxAge != nil || control.sharedMaxAge != nil
        || redirect.headers.contains(.expires)
      var left = Duration.zero
      if says, let stored = stored(200, redirect.headers) {
        left = max(.zero, stored.freshnessLifetime(under: self) - stored.currentAge(at: time))
      }
      // `s-maxage` takes precedence over all other lifetimes of a response.
      lifetime = min(lifetime, left + age)
      let seconds = lifetime.components.seconds
      var limits = pinnedLifetime == nil ? "max-age=\(seconds), s-maxage=\(seconds)" : ""
      if control.noStore { limits += ", no-store" }
      if control.isPrivate != .none { limits += ", private" }
      if control.noCache != .none { limits += ", no-cache" }
      fields.append(HTTPField(name: .cacheControl, value: limits))
      // Another request may be redirected elsewhere (RFC 9110 §12.5.5).
      for field in redirect.headers[fields: .vary] { fields.append(field) }
    }
    return fields
  }
}

/// The record of an original, or of its absence.
struct CachedOriginal: Sendable {
  /// The bytes, unless they were released: they are on disk.
  private(set) var data: Data?
  let metadata: RecordMetadata
  let version: Checksum
  /// Whether the record has bytes.
  let isImage: Bool
  /// Whether it is only to be used until there is a new one.
  let isPurged: Bool

  /// Returns `nil` for a useless record.
  init?(_ record: CacheRecord, isPurged: Bool = false) {
    self.isPurged = isPurged
    isImage = !record.data.isEmpty
    guard isImage || record.metadata.response != nil else { return nil }
    data = record.data
    metadata = record.metadata
    version = record.metadata.version ?? Checksum(of: record.data)
  }

  /// The record without the bytes.
  var withoutData: CachedOriginal {
    var kept = self
    kept.data = nil
    return kept
  }

  /// Returns the original with its freshness.
  func judged(freshUntil: Date? = nil, isStale: Bool = false) -> UsableOriginal {
    UsableOriginal(
      data: data ?? Data(), metadata: metadata,
      provenance: OriginalMetadata(
        version: version, response: metadata.response, freshUntil: freshUntil, isStale: isStale,
        tags: metadata.tags, position: metadata.position))
  }
}

/// An original on disk that may be used.
struct UsableOriginal: Sendable {
  let data: Data
  let metadata: RecordMetadata
  var provenance: OriginalMetadata
}

extension RecordMetadata {
  private static let versionName = "version"

  /// The checksum of the loaded bytes, regardless of the stored form: ``OriginalMetadata/version``.
  var version: Checksum? {
    get { user[Self.versionName].flatMap { UInt64($0, radix: 16) }.map { Checksum(seed: $0) } }
    set { user[Self.versionName] = newValue.map { String($0.value, radix: 16) } }
  }
}
