import CalotypeCaching
import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// What to do about an original, decided from what is kept of it.
enum SourceStep: Sendable {
  /// What is kept is good enough.
  case use(UsableOriginal)
  /// What is kept is good enough for now; ask the server afterwards, with these fields.
  case useThenAsk(UsableOriginal, HTTPFields)
  /// Ask the loader, with these fields.
  case ask(HTTPFields)
  /// The answer is known without asking, and it is an error.
  case fail(any Error & Sendable)
}

extension PipelineContext {
  /// The rules for a request. The keys of a cache hold all fields of a request, so that what came for one identity is
  /// never found by another: for them the cache is a private one.
  func freshness(for request: ImageRequest) -> FreshnessPolicy {
    var policy = configuration.freshness
    if request.headers.contains(.authorization) || request.headers.contains(.cookie)
      || request.credential != nil || request.partition != nil
    {
      policy.mode = .private
    }
    return policy
  }

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
    if let response, !kept.isImage {
      // That there is none: never longer than it was said to be so.
      if case .fresh = freshness.decision(for: request.headers, stored: response, now: now) {
        counters.count { $0.negativeHits += 1 }
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
      counters.count { $0.staleHits += 1 }
      return .use(kept.judged(isStale: true))
    case .staleWhileRevalidate(let conditional):
      counters.count { $0.staleHits += 1 }
      return .useThenAsk(kept.judged(isStale: true), conditional)
    case .revalidate(let conditional):
      guard policy == .staleWhileRevalidate else { return .ask(conditional) }
      counters.count { $0.staleHits += 1 }
      return .useThenAsk(kept.judged(isStale: true), conditional)
    case .load:
      guard policy == .staleWhileRevalidate, response.matches(request.headers) else {
        return .ask(HTTPFields())
      }
      counters.count { $0.staleHits += 1 }
      return .useThenAsk(kept.judged(isStale: true), HTTPFields())
    case .unavailable:
      return .fail(notCached)
    }
  }
}

extension FreshnessPolicy {
  /// Until when a response is fresh for whoever does not ask for more than that; `nil` when it is not.
  func end(of response: StoredResponse?, for request: HTTPFields, at now: Date) -> Date? {
    var request = request
    request[values: .cacheControl] = []
    request[values: .pragma] = []
    guard case .fresh(let end) = decision(for: request, stored: response, now: now) else { return nil }
    return end
  }

  /// How long a picture from a fallback is fresh at most: by then the source may have its own again.
  private static let fallbackLifetime = 60

  /// The header fields of a response, with no more freshness than the redirects to it have: each answer on the way has its
  /// own (RFC 9111 §3). A temporary one that says nothing has none.
  ///
  /// LoadRequest.Validators belong to the URL in the end, which the next request may not come to. So they go, and likewise those of a
  /// fallback: the source would confirm another picture by them.
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

  /// The header fields of a response with that status, with no more freshness than redirects have.
  func limited(_ headers: HTTPFields, status: Int, by redirects: [LoadResponse.Redirect], at time: Date)
    -> HTTPFields
  {
    func stored(_ status: Int, _ fields: HTTPFields) -> StoredResponse? {
      StoredResponse(
        status: status, fields: fields, request: HTTPFields(), requestTime: time, responseTime: time)
    }
    // A 304 speaks of what is stored, which is an image; where it says nothing of times, those of that stay (RFC 9111 §4.3.4).
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
      // `s-maxage` counts before anything else that a response says.
      lifetime = min(lifetime, left + age)
      let seconds = lifetime.components.seconds
      var limits = pinnedLifetime == nil ? "max-age=\(seconds), s-maxage=\(seconds)" : ""
      if control.noStore { limits += ", no-store" }
      if control.isPrivate != .none { limits += ", private" }
      if control.noCache != .none { limits += ", no-cache" }
      fields.append(HTTPField(name: .cacheControl, value: limits))
      // Another request may be led elsewhere (RFC 9110 §12.5.5).
      for field in redirect.headers[fields: .vary] { fields.append(field) }
    }
    return fields
  }
}

/// The record of an original, or of the answer that there is none.
struct CachedOriginal: Sendable {
  /// The bytes, unless they were let go of: they are on disk.
  private(set) var data: Data?
  let metadata: RecordMetadata
  let version: Checksum
  /// Whether there are bytes.
  let isImage: Bool

  /// `nil` for what is of no use.
  init?(_ record: CacheRecord) {
    isImage = !record.data.isEmpty
    guard isImage || record.metadata.response != nil else { return nil }
    data = record.data
    metadata = record.metadata
    version = record.metadata.version ?? Checksum(of: record.data)
  }

  /// Without the bytes.
  var withoutData: CachedOriginal {
    var kept = self
    kept.data = nil
    return kept
  }

  /// With what was found out about its freshness.
  func judged(freshUntil: Date? = nil, isStale: Bool = false) -> UsableOriginal {
    UsableOriginal(
      data: data ?? Data(), metadata: metadata,
      provenance: OriginalMetadata(
        version: version, response: metadata.response, freshUntil: freshUntil, isStale: isStale,
        tags: metadata.tags))
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

  /// Of the bytes that were loaded, whatever is kept of them: ``OriginalMetadata/version``.
  var version: Checksum? {
    get { user[Self.versionName].flatMap { UInt64($0, radix: 16) }.map { Checksum(seed: $0) } }
    set { user[Self.versionName] = newValue.map { String($0.value, radix: 16) } }
  }
}
