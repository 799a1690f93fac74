public import FoundationEssentials
public import HTTPTypes

extension CurlLoader {
  /// The limits and the identity of a ``CurlLoader``, and its connection settings.
  public struct Configuration: Sendable {
    /// Concurrent transfers over all hosts. 32 by default.
    public var maxConcurrent = 32
    /// Concurrent transfers per host: scheme, host and port of the requested URL. 6 by default.
    ///
    /// When it is smaller than ``maxConcurrent``, and that is 4 or more, slow hosts leave slots to others: a host takes
    /// another slot only while it holds fewer than are free. With the defaults, 4 hosts that never answer hold 24 of
    /// the 32 slots, and a fifth gets 4 of the others.
    ///
    /// When it is not smaller, as in a program that loads everything from one server, one host may take all slots and
    /// the whole queue.
    public var maxConcurrentPerHost = 6
    /// The most queued transfers; more fail with ``LoadingError/queueFull(_:limit:)``. 10,000 by default.
    ///
    /// Where slots are shared (``maxConcurrentPerHost``), a host may queue at most as many transfers as the queue has
    /// free: a single host half of it.
    public var maxQueued = 10_000
    /// The order among queued transfers of one host and priority; hosts take turns. A transfer whose priority changes
    /// goes behind the others of its new priority.
    public var order = QueueOrder.fifo
    /// The most redirects to follow. 10 by default.
    public var maxRedirects = 10
    /// Whether a redirect may lead from `https` to `http`. `false` by default: an attacker on the network could change
    /// the image.
    public var allowsInsecureRedirects = false
    /// Decides whether a redirect to a URL is followed, before anything is sent to it; `nil` for all that the other settings
    /// allow. Refused ones fail with ``LoadingError/redirectRefused(_:reason:)``. It must return at once.
    public var allowsRedirect: (@Sendable (URL) -> Bool)?
    /// Bytes to buffer ahead of a slow consumer, per transfer (back-pressure). 256 KiB by default.
    public var highWater = 256 << 10
    /// Header fields of every request to every host, unless the request sets them: put no secrets here. Nothing else is
    /// sent, not even `Accept` and `User-Agent`. ``LoadRequest/accept`` replaces the default `Accept`, and no other.
    public var headers: HTTPFields = Configuration.defaultHeaders
    /// The addresses that may be connected to. ``AddressPolicy/any`` by default; use ``AddressPolicy/public`` for URLs
    /// from users, to prevent SSRF.
    public var addressPolicy = AddressPolicy.any
    /// The credentials for each origin. A request's own ``LoadRequest/credential`` takes precedence.
    public var credentials: [LoadRequest.Origin: LoadRequest.Credential] = [:]
    /// TLS certificates.
    public var tls = TLS()
    /// The proxy.
    public var proxy = Proxy.environment
    /// How cookies are treated.
    public var cookies = Cookies.none
    /// Fixed addresses of hosts, on any port, which bypass the resolver. Names are in lower case.
    public var hostAddresses: [String: [IPAddress]] = [:]

    /// Creates the default configuration.
    public init() {}

    /// Creates a configuration with the given concurrency; 6 per host by default.
    public init(maxConcurrent: Int, maxConcurrentPerHost: Int? = nil) {
      self.maxConcurrent = maxConcurrent
      self.maxConcurrentPerHost = maxConcurrentPerHost ?? 6
    }

    /// `Accept: image/*,*/*;q=0.8` and a `User-Agent`.
    public static let defaultHeaders: HTTPFields = [.accept: "image/*,*/*;q=0.8", .userAgent: "Calotype/0.1"]

    /// Returns the fields for a request with its own default `Accept` field.
    func headers(accepting accept: String?) -> HTTPFields {
      guard let accept, headers[.accept] == Self.defaultHeaders[.accept] else { return headers }
      var headers = headers
      headers[.accept] = accept
      return headers
    }

    /// The order among queued transfers of one host and priority.
    public enum QueueOrder: Hashable, Sendable {
      /// First in, first out.
      case fifo
      /// Last in, first out: an image that a user scrolled to is more urgent than earlier ones.
      case lifo
    }

    /// Trusted certificates and the client certificate.
    public struct TLS: Hashable, Sendable {
      /// A file of trusted CA certificates (PEM) that replaces the system's.
      public var caFile: String?
      /// A file with the client certificate (PEM) and its chain.
      public var certificateFile: String?
      /// A file with the private key of the client certificate (PEM); `nil` when it is in ``certificateFile``.
      public var keyFile: String?
      /// The password of the private key.
      public var keyPassword: String?
      /// Whether to verify the server's certificate. Without verification, an attacker on the network can impersonate
      /// the server: disable it only in tests.
      public var verifiesServer = true

      /// Uses the system's trusted certificates, and no client certificate.
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

    /// The proxy.
    public enum Proxy: Hashable, Sendable {
      /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; no proxy with a restricting ``addressPolicy``,
      /// because the proxy would choose the address.
      case environment
      /// No proxy.
      case none
      /// This proxy (`http`, `https`, `socks4`, `socks5` or `socks5h`), with user and password in the URL if needed. A
      /// restricting ``addressPolicy`` must trust it: ``AddressPolicy/trustingProxy()``.
      case url(URL)
    }

    /// How cookies are treated.
    public enum Cookies: Hashable, Sendable {
      /// Cookies are neither stored nor sent, except for a `Cookie` field of the request.
      case none
      /// Cookies are stored in memory by the rules of RFC 6265, for this loader alone. Requests with a
      /// ``LoadRequest/partition`` have none. Cached bytes of such a loader are found only by the same loader.
      case memory
    }
  }
}
