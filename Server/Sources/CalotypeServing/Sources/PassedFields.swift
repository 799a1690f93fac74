import CalotypeSettings
import FoundationEssentials
import HTTPTypes

/// The header fields and cookies of clients that sources get, and those that results depend on.
struct PassedFields: Sendable {
  private let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  /// Returns the fields for a source.
  func fields(of request: HTTPRequest, to source: SourceReference) -> HTTPFields {
    var result = HTTPFields()
    guard source.kind == .http else { return result }
    for name in settings.server.passedRequestHeaders.compactMap({ HTTPField.Name($0) }) {
      for value in request.headerFields[values: name] { result.append(HTTPField(name: name, value: value)) }
    }
    let security = settings.security
    if security.passesCookies || security.passesAllCookies, let cookies = request.headerFields[.cookie],
      security.passesAllCookies || suits(source, request)
    {
      result[.cookie] = cookies
    }
    return result
  }

  /// The fields of an origin that clients never get: those of its connection, those of other bytes than the result, and cookies,
  /// which caches would hand to other clients.
  private static let unpassed = Set(
    [
      "connection", "content-encoding", "content-length", "content-range", "keep-alive", "proxy-authenticate",
      "proxy-connection", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    ].compactMap { HTTPField.Name($0) })

  /// Returns the fields of an origin that clients get as well.
  func responseFields(of origin: HTTPFields) -> HTTPFields {
    let names = Set(settings.server.passedResponseHeaders.compactMap { HTTPField.Name($0) })
    guard !names.isEmpty else { return HTTPFields() }
    return HTTPFields(origin.filter { names.contains($0.name) && !Self.unpassed.contains($0.name) })
  }

  /// Returns the values of the headers and cookies that are part of the identities of results.
  func variants(of request: HTTPRequest) -> [String] {
    var result: [String] = []
    for name in settings.cache.keyHeaders.compactMap({ HTTPField.Name($0) }) {
      result.append("\(name): \(request.headerFields[values: name].joined(separator: ","))")
    }
    guard !settings.cache.keyCookies.isEmpty else { return result }
    let cookies = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
    for name in settings.cache.keyCookies {
      let value = cookies.first { $0.drop { $0 == " " }.hasPrefix(name + "=") }
      result.append("cookie " + (value.map(String.init) ?? name))
    }
    return result
  }

  /// Whether the cookies of a client were set for a source: its host is that of the base URL, or of the request, or lies
  /// below it.
  private func suits(_ source: SourceReference, _ request: HTTPRequest) -> Bool {
    let base = settings.security.cookieBaseURL
    let host =
      base.isEmpty
      ? request.authority.map { String($0.prefix { $0 != ":" }) } : URL(string: base)?.host()
    guard let host = host?.lowercased(), !host.isEmpty, let target = source.url.host()?.lowercased() else {
      return false
    }
    return target == host || target.hasSuffix("." + host)
  }
}
