extension LoadResponse {
  /// The durations of the phases of a load. After redirects they are those of the last request, except for ``total``.
  public struct Metrics: Hashable, Codable, Sendable {
    /// From the call to the start of the transfer: the time in the loader's queue.
    public var queued: Duration = .zero
    /// Name look-up; zero when a connection was reused.
    public var nameLookup: Duration = .zero
    /// TCP handshake; zero when a connection was reused.
    public var connect: Duration = .zero
    /// TLS handshake; zero without TLS or when a connection was reused.
    public var tls: Duration = .zero
    /// From the start of the request to the first byte of the response.
    public var firstByte: Duration = .zero
    /// From the call to the last byte.
    public var total: Duration = .zero
    /// Bytes of the body on the wire.
    public var bytesReceived = 0
    /// Bytes of the response head.
    public var headerBytes = 0
    /// Whether an existing connection was reused.
    public var isConnectionReused = false
    /// The protocol, such as `http/1.1` or `h2`.
    public var networkProtocol: String?
    /// The address of the server, or of the proxy.
    public var remoteAddress: String?
    /// The number of redirects followed.
    public var redirects = 0
    /// The number of requests: more than one after a retry or a resumption.
    public var attempts = 1

    /// Creates metrics without measurements.
    public init() {}
  }
}
