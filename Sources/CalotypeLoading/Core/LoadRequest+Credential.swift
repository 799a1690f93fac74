extension LoadRequest {
  /// Who we are to a server.
  public enum Credential: Hashable, Sendable {
    /// Sent with every request (RFC 7617). Readable by whoever reads the connection: use it over TLS.
    case basic(user: String, password: String)
    /// An answer to the server's challenge (RFC 7616); the password itself is not sent.
    case digest(user: String, password: String)
    /// A token, sent with every request (RFC 6750).
    case bearer(String)
  }
}

extension LoadRequest.Credential {
  /// SHA-256 of the kind and all parts, as 64 hexadecimal digits: names the credential in keys of caches
  /// (``LoadIntercepting/identity``). A weak password can be guessed from it: it is no place to publish.
  public var digest: String {
    let parts =
      switch self {
      case .basic(let user, let password): ["basic", user, password]
      case .digest(let user, let password): ["digest", user, password]
      case .bearer(let token): ["bearer", token]
      }
    return LoaderIdentity.digest(LoaderIdentity.text(parts))
  }

  /// Whether it would end the line of the header that it is sent in.
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
