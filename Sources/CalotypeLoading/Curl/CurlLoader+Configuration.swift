public import FoundationEssentials
public import HTTPTypes

extension CurlLoader {
  /// Limits, identity and ways of a ``CurlLoader``.
  public struct Configuration: Sendable {
    /// Transfers at a time, over all hosts. 32 by default.
    public var maxConcurrent = 32
    /// Transfers at a time per host: scheme, host and port of the requested URL. 6 by default.
    ///
    /// When it is smaller than ``maxConcurrent``, and that is 4 or more, hosts that hold their places for long leave some to
    /// others besides: a host takes another place only while it holds fewer than are free. With the defaults, 4 hosts that
    /// never answer hold 24 of the 32 places, and the fifth gets 4 of the others.
    ///
    /// When it is not smaller, as in a program that loads everything from one server, one host may have all places and the
    /// whole queue.
    public var maxConcurrentPerHost = 6
    /// Transfers that may wait for their turn; more fail with ``LoadingError/queueFull(_:limit:)``. 10,000 by default.
    ///
    /// Where places are shared (``maxConcurrentPerHost``), a host may have at most as many waiting as the queue has room for
    /// others: one alone half of it.
    public var maxQueued = 10_000
    /// Who goes first among waiting transfers of one host and priority; hosts take turns. One whose priority changes while it waits goes behind those
    /// that have that priority.
    public var order = QueueOrder.fifo
    /// Redirects to follow. 10 by default.
    public var maxRedirects = 10
    /// Whether a redirect may lead from `https` to `http`. Not by default: whoever listens could change the image.
    public var allowsInsecureRedirects = false
    /// Bytes to keep ahead of a slow consumer, per transfer. 256 KiB by default.
    public var highWater = 256 << 10
    /// Fields that go with every request to every host, unless the request has them itself: nothing secret belongs here.
    /// A field that is not in here is not sent, `Accept` and `User-Agent` included.
    public var headers: HTTPFields = Configuration.defaultHeaders
    /// Which addresses may be connected to. ``AddressPolicy/any`` by default: choose ``AddressPolicy/public`` when the
    /// URLs come from others.
    public var addressPolicy = AddressPolicy.any
    /// Who we are to which origin; a request's own ``LoadRequest/credential`` wins.
    public var credentials: [LoadRequest.Origin: LoadRequest.Credential] = [:]
    /// Certificates.
    public var tls = TLS()
    /// The way out.
    public var proxy = Proxy.environment
    /// What becomes of cookies.
    public var cookies = Cookies.none
    /// Addresses of hosts, on any port, instead of asking the resolver. Names are in lower case.
    public var hostAddresses: [String: [IPAddress]] = [:]

    /// The defaults.
    public init() {}

    /// The defaults with other limits on how much runs at a time; 6 per host unless said otherwise.
    public init(maxConcurrent: Int, maxConcurrentPerHost: Int? = nil) {
      self.maxConcurrent = maxConcurrent
      self.maxConcurrentPerHost = maxConcurrentPerHost ?? 6
    }

    /// `Accept: image/*,*/*;q=0.8` and a `User-Agent`.
    public static let defaultHeaders: HTTPFields = [.accept: "image/*,*/*;q=0.8", .userAgent: "Calotype/0.1"]

    /// Who goes first among waiting transfers of one host and priority.
    public enum QueueOrder: Hashable, Sendable {
      /// Whoever came first.
      case fifo
      /// Whoever came last: what a user scrolled to is wanted more than what was there before.
      case lifo
    }

    /// Which certificates are trusted and shown.
    public struct TLS: Hashable, Sendable {
      /// A file of trusted certificates (PEM) to use instead of the system's.
      public var caFile: String?
      /// A file with our certificate (PEM), and the chain above it.
      public var certificateFile: String?
      /// A file with the key of our certificate (PEM); `nil` when it is in ``certificateFile``.
      public var keyFile: String?
      /// What the key is encrypted with.
      public var keyPassword: String?
      /// Whether the server must prove who it is. Without it, anybody on the way can be the server: for tests alone.
      public var verifiesServer = true

      /// The system's trusted certificates, and none to show.
      public init(
        caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        keyPassword: String? = nil
      ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.keyPassword = keyPassword
      }
    }

    /// The way out.
    public enum Proxy: Hashable, Sendable {
      /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; none at all with an ``addressPolicy`` that restricts,
      /// because the proxy would decide which address is reached.
      case environment
      /// No proxy.
      case none
      /// This one (`http`, `https`, `socks4`, `socks5` or `socks5h`), with user and password in the URL if it wants them.
      /// An ``addressPolicy`` that restricts must trust it: ``AddressPolicy/trustingProxy()``.
      case url(URL)
    }

    /// What becomes of cookies.
    public enum Cookies: Hashable, Sendable {
      /// They are neither kept nor sent, but for a `Cookie` field of the request.
      case none
      /// They are kept in memory, by the rules of RFC 6265, for this loader alone. Requests with a
      /// ``LoadRequest/partition`` have none. What such a loader delivers is found in caches by this one alone.
      case memory
    }
  }
}
