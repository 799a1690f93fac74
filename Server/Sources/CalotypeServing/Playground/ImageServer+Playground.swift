import CalotypePlayground
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

/// The playground: a page, its files, the table of options, and signatures for it.
///
/// The page asks for signatures with the secret of the server; keys never leave it. Without a secret, the playground answers
/// requests to this machine alone, by its name, so that no page from elsewhere can have URLs signed.
extension ImageServer {
  /// Answers a request for a file of the playground, its table, or signatures.
  func playground(_ name: String, _ request: HTTPRequest, _ rules: ServingRules) -> ServedResponse {
    guard rules.settings.server.servesPlayground else {
      return failed(Failure(.notRouted), request, rules)
    }
    let isSigning = name == "sign"
    guard isSigning == (request.method == .post) else {
      var response = failed(Failure(.methodNotAllowed), request, rules)
      response.fields[.allow] = isSigning ? "POST" : "GET, HEAD"
      return response
    }
    if let file = PlaygroundFile(rawValue: name) {
      return page(file.data, type: file.mediaType, isHead: request.method == .head)
    }
    guard isSigning || name == "options.json" else { return failed(Failure(.notRouted), request, rules) }
    if let refusal = refusal(of: request, rules) { return refusal }
    if isSigning { return signatures(request.path ?? "", request, rules) }
    return json(PlaygroundTable.object(rules), .ok, isHead: request.method == .head)
  }

  /// Returns the response to a request that may not have signatures.
  private func refusal(of request: HTTPRequest, _ rules: ServingRules) -> ServedResponse? {
    guard rules.secrets.isEmpty else {
      guard !rules.secrets.allow(request.headerFields[.authorization]) else { return nil }
      var response = json(
        .object([.init("error", .string("the secret of the server is needed"))]), .unauthorized)
      response.fields[.wwwAuthenticate] = "Bearer realm=\"playground\""
      return response
    }
    // A page from elsewhere may know a name that leads here, and browsers tell where requests come from.
    let fields = request.headerFields
    let isOwn = request.authority.map(Self.isThisMachine) ?? false
    let isDirect = !Self.forwarding.contains { fields.contains($0) }
    let site = fields[.fetchSite]
    let isSameSite = site == nil || site == "same-origin" || site == "none"
    let origin = fields[.origin].map { $0.split(separator: "://", maxSplits: 1).last.map(String.init) ?? "" }
    let isSameOrigin = origin.map(Self.isThisMachine) ?? true
    guard !isOwn || !isDirect || !isSameSite || !isSameOrigin else { return nil }
    return json(
      .object([.init("error", .string("without a secret, only this machine may sign; set SECRET"))]),
      .forbidden)
  }

  /// The fields that proxies add: behind one, the name of this machine says nothing about the client.
  private static let forwarding = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
    .compactMap { HTTPField.Name($0) }

  private static func isThisMachine(_ authority: String) -> Bool {
    var (host, rest) = (authority[...], Substring())
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return false }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
    } else if let colon = authority.firstIndex(of: ":") {
      (host, rest) = (authority[..<colon], authority[colon...])
    }
    let isPort = rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) != nil
    return isPort && (host.lowercased() == "localhost" || AddressKind(String(host)) == .loopback)
  }

  /// `POST /playground/sign?path=…&path=…`, with `info=1` for paths of `/info`.
  private func signatures(
    _ target: String, _ request: HTTPRequest, _ rules: ServingRules
  ) -> ServedResponse {
    guard let query = QueryText.parameters(of: target) else {
      return failed(Failure(.invalidURL, detail: "a query that is not percent-encoded"), request, rules)
    }
    let paths = query.filter { $0.name == "path" }.map(\.value)
    let isInfo = query.contains { $0.name == "info" && $0.value == "1" }
    guard !paths.isEmpty, paths.count <= PlaygroundSigner.maxPaths else {
      return json(
        .object([.init("error", .string("1 to \(PlaygroundSigner.maxPaths) paths are signed at once"))]),
        .badRequest)
    }
    let moment = Int64(now().timeIntervalSince1970.rounded(.down))
    do throws(ImageURLError) {
      var urls: [JSONValue] = []
      for path in paths {
        urls.append(.string(try PlaygroundSigner(rules: rules).url(for: path, isInfo: isInfo, at: moment)))
      }
      return json(
        .object([
          .init("urls", .array(urls)), .init("lifetime", .integer(Int(PlaygroundSigner.lifetime))),
        ]), .ok)
    } catch {
      // The text is one that the client has sent.
      return json(
        .object([.init("error", .string(error.description)), .init("code", .string(error.code))]),
        HTTPResponse.Status(code: error.status))
    }
  }

  private func json(
    _ value: JSONValue, _ status: HTTPResponse.Status, isHead: Bool = false
  ) -> ServedResponse {
    var response = page(Data(value.text.utf8), type: "application/json", isHead: isHead)
    response.status = status
    response.fields[.cacheControl] = "no-store"
    return response
  }

  private func page(_ data: Data, type: String, isHead: Bool) -> ServedResponse {
    var fields = HTTPFields()
    fields[.contentType] = type
    // The files belong to the version of the program.
    fields[.cacheControl] = "no-cache"
    fields[.contentSecurityPolicy] = PlaygroundFile.contentSecurityPolicy
    fields[.xContentTypeOptions] = "nosniff"
    fields[.referrerPolicy] = "no-referrer"
    fields[.crossOriginResourcePolicy] = "same-origin"
    fields[.crossOriginOpenerPolicy] = "same-origin"
    return ServedResponse(
      status: .ok, fields: fields, body: isHead ? Data() : data, declaredLength: isHead ? data.count : nil)
  }
}
