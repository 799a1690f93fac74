extension Settings {
  /// Addresses, timeouts and headers of the HTTP server.
  public struct Server: Equatable, Sendable {
    /// A kind of listening socket.
    public enum Network: String, SettingConvertible, CaseIterable {
      /// TCP over IPv4 or IPv6.
      case tcp
      /// A Unix domain socket.
      case unix
    }

    /// A value of `Cross-Origin-Resource-Policy`.
    public enum ResourcePolicy: String, SettingConvertible, CaseIterable {
      /// No header.
      case none
      /// The same origin only.
      case sameOrigin = "same-origin"
      /// The same site only.
      case sameSite = "same-site"
      /// All.
      case crossOrigin = "cross-origin"
    }

    /// Where the server listens.
    public var bind: BindAddress? = .port(host: "", 8080)
    /// The kind of the listening socket.
    public var network = Network.tcp
    /// Whether several processes may listen at one port.
    public var reusesPort = false
    /// Most connections at once; 0 for no limit.
    public var maxClients = 2048
    /// The time in which a result has to be made.
    public var timeout = Duration.seconds(10)
    /// The time in which a request has to arrive, and each part of its body after another.
    public var readTimeout = Duration.seconds(10)
    /// The time in which a client has to make room for the next bytes of a response.
    public var writeTimeout = Duration.seconds(10)
    /// How long an idle connection of a client stays open, at most ``readTimeout``; 0: responses ask clients to close it.
    public var keepAlive = Duration.seconds(10)
    /// How long an idle connection to a source stays open; 0 for no keep-alive.
    public var sourceKeepAlive = Duration.seconds(90)
    /// The time of a download; for one that is passed on as it arrives, the time of each wait.
    public var downloadTimeout = Duration.seconds(5)
    /// How long work in flight may go on after SIGTERM.
    public var stopTimeout = Duration.seconds(20)
    /// How long the server still accepts connections after SIGTERM, while it reports that it is not ready.
    public var stopDelay = Duration.seconds(5)
    /// The path in front of all others; empty for none.
    public var pathPrefix = ""
    /// A path that answers as `/health` does; empty for none.
    public var healthPath = ""
    /// The body of the health check.
    public var healthMessage = "imgproxy is running"
    /// Tokens of `Authorization: Bearer`; none: not asked for.
    public var secrets: [Secret<String>] = []
    /// Origins of `Access-Control-Allow-Origin`, or `*`.
    public var allowedOrigins: [String] = []
    /// The value of `Cross-Origin-Resource-Policy`.
    public var resourcePolicy = ResourcePolicy.none
    /// `User-Agent` of downloads, in which `%current_version` stands for the version.
    public var userAgent = "Calotype/%current_version"
    /// `Server` of responses; empty for none.
    public var name = "Calotype"
    /// The text between the items of ``requestHeaders`` and ``responseHeaders``.
    public var headersSeparator = "\\;"
    /// Headers that are added to downloads.
    public var requestHeaders: Secret<[SettingPair]> = Secret([])
    /// Headers that are added to responses.
    public var responseHeaders: [SettingPair] = []
    /// Headers of requests that are sent to the source as well.
    public var passedRequestHeaders: [String] = []
    /// Headers of the source's response that are sent to the client as well.
    public var passedResponseHeaders: [String] = []
    /// Whether responses name their source in a `Link` header.
    public var setsCanonicalHeader = false
    /// Whether responses describe how they were made.
    public var setsDebugHeaders = false
    /// Whether clients see the details of errors.
    public var showsErrorDetails = false
    /// Proxies whose `X-Forwarded-For` names the client.
    public var trustedProxies: [NetworkRange] = []
    /// Whether `/playground` is served.
    public var servesPlayground = false

    /// The defaults.
    public init() {}
  }
}
