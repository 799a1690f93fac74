/// Restricts the addresses that a loader may connect to.
///
/// A server that loads URLs from users can be made to access its internal network (server-side request forgery, SSRF);
/// ``public`` limits it to the public internet. Each URL, redirects included, is checked before a request, and each
/// address before a connection, regardless of the DNS answer.
///
/// ```swift
/// var configuration = CurlLoader.Configuration()
/// configuration.addressPolicy = .public.allowing(host: "images.internal")
/// ```
public struct AddressPolicy: Hashable, Sendable {
  private let isPublic: Bool
  /// Addresses in canonical spelling, names in lower case.
  private var hosts: Set<String> = []
  private var ranges: Set<IPAddress.Block> = []
  /// Whether a configured proxy may be used under ``public``.
  ///
  /// The proxy chooses the address and hides it; so it must apply the same restrictions.
  public private(set) var trustsProxy = false

  /// Allows every address.
  public static let any = AddressPolicy(isPublic: false)

  /// Allows only global unicast addresses, and only hosts that all parsers interpret alike.
  ///
  /// Refused are loopback, private, link-local (where clouds keep their metadata), shared, reserved, documentation,
  /// multicast and translated addresses, as IANA's registries of special-purpose addresses (RFC 6890) list them; IPv4
  /// addresses in other spellings than four decimal numbers; `localhost`; and invalid host names.
  public static let `public` = AddressPolicy(isPublic: true)

  /// Whether the policy refuses any address.
  var isRestricting: Bool { isPublic }

  private init(isPublic: Bool) {
    self.isPublic = isPublic
  }

  /// The policy as text, for keys; empty when nothing is refused.
  var identity: String {
    guard isPublic else { return "" }
    return LoaderIdentity.text([
      "policy": "public", "hosts": LoaderIdentity.text(hosts.sorted()),
      "ranges": LoaderIdentity.text(ranges.map(\.description).sorted()),
      "proxy": trustsProxy ? "trusted" : "",
    ])
  }

  /// Returns this policy with an exception: `host` may have any address. Case does not matter; subdomains are not
  /// included.
  ///
  /// Odd spellings stay refused: allowing `localhost` does not allow `localhost.`, and allowing `127.0.0.1` does not
  /// allow `2130706433`.
  public func allowing(host: String) -> AddressPolicy {
    var copy = self
    copy.hosts.insert(HostText(host).canonical)
    return copy
  }

  /// Returns this policy with an exception: the addresses in `range` are allowed, for any host name.
  ///
  /// An address that stands for an IPv4 address counts as written, save for `::ffff:a.b.c.d`: allowing `64:ff9b::/96`,
  /// for a network with NAT64, also allows the private addresses behind it.
  public func allowing(_ range: IPAddress.Block) -> AddressPolicy {
    var copy = self
    copy.ranges.insert(range)
    return copy
  }

  /// Returns this policy with an exception: a configured proxy is used although it chooses the address.
  public func trustingProxy() -> AddressPolicy {
    var copy = self
    copy.trustsProxy = true
    return copy
  }

  /// Returns a readable reason why a URL is refused; `nil` if it is allowed.
  ///
  /// - Parameters:
  ///   - scheme: The scheme of the URL.
  ///   - host: The host as written in the URL, not decoded. IPv6 addresses may be in brackets.
  public func refusal(scheme: String, host: String) -> String? {
    guard ["http", "https"].contains(scheme.lowercased()) else {
      return "its scheme is not http or https"
    }
    guard isPublic else { return nil }
    let text = HostText(host)
    if let reason = text.refusal { return reason }
    if hosts.contains(text.canonical) { return nil }
    if let address = text.address { return refusal(of: address) }
    // If the machine itself is an exception, the resolved address of the name is checked, as for other names.
    let mayBeLocal = ranges.contains { range in HostText.loopback.contains { range.contains($0) } }
    return text.isLocalhost && !mayBeLocal ? "its host is localhost, the machine itself" : nil
  }

  /// Returns a readable reason why `address` is refused; `nil` if it is allowed.
  ///
  /// `::ffff:a.b.c.d` is refused unless the IPv4 address in it is an exception: no public host has such an address, and
  /// connecting to it connects to the IPv4 address.
  ///
  /// - Parameters:
  ///   - address: The resolved address of the host, or that of the connected socket.
  ///   - host: The host of the current URL, after redirects.
  public func refusal(of address: IPAddress, host: String) -> String? {
    guard isPublic else { return nil }
    let text = HostText(host)
    if text.refusal == nil, hosts.contains(text.canonical) { return nil }
    return refusal(of: address)
  }

  private func refusal(of address: IPAddress) -> String? {
    if ranges.contains(where: { $0.contains(address) }) { return nil }
    return SpecialAddresses.reason(for: address)
  }
}
