import CalotypeCaching
import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// The resource that redirects led to when an original was loaded. As long as they lead there, its server
/// can revalidate it without sending the bytes, and is not asked at all while its response is fresh.
struct RedirectTarget: Hashable, Sendable {
  /// The validators of the resource, with its URL.
  private let validators: LoadRequest.Validators
  /// The end of the freshness of its own response, regardless of the redirects.
  private let freshUntil: Date?

  /// The maximum number of bytes stored for a target.
  private static let byteLimit = 4096

  /// Returns `nil` if a target would save nothing, and for URLs with a user.
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

  /// Returns the validators for the next request.
  ///
  /// - Parameter mayUseFresh: Whether the request accepts a fresh response.
  func validators(at now: Date, mayUseFresh: Bool) -> LoadRequest.Validators? {
    var result = validators
    result.isFresh = mayUseFresh && freshUntil.map { $0 > now } == true
    return result.isFresh || !result.isEmpty ? result : nil
  }

  /// Returns whether a 304 confirms the same version: its `ETag`, if present, is that of the resource.
  func isConfirmed(by headers: HTTPFields) -> Bool {
    guard let theirs = headers[.eTag], let ours = validators.etag else { return true }
    func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
    return opaque(theirs) == opaque(ours)
  }

  /// Returns whether a response comes from this resource.
  func isSource(of response: LoadResponse) -> Bool { response.url == validators.url }

  /// Returns the remaining freshness of its own response, in seconds.
  func lifetime(at now: Date) -> Int? {
    freshUntil.map { Int(max(0, $0.timeIntervalSince(now)).rounded(.down)) }
  }

  /// Returns the target after its server has confirmed it with other header fields.
  func confirmed(by headers: HTTPFields, freshUntil: Date?) -> RedirectTarget? {
    guard let url = validators.url else { return nil }
    return RedirectTarget(LoadRequest.Validators(headers) ?? validators, url: url, freshUntil: freshUntil)
  }
}

extension RecordMetadata {
  private static let targetName = "target"

  /// The target of redirects, if it is worth storing. Kept as four strings in `user`.
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
  /// Returns the resource that redirects led to, as its own response describes it; `nil` without redirects,
  /// and where the response must not be stored.
  ///
  /// A fallback has no target: it delivers another image than the requested one.
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

  /// Returns the end of the freshness that a 304 declares; `nil` if it declares none.
  func lifetimeEnd(of notModified: HTTPFields, for headers: HTTPFields, requested: Date, received: Date)
    -> Date?
  {
    guard notModified.contains(.cacheControl) || notModified.contains(.expires) else { return nil }
    let stored = StoredResponse(
      status: 200, fields: notModified, request: headers, requestTime: requested, responseTime: received)
    return end(of: stored, for: headers, at: received)
  }

  /// Returns the response to store after such a resource has confirmed the stored one, or did not have to
  /// be asked, with a freshness limited by that of its own response and of the redirects.
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
    // The resource was not asked: the remaining lifetime counts from now, not from its last `Date`.
    var kept = stored.fields
    for name in [.cacheControl, .date, .age] as [HTTPField.Name] { kept[values: name] = fields[values: name] }
    return storeDecision(
      request: request.headers, status: stored.status, response: kept, requestTime: requested,
      responseTime: received)
  }
}
