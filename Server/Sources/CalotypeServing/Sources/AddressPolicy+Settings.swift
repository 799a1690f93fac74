public import CalotypeLoading
public import CalotypeSettings

extension AddressPolicy {
  /// The addresses that settings allow sources to have, on each hop: the public internet, and the kinds that are switched on.
  public init(_ security: Settings.Security) {
    var four: [(base: [UInt8], length: Int)] = []
    var six: [String] = []
    if security.allowsLoopback {
      four += [([127, 0, 0, 0], 8), ([0, 0, 0, 0], 8)]
      six += ["::1/128", "::/128"]
    }
    if security.allowsLinkLocal {
      four.append(([169, 254, 0, 0], 16))
      six.append("fe80::/10")
    }
    if security.allowsPrivate {
      four += [
        ([10, 0, 0, 0], 8), ([172, 16, 0, 0], 12), ([192, 168, 0, 0], 16), ([100, 64, 0, 0], 10),
      ]
      six.append("fc00::/7")
    }
    var policy = AddressPolicy.public
    for text in four.flatMap({ Self.forms(of: $0.base, $0.length) }) + six {
      if let block = IPAddress.Block(text) { policy = policy.allowing(block) }
    }
    self = policy
  }

  /// A range of IPv4, and the ranges of IPv6 that stand for it: IPv4-compatible, NAT64 and 6to4.
  private static func forms(of base: [UInt8], _ length: Int) -> [String] {
    let text = AddressBytes.text(ofIPv4: base)
    let (high, low) = (Int(base[0]) << 8 | Int(base[1]), Int(base[2]) << 8 | Int(base[3]))
    let groups = String(high, radix: 16) + ":" + String(low, radix: 16)
    return [
      "\(text)/\(length)", "64:ff9b::\(text)/\(96 + length)", "2002:\(groups)::/\(16 + length)",
    ] + (base[0] == 0 ? [] : ["::\(text)/\(96 + length)"])
  }
}
