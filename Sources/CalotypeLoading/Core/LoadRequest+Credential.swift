extension LoadRequest {
  /// Authenticates a request to a server.
  public enum Credential: Hashable, Sendable {
    /// HTTP Basic (RFC 7617), sent with every request. It is readable on the connection: use it over TLS.
    case basic(user: String, password: String)
    /// HTTP Digest (RFC 7616), in answer to the server's challenge. The password itself is not sent.
    case digest(user: String, password: String)
    /// A bearer token (RFC 6750), sent with every request.
    case bearer(String)
  }
}

extension LoadRequest.Credential {
  /// SHA-256 of the kind and all parts, as 64 hexadecimal digits: identifies the credential in cache keys
  /// (``LoadIntercepting/identity``). A weak password can be guessed from it: do not publish it.
  public var digest: String {
    let parts =
      switch self {
      case .basic(let user, let password): ["basic", user, password]
      case .digest(let user, let password): ["digest", user, password]
      case .bearer(let token): ["bearer", token]
      }
    return LoaderIdentity.digest(LoaderIdentity.text(parts))
  }

  /// Whether it contains control characters, which could end its header line.
  var holdsControlCharacters: Bool {
    let parts =
      switch self {
      case .basic(let user, let password), .digest(let user, let password): [user, password]
      case .bearer(let token): [token]
      }
    return parts.contains { $0.utf8.contains { $0 < 32 || $0 == 127 } }
  }
}

extension LoadRequest.Credential: CustomStringConvertible {
  /// The kind and the user; never the secret.
  public var description: String {
    switch self {
    case .basic(let user, _): "Basic \(user)"
    case .digest(let user, _): "Digest \(user)"
    case .bearer: "Bearer"
    }
  }
}
