/// Which addresses a loader may connect to.
///
/// A server that loads what others name can be made to reach into its own network; ``public`` lets it reach the public
/// internet only. Each URL is judged before anything is asked, redirects included, and each address before it is
/// connected to, whatever the name service says.
///
/// ```swift
/// var configuration = CurlLoader.Configuration()
/// configuration.addressPolicy = .public.allowing(host: "images.internal")
/// ```
public struct AddressPolicy: Hashable, Sendable {
  private let isPublic: Bool
  /// Addresses in their one spelling, names in lower case.
  private var hosts: Set<String> = []
  private var ranges: Set<AddressRange> = []
  /// Whether a configured proxy may be used under ``public``.
  ///
  /// The proxy decides which address is reached, and no one else sees it; so it has to be as careful as we are.
  public private(set) var trustsProxy = false

  /// Everything that is HTTP.
  public static let any = AddressPolicy(isPublic: false)

  /// Only global unicast addresses, and only hosts that everyone reads alike.
  ///
  /// Refused are loopback, private, link-local (where clouds keep their metadata), shared, reserved, documentation,
  /// multicast and translated addresses, as IANA's registries of special-purpose addresses (RFC 6890) list them;
  /// IPv4 addresses in other spellings than four decimal numbers; `localhost`; and names that are no host names.
  public static let `public` = AddressPolicy(isPublic: true)

  /// Whether there is anything that it refuses.
  var isRestricting: Bool { isPublic }

  private init(isPublic: Bool) {
    self.isPublic = isPublic
  }

  /// All of the policy as text, for keys; empty when nothing is refused.
  var identity: String {
    guard isPublic else { return "" }
    return LoaderIdentity.text([
      "policy": "public", "hosts": LoaderIdentity.text(hosts.sorted()),
      "ranges": LoaderIdentity.text(ranges.map(\.description).sorted()),
      "proxy": trustsProxy ? "trusted" : "",
    ])
  }

  /// This policy, but `host` may have any address. Case does not matter, and only this name is meant, none below it.
  ///
  /// Odd spellings stay refused: allowing `localhost` does not allow `localhost.`, and allowing `127.0.0.1` does not
  /// allow `2130706433`.
  public func allowing(host: String) -> AddressPolicy {
    var copy = self
    copy.hosts.insert(HostText(host).canonical)
    return copy
  }

  /// This policy, but the addresses in `range` may be connected to, whatever the host is called.
  ///
  /// An address that stands for an IPv4 address counts as written, save for `::ffff:a.b.c.d`: who allows `64:ff9b::/96`,
  /// because the network reaches IPv4 by NAT64, allows the private addresses behind it.
  public func allowing(_ range: AddressRange) -> AddressPolicy {
    var copy = self
    copy.ranges.insert(range)
    return copy
  }

  /// This policy, but a configured proxy is used although it decides what is reached.
  public func trustingProxy() -> AddressPolicy {
    var copy = self
    copy.trustsProxy = true
    return copy
  }

  /// Why a URL is refused, in words for people; `nil` if it is not.
  ///
  /// - Parameters:
  ///   - scheme: The scheme of the URL.
  ///   - host: The host as it is written there, not decoded. IPv6 addresses may stand in brackets.
  public func refusal(scheme: String, host: String) -> String? {
    guard ["http", "https"].contains(scheme.lowercased()) else {
      return "its scheme is not http or https"
    }
    guard isPublic else { return nil }
    let text = HostText(host)
    if let reason = text.refusal { return reason }
    if hosts.contains(text.canonical) { return nil }
    if let address = text.address { return refusal(of: address) }
    // With the machine itself among the exceptions, the address that the name turns out to have is judged, as for others.
    let mayBeLocal = ranges.contains { range in HostText.loopback.contains { range.contains($0) } }
    return text.isLocalhost && !mayBeLocal ? "its host is localhost, the machine itself" : nil
  }

  /// Why `address` is not connected to, in words for people; `nil` if it may be.
  ///
  /// `::ffff:a.b.c.d` is refused whatever it stands for, unless the IPv4 address behind it is excepted: no host of the
  /// public internet has such an address, and connecting to it is connecting to the other.
  ///
  /// - Parameters:
  ///   - address: What the host turned out to have, or what the socket is connected to.
  ///   - host: The host of the URL that is being loaded, after redirects that of the last one.
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
