import HTTPTypes

/// The part of the server that answers a request.
enum Route: Hashable, Sendable {
  /// `/`
  case landing
  /// `/health`, or the configured path.
  case health
  /// `/ready`
  case ready
  /// `/metrics`
  case metrics
  /// `/purge`
  case purge
  /// `/info/…`: facts about an image.
  case info
  /// `/playground`, and below it the name of one of its files; empty for the page.
  case playground(String)
  /// Paths that browsers and crawlers try: `/favicon.ico`, `/robots.txt`, `/.well-known/…`
  case none
  /// All others.
  case image

  /// Returns the route of a request target. Its query has no part in it.
  ///
  /// - Parameters:
  ///   - prefix: The path in front of all others; empty for none.
  ///   - healthPath: A further path of the health check; empty for none.
  init(_ target: String, prefix: String, healthPath: String) {
    var path = target.prefix { $0 != "?" }
    if !prefix.isEmpty, path.hasPrefix(prefix) {
      let rest = path.dropFirst(prefix.count)
      if rest.isEmpty || rest.hasPrefix("/") { path = rest }
    }
    switch path {
    case "", "/": self = .landing
    case "/health": self = .health
    case "/ready": self = .ready
    case "/metrics": self = .metrics
    case "/purge": self = .purge
    case "/favicon.ico", "/robots.txt": self = .none
    case _ where path.hasPrefix("/.well-known/"): self = .none
    case _ where path.hasPrefix("/info/"): self = .info
    case "/playground": self = .playground("")
    // The page names its files from the folder above.
    case "/playground/": self = .none
    case _ where path.hasPrefix("/playground/"):
      self = .playground(String(path.dropFirst("/playground/".count)))
    case _ where !healthPath.isEmpty && path == healthPath: self = .health
    default: self = .image
    }
  }

  /// The methods of the route, besides OPTIONS.
  var methods: [HTTPRequest.Method] {
    switch self {
    case .purge: [.post]
    case .playground: [.get, .head, .post]
    default: [.get, .head]
    }
  }
}
