public import CalotypeLoading
public import CalotypeSettings

extension AddressPolicy {
  /// The addresses that settings allow sources to have: the public internet, and the kinds that are switched on.
  public init(_ security: Settings.Security) {
    var policy = AddressPolicy.public
    var kinds: [String] = []
    if security.allowsLoopback { kinds += ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"] }
    if security.allowsLinkLocal { kinds += ["169.254.0.0/16", "fe80::/10"] }
    if security.allowsPrivate {
      kinds += ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]
    }
    for block in kinds.compactMap({ IPAddress.Block($0) }) { policy = policy.allowing(block) }
    self = policy
  }
}
