import FoundationEssentials
import HTTPTypes

/// One request of a transfer: the first, or one after a redirect. It exists only if it may be sent.
///
/// Pure. The loader follows redirects instead of libcurl, so that each is checked before anything is sent, and gets its
/// own handle.
struct HTTPRequestStep {
  let url: CurlURL
  /// Fields to send, those of the loader included.
  let headers: HTTPFields
  let credential: LoadRequest.Credential?
  /// 0 for the first request.
  let number: Int
  /// Whether a redirect led to a fresh response that the caller has, so that no request is needed.
  let isHeld: Bool

  /// The first request.
  init(_ url: URL, for request: LoadRequest, _ configuration: CurlLoader.Configuration) throws(LoadingError) {
    // libcurl would interpret the first component of the path as the host.
    guard url.host()?.isEmpty == false else { throw .invalidURL(url, reason: "it names no host") }
    do {
      self.url = try CurlURL(url.absoluteString)
    } catch {
      throw .invalidURL(url, reason: error.reason)
    }
    if let reason = Self.refusal(of: self.url, written: self.url.writtenHost ?? "", configuration) {
      throw .addressRefused(url, reason: reason)
    }
    let known =
      request.credential ?? Self.credential(in: self.url) ?? configuration.credentials[self.url.origin]
    if let known, known.holdsControlCharacters {
      throw .invalidURL(url, reason: "its credential holds a control character, a line end perhaps")
    }
    number = 0
    isHeld = false
    headers = Self.headers(
      request, isOrigin: true, Self.validators(of: request, for: self.url, 0), configuration)
    credential = known
  }

  /// Returns the request that a redirect demands.
  ///
  /// - Parameters:
  ///   - location: The `Location`, absolute or relative.
  ///   - first: The first request of the transfer.
  init(
    following location: String, from previous: HTTPRequestStep, first: HTTPRequestStep,
    of transfer: (url: URL, request: LoadRequest),
    _ configuration: CurlLoader.Configuration
  ) throws(LoadingError) {
    guard previous.number < configuration.maxRedirects else {
      throw .tooManyRedirects(transfer.url, limit: configuration.maxRedirects)
    }
    do {
      url = try CurlURL(location, relativeTo: previous.url.text)
    } catch {
      throw .redirectRefused(transfer.url, reason: error.reason)
    }
    guard url.scheme == "http" || url.scheme == "https" else {
      throw .redirectRefused(transfer.url, reason: "its scheme \(url.scheme) is neither http nor https")
    }
    if previous.url.scheme == "https", url.scheme == "http", !configuration.allowsInsecureRedirects {
      throw .redirectRefused(transfer.url, reason: "it leads from https to http")
    }
    if let reason = Self.refusal(of: url, written: url.writtenHost ?? previous.url.host, configuration) {
      throw .addressRefused(transfer.url, reason: "it redirects to \(url.origin), \(reason)")
    }
    if let allows = configuration.allowsRedirect, !(URL(string: url.text).map(allows) ?? false) {
      throw .redirectRefused(transfer.url, reason: "the configuration does not allow \(url.origin)")
    }
    number = previous.number + 1
    let isOrigin = url.origin == first.url.origin
    let validators = Self.validators(of: transfer.request, for: url, number)
    isHeld = validators?.isFresh == true
    headers = Self.headers(transfer.request, isOrigin: isOrigin, validators, configuration)
    // Never from the redirect itself: a server must not choose the credential.
    let known = isOrigin ? first.credential : configuration.credentials[url.origin]
    guard known?.holdsControlCharacters != true else {
      throw .redirectRefused(
        transfer.url, reason: "the credential for \(url.origin) holds a control character")
    }
    credential = known
  }

  /// Whether libcurl answers a challenge by itself, so that there are two responses.
  var answersChallenge: Bool {
    if case .digest = credential { true } else { false }
  }

  private static func refusal(
    of url: CurlURL, written: @autoclosure () -> String, _ configuration: CurlLoader.Configuration
  ) -> String? {
    let policy = configuration.addressPolicy
    guard policy.isRestricting else { return nil }
    let written = written()
    if let reason = policy.refusal(scheme: url.scheme, host: written) { return reason }
    guard HostText(written).canonical == HostText(url.host).canonical else {
      return "its host can be read in two ways, \(written) and \(url.host)"
    }
    if case .url = configuration.proxy, !policy.trustsProxy {
      return "a proxy would decide which address is reached"
    }
    return nil
  }

  private static func credential(in url: CurlURL) -> LoadRequest.Credential? {
    guard url.user != nil || url.password != nil else { return nil }
    return .basic(user: url.user ?? "", password: url.password ?? "")
  }

  /// The validators for a URL: those of another resource could confirm a different image.
  private static func validators(of request: LoadRequest, for url: CurlURL, _ number: Int) -> LoadRequest
    .Validators?
  {
    guard let validators = request.validators else { return nil }
    guard let subject = validators.url else { return number == 0 ? validators : nil }
    return URL(string: url.text) == subject ? validators : nil
  }

  private static func headers(
    _ request: LoadRequest, isOrigin: Bool, _ validators: LoadRequest.Validators?,
    _ configuration: CurlLoader.Configuration
  ) -> HTTPFields {
    let own = configuration.headers(accepting: request.accept)
    if request.headers.isEmpty, validators == nil { return own }
    var result = HTTPFields()
    for field in own where request.headers[field.name] == nil { result.append(field) }
    for field in request.headers where isOrigin || field.isNegotiating { result.append(field) }
    if let validators {
      if result[.ifNoneMatch] == nil { result[.ifNoneMatch] = validators.etag }
      // RFC 9110 §13.1.3: a server that knows the first ignores the second, so both can be sent.
      if result[.ifModifiedSince] == nil { result[.ifModifiedSince] = validators.lastModified }
    }
    return result
  }
}
