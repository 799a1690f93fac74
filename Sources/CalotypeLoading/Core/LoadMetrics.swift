/// How long the parts of a load took. Times of a load with redirects are those of its last request, but ``total``.
public struct LoadMetrics: Hashable, Sendable {
  /// From the call to the start of the transfer: time in the loader's queue.
  public var queued: Duration = .zero
  /// Name look-up; zero when the connection was there.
  public var nameLookup: Duration = .zero
  /// TCP handshake; zero when the connection was there.
  public var connect: Duration = .zero
  /// TLS handshake; zero without TLS or when the connection was there.
  public var tls: Duration = .zero
  /// From the start of the request to the first byte of the response.
  public var firstByte: Duration = .zero
  /// From the call to the last byte.
  public var total: Duration = .zero
  /// Bytes of the body, as they came over the wire.
  public var bytesReceived = 0
  /// Bytes of the head.
  public var headerBytes = 0
  /// Whether a connection was used that had been there before.
  public var isConnectionReused = false
  /// `http/1.1`, `h2` and the like.
  public var networkProtocol: String?
  /// The address of the server, or of the proxy.
  public var remoteAddress: String?
  /// Redirects that were followed.
  public var redirects = 0
  /// Requests that were made in all: more than one after a retry or a continued body.
  public var attempts = 1

  /// Nothing measured.
  public init() {}
}
