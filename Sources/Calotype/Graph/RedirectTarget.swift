import CalotypeCaching
import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// The resource that redirects led to when an original was loaded. As long as they lead there, its server need not send
/// the bytes again, and need not be asked while its response is fresh.
struct RedirectTarget: Hashable, Sendable {
  /// Of the resource, with its URL.
  private let validators: LoadRequest.Validators
  /// Until when its own response is fresh, whatever the redirects say.
  private let freshUntil: Date?

  /// The most bytes that are kept of one.
  private static let byteLimit = 4096

  /// `nil` where nothing would be saved by it, and for URLs with a user.
  init?(_ validators: LoadRequest.Validators?, url: URL, freshUntil: Date?) {
    var validators = validators ?? LoadRequest.Validators()
    validators.url = url
    let count = [url.absoluteString, validators.etag, validators.lastModified].reduce(0) {
      $0 + ($1?.utf8.count ?? 0)
    }
    guard freshUntil != nil || !validators.isEmpty, url.user() == nil, url.password() == nil,
      count <= Self.byteLimit
    else { return nil }
    self.validators = validators
    self.freshUntil = freshUntil
  }

  /// What to send with the next request.
  ///
  /// - Parameter mayUseFresh: Whether the request is content with a fresh response.
  func validators(at now: Date, mayUseFresh: Bool) -> LoadRequest.Validators? {
    var result = validators
    result.isFresh = mayUseFresh && freshUntil.map { $0 > now } == true
    return result.isFresh || !result.isEmpty ? result : nil
  }

  /// Whether a 304 is about the same version: its `ETag`, if it has one, is that of the resource.
  func isConfirmed(by headers: HTTPFields) -> Bool {
    guard let theirs = headers[.eTag], let ours = validators.etag else { return true }
    func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
    return opaque(theirs) == opaque(ours)
  }

  /// Whether a response comes from there.
  func isSource(of response: LoadResponse) -> Bool { response.url == validators.url }

  /// Seconds for which its own response is fresh.
  func lifetime(at now: Date) -> Int? {
    freshUntil.map { Int(max(0, $0.timeIntervalSince(now)).rounded(.down)) }
  }

  /// After its server confirmed it with other header fields.
  func confirmed(by headers: HTTPFields, freshUntil: Date?) -> RedirectTarget? {
    guard let url = validators.url else { return nil }
    return RedirectTarget(LoadRequest.Validators(headers) ?? validators, url: url, freshUntil: freshUntil)
  }
}

extension RecordMetadata {
  private static let targetName = "target"

  /// Where redirects led, if that is worth knowing. Kept as four texts in `user`.
  var target: RedirectTarget? {
    get {
      guard let url = user[Self.targetName].flatMap({ URL(string: $0) }) else { return nil }
      let validators = LoadRequest.Validators(
        etag: user["\(Self.targetName)-etag"], lastModified: user["\(Self.targetName)-last-modified"])
      let end = user["\(Self.targetName)-fresh-until"].flatMap { Int64($0) }
      return RedirectTarget(
        validators, url: url, freshUntil: end.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
    set {
      let texts = newValue?.texts ?? [:]
      for part in ["", "-etag", "-last-modified", "-fresh-until"] {
        user[Self.targetName + part] = texts[part]
      }
    }
  }
}

extension RedirectTarget {
  fileprivate var texts: [String: String] {
    var result = ["": validators.url?.absoluteString ?? ""]
    result["-etag"] = validators.etag
    result["-last-modified"] = validators.lastModified
    result["-fresh-until"] = freshUntil.map { "\(Int64($0.timeIntervalSince1970.rounded(.down)))" }
    return result
  }
}

extension FreshnessPolicy {
  /// The resource that redirects led to, as its own response describes it; `nil` without redirects, and where the response
  /// must not be kept.
  ///
  /// A fallback is none: what it delivers is not the image that was asked for.
  func target(of response: LoadResponse, for request: ImageRequest, requested: Date, received: Date)
    -> RedirectTarget?
  {
    guard !response.redirects.isEmpty, request.fallbacks.isEmpty, response.status == 200 else { return nil }
    let decision = storeDecision(
      request: request.headers, status: 200, response: response.headers, requestTime: requested,
      responseTime: received)
    guard let stored = decision.stored else { return nil }
    return RedirectTarget(
      LoadRequest.Validators(response.headers), url: response.url,
      freshUntil: end(of: stored, for: request.headers, at: received))
  }

  /// Until when a 304 says that a response is fresh; `nil` when it says nothing.
  func lifetimeEnd(of notModified: HTTPFields, for headers: HTTPFields, requested: Date, received: Date)
    -> Date?
  {
    guard notModified.contains(.cacheControl) || notModified.contains(.expires) else { return nil }
    let stored = StoredResponse(
      status: 200, fields: notModified, request: headers, requestTime: requested, responseTime: received)
    return end(of: stored, for: headers, at: received)
  }

  /// What to keep after such a resource confirmed what is stored, or did not have to be asked: with no more freshness than
  /// its own response has left, and the redirects to it.
  func storeDecision(
    confirming stored: StoredResponse, from target: RedirectTarget, by response: LoadResponse,
    for request: ImageRequest, requested: Date, received: Date
  ) -> FreshnessPolicy.StoreDecision {
    var fields = fields(of: response, for: request, at: received)
    let limits = fields[values: .cacheControl]
    // A 304 need not repeat them.
    if !response.headers.contains(.cacheControl) {
      for value in stored.fields[values: .cacheControl] where !limits.contains(value) {
        fields.append(HTTPField(name: .cacheControl, value: value))
      }
    }
    if pinnedLifetime == nil, let left = target.lifetime(at: received),
      left < CacheControlHeader(response: fields).maxAge ?? .max
    {
      fields.append(HTTPField(name: .cacheControl, value: "max-age=\(left), s-maxage=\(left)"))
    }
    guard response.headers.isEmpty else {
      return storeDecision(
        revalidating: stored, notModified: fields, request: request.headers, requestTime: requested,
        responseTime: received)
    }
    // It was not asked: the lifetime that is left counts from now, and not from its last `Date`.
    var kept = stored.fields
    for name in [.cacheControl, .date, .age] as [HTTPField.Name] { kept[values: name] = fields[values: name] }
    return storeDecision(
      request: request.headers, status: stored.status, response: kept, requestTime: requested,
      responseTime: received)
  }
}
