package import FoundationEssentials

/// The origin of a URL: scheme, host and port (RFC 6454 §4). Hosts compare in any case, and a default port equals none.
package struct WebOrigin: Hashable, Sendable {
  /// The scheme, in lower case.
  package let scheme: String
  /// The host, in lower case.
  package let host: String
  /// The port; `nil` when it is neither given nor known for the scheme.
  package let port: Int?

  /// Returns `nil` for a URL without a host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased(), !host.isEmpty else {
      return nil
    }
    self.scheme = scheme
    self.host = host
    port = url.port ?? Self.defaultPorts[scheme]
  }

  /// Returns `nil` for a text that is not a URL with a host.
  package init?(_ text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }

  /// Scheme and host, and the port unless it is the default one.
  package var text: String {
    let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    guard let port, port != Self.defaultPorts[scheme] else { return "\(scheme)://\(host)" }
    return "\(scheme)://\(host):\(port)"
  }

  private static let defaultPorts = ["http": 80, "https": 443]
}
