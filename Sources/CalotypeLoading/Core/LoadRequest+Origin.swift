public import FoundationEssentials

extension LoadRequest {
  /// The scheme, host and port of a URL (RFC 6454), which delimit where credentials are sent.
  public struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// The name or address in lower case, IPv6 without brackets.
    public let host: String
    /// The port; the default of the scheme if none was given.
    public let port: Int

    /// Creates an origin; `port` defaults to that of the scheme.
    public init(scheme: String, host: String, port: Int? = nil) {
      self.scheme = scheme.lowercased()
      self.host = host.lowercased()
      self.port = port ?? (self.scheme == "https" ? 443 : 80)
    }

    /// Creates the origin of a URL; `nil` if it has no scheme or no host.
    public init?(_ url: URL) {
      guard let scheme = url.scheme, let host = url.host(), !host.isEmpty else { return nil }
      self.init(scheme: scheme, host: host, port: url.port)
    }
  }
}

extension LoadRequest.Origin: CustomStringConvertible {
  /// As in a URL.
  public var description: String {
    var text = scheme
    let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
    text += isIPv6 ? "://[" : "://"
    text += host
    if isIPv6 { text += "]" }
    if port != (scheme == "https" ? 443 : 80) {
      text += ":"
      text += String(port)
    }
    return text
  }
}
