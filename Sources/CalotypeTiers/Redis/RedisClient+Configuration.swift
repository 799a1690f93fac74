public import CalotypeCaching
public import FoundationEssentials

extension RedisClient {
  /// The server and the settings of a client. Its password appears in no description.
  public struct Configuration: Sendable {
    /// The name or address of the server.
    public var host: String
    /// The port; 6379 by default.
    public var port: Int
    /// Whether the connection uses TLS, and certificates are checked.
    public var usesTLS: Bool
    /// The user; `nil` is Redis' `default`.
    public var user: String?
    /// The number of the database; 0 by default.
    public var database: Int
    /// A file of certificates (PEM) that are trusted instead of those of the system.
    public var caFile: String?
    /// The certificate of this client (PEM).
    public var certificateFile: String?
    /// The key of this client (PEM).
    public var keyFile: String?
    /// Begins all keys and channels, so that several services can share a server: letters, digits, `-`, `_` and `.`.
    public var namespace = "calotype"
    /// The time after which a command fails.
    public var timeout = Duration.milliseconds(100)
    /// The time that a connection may take, with TLS and the greeting. No command waits for it.
    public var connectTimeout = Duration.seconds(1)
    /// The time between two attempts to connect.
    public var retryInterval = Duration.seconds(1)
    /// The time after which the server is asked whether it is there.
    public var pingInterval = Duration.seconds(5)
    var password: String?

    /// Creates the settings for a server.
    public init(host: String, port: Int = 6_379, usesTLS: Bool = false) {
      self.host = host
      self.port = port
      self.usesTLS = usesTLS
      database = 0
    }

    /// Creates the settings of a URL: `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS; `valkey://`
    /// and `valkeys://` mean the same.
    ///
    /// - Throws: `CachingError.failed(operation:reason:isRetryable:)` for any other URL; it does not contain the URL.
    public init(_ url: URL) throws(CachingError) {
      func problem(_ reason: String) -> CachingError {
        .failed(operation: "redis", reason: reason, isRetryable: false)
      }
      let scheme = url.scheme?.lowercased()
      let isSecure = scheme == "rediss" || scheme == "valkeys"
      guard isSecure || scheme == "redis" || scheme == "valkey" else {
        throw problem("the URL begins with neither redis:// nor rediss://, valkey:// nor valkeys://")
      }
      guard let host = url.host(), !host.isEmpty else { throw problem("the URL has no host") }
      self.init(host: host, port: url.port ?? 6_379, usesTLS: isSecure)
      let path = url.path(percentEncoded: false).drop { $0 == "/" }
      if !path.isEmpty {
        guard let number = Int(path), (0...65_535).contains(number) else {
          throw problem("the path of the URL is not the number of a database")
        }
        database = number
      }
      if let user = url.user(percentEncoded: false), !user.isEmpty { self.user = user }
      password = url.password(percentEncoded: false)
    }

    /// Whether there is a password.
    package var hasPassword: Bool { password != nil }

    /// Sets the password, or removes it.
    public mutating func setPassword(_ password: String?) { self.password = password }

    /// - Throws: `CachingError.failed(operation:reason:isRetryable:)` for settings that no connection can have.
    func check() throws(CachingError) {
      let isName = namespace.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-_.".utf8.contains(byte)
      }
      let isHost = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\\"".utf8.contains($0) }
      guard isName, !namespace.isEmpty, namespace.utf8.count <= 64 else {
        throw .failed(
          operation: "redis", reason: "the namespace has other bytes than letters, digits, -, _ and .",
          isRetryable: false)
      }
      guard isHost, !host.isEmpty, (1...65_535).contains(port) else {
        throw .failed(operation: "redis", reason: "the host or the port is invalid", isRetryable: false)
      }
    }
  }
}

extension RedisClient.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The server, without user and password.
  public var description: String { "\(usesTLS ? "rediss" : "redis")://\(host):\(port)/\(database)" }
  /// The same.
  public var debugDescription: String { description }
  /// The settings without user and password.
  public var customMirror: Mirror {
    Mirror(self, children: ["server": description, "namespace": namespace, "timeout": timeout])
  }
}
