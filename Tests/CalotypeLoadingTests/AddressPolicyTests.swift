import FoundationEssentials
import Testing

@testable import CalotypeLoading

/// What hostile URLs try, and what `.public` says to it.
@Suite("Address policy")
struct AddressPolicyTests {
  private static let policy = AddressPolicy.public

  // MARK: - Hosts

  /// Hosts as they stand in a URL, and the distinctive part of the reason.
  static let hostileHosts: [(host: String, reason: String)] = [
    // The machine itself.
    ("localhost", "localhost, the machine itself"),
    ("LOCALHOST", "localhost, the machine itself"),
    ("app.localhost", "localhost, the machine itself"),
    ("a.b.LocalHost", "localhost, the machine itself"),
    ("127.0.0.1", "loopback address 127.0.0.1"),
    ("127.255.255.254", "loopback address 127.255.255.254"),
    ("0.0.0.0", "this-network address 0.0.0.0, which means the machine itself"),
    ("[::1]", "loopback address ::1"),
    ("::1", "loopback address ::1"),
    ("[0:0:0:0:0:0:0:1]", "loopback address ::1"),
    ("[0000:0000:0000:0000:0000:0000:0000:0001]", "loopback address ::1"),
    ("[::]", "unspecified address ::"),
    // Clouds and private networks.
    ("169.254.169.254", "link-local address 169.254.169.254, where clouds keep their metadata"),
    ("168.63.129.16", "cloud platform address 168.63.129.16"),
    ("100.100.100.200", "carrier-grade NAT address 100.100.100.200"),
    ("192.0.0.192", "protocol assignment address 192.0.0.192"),
    ("[fd00:ec2::254]", "unique local address fd00:ec2::254"),
    ("10.1.2.3", "private address 10.1.2.3"),
    ("172.16.0.1", "private address 172.16.0.1"),
    ("192.168.1.1", "private address 192.168.1.1"),
    ("255.255.255.255", "broadcast address"),
    ("239.255.255.250", "multicast address"),
    ("[fe80::1]", "link-local address fe80::1"),
    ("[fec0::1]", "site-local address fec0::1"),
    ("[ff02::1]", "multicast address ff02::1"),
    // Decimal.
    ("2130706433", "a number in a spelling"),
    ("02130706433", "a number in a spelling"),
    ("4294967295", "a number in a spelling"),
    ("4294967296", "a number in a spelling"),
    ("99999999999999999999999999", "a number in a spelling"),
    ("0", "a number in a spelling"),
    ("1", "a number in a spelling"),
    ("134744072", "a number in a spelling"),
    // Octal.
    ("0177.0.0.1", "a number in a spelling"),
    ("017700000001", "a number in a spelling"),
    ("0177.1", "a number in a spelling"),
    ("0251.0376.0251.0376", "a number in a spelling"),
    ("127.0.0.01", "a number in a spelling"),
    ("127.000.000.001", "a number in a spelling"),
    ("00000177.00.00.0001", "a number in a spelling"),
    ("010.8.8.8", "a number in a spelling"),
    // Hexadecimal.
    ("0x7f000001", "a number in a spelling"),
    ("0X7F000001", "a number in a spelling"),
    ("0x7f.1", "a number in a spelling"),
    ("0x7f.0x0.0x0.0x1", "a number in a spelling"),
    ("0xa9fea9fe", "a number in a spelling"),
    ("0xA9.254.0251.0xfe", "a number in a spelling"),
    ("0x100000000000007f000001", "a number in a spelling"),
    ("0x", "a number in a spelling"),
    ("example.0x", "a number in a spelling"),
    ("example.0xFf", "a number in a spelling"),
    // Short, long and out of range.
    ("127.1", "a number in a spelling"),
    ("127.0.1", "a number in a spelling"),
    ("10.1", "a number in a spelling"),
    ("169.16689662", "a number in a spelling"),
    ("256.256.256.256", "a number in a spelling"),
    ("127.0.0.1.1", "a number in a spelling"),
    ("1.2.3.4.5", "a number in a spelling"),
    ("example.1", "a number in a spelling"),
    ("example.com.08", "a number in a spelling"),
    // Dots.
    ("127.0.0.1.", "ends with a dot"),
    ("2130706433.", "ends with a dot"),
    ("localhost.", "ends with a dot"),
    ("example.com.", "ends with a dot"),
    (".", "ends with a dot"),
    ("..", "ends with a dot"),
    (".localhost", "empty label"),
    ("a..b", "empty label"),
    ("127..1", "empty label"),
    (".127.0.0.1", "empty label"),
    // Other characters.
    ("", "empty"),
    ("127.0.0.1%00.example.com", "percent-encoded"),
    ("%31%32%37.0.0.1", "percent-encoded"),
    ("localhos%74", "percent-encoded"),
    ("%6c%6f%63alhost", "percent-encoded"),
    ("１２７.0.0.1", "U+FF11"),
    ("127。0。0。1", "U+3002"),
    ("127．0．0．1", "U+FF0E"),
    ("127｡0｡0｡1", "U+FF61"),
    ("①②⑦.0.0.1", "U+2460"),
    ("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "U+24DB"),
    ("loca\u{AD}lhost", "U+00AD"),
    ("local\u{200B}host", "U+200B"),
    ("münchen.example", "xn--"),
    ("\u{1F4F7}.example", "U+1F4F7"),
    ("exam ple.com", "U+0020"),
    (" 127.0.0.1", "U+0020"),
    ("127.0.0.1\t", "U+0009"),
    ("127.0.0.1\r\nHost: x", "U+000D"),
    ("127.0.0.1\n", "U+000A"),
    ("localhost\0", "U+0000"),
    ("localhost\0.example.com", "U+0000"),
    ("local\u{7F}host", "U+007F"),
    ("local\u{85}host", "U+0085"),
    ("example.com\\@127.0.0.1", "the character \\"),
    ("127.0.0.1\\example.com", "the character \\"),
    ("user@localhost", "the character @"),
    ("127.0.0.1/", "the character /"),
    ("127.0.0.1?x", "the character ?"),
    ("127.0.0.1#x", "the character #"),
    ("127.0.0.1,8.8.8.8", "the character ,"),
    ("{127,0,0,1}", "the character {"),
    ("a<b>", "the character <"),
    ("*.example.com", "the character *"),
    ("example!com", "the character !"),
    // IPv6 that is none, or has a zone, or stands for IPv4.
    ("[fe80::1%25eth0]", "with a zone"),
    ("[::1%lo]", "with a zone"),
    ("::1%1", "with a zone"),
    ("[127.0.0.1]", "not a well-formed IPv6 address"),
    ("[]", "not a well-formed IPv6 address"),
    ("[", "not a well-formed IPv6 address"),
    ("[::1", "not a well-formed IPv6 address"),
    ("::1]", "not a well-formed IPv6 address"),
    ("[[::1]]", "not a well-formed IPv6 address"),
    ("[::1].example.com", "not a well-formed IPv6 address"),
    ("[v1.x]", "not a well-formed IPv6 address"),
    ("127.0.0.1:80", "not a well-formed IPv6 address"),
    ("[::127.1]", "not a well-formed IPv6 address"),
    ("[::ffff:0177.0.0.1]", "not a well-formed IPv6 address"),
    ("[::ffff:127.0.0.1]", "IPv4-mapped address ::ffff:127.0.0.1"),
    ("[::ffff:7f00:1]", "IPv4-mapped address ::ffff:127.0.0.1"),
    ("[0:0:0:0:0:FFFF:A9FE:A9FE]", "IPv4-mapped address ::ffff:169.254.169.254"),
    ("[::ffff:8.8.8.8]", "IPv4-mapped address ::ffff:8.8.8.8"),
    ("[::127.0.0.1]", "IPv4-compatible address"),
    ("[::8.8.8.8]", "IPv4-compatible address"),
    ("[::ffff:0:127.0.0.1]", "outside of global unicast"),
    ("[64:ff9b::7f00:1]", "NAT64 address 64:ff9b::7f00:1, which stands for an IPv4 one"),
    ("[64:ff9b::8.8.8.8]", "NAT64 address"),
    ("[64:ff9b:1::10.0.0.1]", "NAT64 address"),
    ("[2002:7f00:1::]", "6to4 address"),
    ("[2002:a9fe:a9fe::1]", "6to4 address"),
    ("[2001:0:7f00:1::]", "Teredo address"),
    ("[2001:470:1::5efe:10.0.0.1]", "ISATAP address"),
    ("[2001:470:1::200:5efe:127.0.0.1]", "ISATAP address"),
    // Lengths.
    (String(repeating: "a", count: 64) + ".example", "a label of more than 63"),
    (String(repeating: "abcdefg.", count: 31) + "abcdef", "more than 253 characters"),
  ]

  @Test(arguments: hostileHosts) func refusesHost(host: String, reason: String) throws {
    let refusal = try #require(Self.policy.refusal(scheme: "http", host: host))
    #expect(refusal.contains(reason), "\(refusal)")
    #expect(Self.policy.refusal(scheme: "https", host: host) == refusal)
    #expect(refusal.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
    #expect(AddressPolicy.any.refusal(scheme: "http", host: host) == nil)
  }

  @Test(arguments: [
    "example.com", "EXAMPLE.com", "a", "intranet", "xn--mnchen-3ya.example", "my_bucket.example.com",
    "-x-.example",
    "localhost.example.com", "notlocalhost", "localhost-1", "127.0.0.1.example.com", "0x7f.example", "0x7g",
    "1.a",
    "1-1", "0.0.0.0x0g", "example.x0", "8.8.8.8", "[2606:4700::1111]", "2606:4700::1111",
    "[2001:4860:4860::8888]", String(repeating: "a", count: 63) + ".example",
    String(repeating: "abcdefg.", count: 31) + "abcde",
  ])
  func letsHostThrough(_ host: String) {
    #expect(Self.policy.refusal(scheme: "https", host: host) == nil)
  }

  @Test(arguments: ["ftp", "file", "gopher", "dict", "data", "httpss", "", "http ", "ｈttp"])
  func refusesScheme(_ scheme: String) {
    for policy in [AddressPolicy.public, .any, .public.allowing(host: "example.com")] {
      #expect(policy.refusal(scheme: scheme, host: "example.com")?.contains("scheme") == true)
    }
    #expect(Self.policy.refusal(scheme: "HTTPS", host: "example.com") == nil)
  }

  /// From the text of a URL to the refusal, as a loader does it.
  @Test(arguments: [
    ("http://127.0.0.1:8080/x.png", "loopback"), ("http://user:pass@127.0.0.1/", "loopback"),
    ("http://example.com@127.0.0.1/", "loopback"), ("http://[::1]:80/", "loopback"),
    ("http://2130706433/", "a number"), ("http://0x7f.1/", "a number"), ("http://LOCALHOST/", "localhost"),
    ("http://169.254.169.254/latest/meta-data/", "metadata"), ("ftp://example.com/", "scheme"),
    ("http:///x", "empty"), ("http://%6c%6f%63alhost/", "percent-encoded"), ("http://127.1/", "a number"),
    ("http://[::ffff:169.254.169.254]/", "IPv4-mapped"), ("http://localhost./", "ends with a dot"),
  ])
  func refusesURL(text: String, reason: String) throws {
    let url = try #require(URL(string: text))
    let refusal = Self.policy.refusal(scheme: url.scheme ?? "", host: url.host(percentEncoded: true) ?? "")
    #expect(refusal?.contains(reason) == true, "\(refusal ?? "let through")")
  }

  // MARK: - Addresses

  /// First and last address of each range, the neighbours on both sides, and whether those are refused too.
  static let ranges:
    [(kind: String, first: String, last: String, below: (String, Bool)?, above: (String, Bool)?)] = [
      ("this-network", "0.0.0.0", "0.255.255.255", nil, ("1.0.0.0", false)),
      ("private", "10.0.0.0", "10.255.255.255", ("9.255.255.255", false), ("11.0.0.0", false)),
      (
        "carrier-grade NAT", "100.64.0.0", "100.127.255.255", ("100.63.255.255", false),
        ("100.128.0.0", false)
      ),
      ("loopback", "127.0.0.0", "127.255.255.255", ("126.255.255.255", false), ("128.0.0.0", false)),
      (
        "cloud platform", "168.63.129.16", "168.63.129.16", ("168.63.129.15", false), ("168.63.129.17", false)
      ),
      ("link-local", "169.254.0.0", "169.254.255.255", ("169.253.255.255", false), ("169.255.0.0", false)),
      ("private", "172.16.0.0", "172.31.255.255", ("172.15.255.255", false), ("172.32.0.0", false)),
      ("protocol assignment", "192.0.0.0", "192.0.0.255", ("191.255.255.255", false), ("192.0.1.0", false)),
      ("documentation", "192.0.2.0", "192.0.2.255", ("192.0.1.255", false), ("192.0.3.0", false)),
      ("6to4 relay", "192.88.99.0", "192.88.99.255", ("192.88.98.255", false), ("192.88.100.0", false)),
      ("private", "192.168.0.0", "192.168.255.255", ("192.167.255.255", false), ("192.169.0.0", false)),
      ("benchmarking", "198.18.0.0", "198.19.255.255", ("198.17.255.255", false), ("198.20.0.0", false)),
      ("documentation", "198.51.100.0", "198.51.100.255", ("198.51.99.255", false), ("198.51.101.0", false)),
      ("documentation", "203.0.113.0", "203.0.113.255", ("203.0.112.255", false), ("203.0.114.0", false)),
      ("multicast", "224.0.0.0", "239.255.255.255", ("223.255.255.255", false), ("240.0.0.0", true)),
      ("reserved", "240.0.0.0", "255.255.255.254", ("239.255.255.255", true), ("255.255.255.255", true)),
      ("broadcast", "255.255.255.255", "255.255.255.255", ("255.255.255.254", true), nil),
      ("unspecified", "::", "::", nil, ("::1", true)),
      ("loopback", "::1", "::1", ("::", true), ("::2", true)),
      ("IPv4-compatible", "::2", "::255.255.255.255", ("::1", true), ("::1:0:0", true)),
      (
        "IPv4-mapped", "::ffff:0:0", "::ffff:255.255.255.255", ("::fffe:ffff:ffff", true), ("::1:0:0:0", true)
      ),
      ("NAT64", "64:ff9b::", "64:ff9b::ffff:ffff", ("64:ff9a:ffff::", true), ("64:ff9b::1:0:0", true)),
      ("NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", ("64:ff9b:0:ffff::", true), nil),
      ("discard-only", "100::", "100::ffff:ffff:ffff:ffff", ("ff::", true), ("100:0:0:1::", true)),
      (
        "Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", ("2000:ffff::", false), ("2001:1::", true)
      ),
      ("benchmarking", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", ("2001:1:ffff::", true), nil),
      ("ORCHID", "2001:10::", "2001:1f:ffff::", ("2001:f:ffff::", true), ("2001:20::", true)),
      ("ORCHIDv2", "2001:20::", "2001:2f:ffff::", ("2001:1f:ffff::", true), ("2001:30::", true)),
      (
        "protocol assignment", "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", nil,
        ("2001:200::", false)
      ),
      ("documentation", "2001:db8::", "2001:db8:ffff::", ("2001:db7:ffff::", false), ("2001:db9::", false)),
      ("6to4", "2002::", "2002:ffff:ffff::", ("2001:ffff:ffff::", false), ("2003::", false)),
      ("documentation", "3fff::", "3fff:fff:ffff::", ("3ffe:ffff::", false), ("3fff:1000::", false)),
      ("outside of global unicast", "4000::", "fbff:ffff::", ("3fff:ffff::", false), ("fc00::", true)),
      ("outside of global unicast", "::1:0:0", "::fffe:ffff:ffff", nil, ("::ffff:0:0", true)),
      ("outside of global unicast", "200::", "1fff:ffff::", nil, ("2000::", false)),
      ("unique local", "fc00::", "fdff:ffff::", ("fbff:ffff::", true), ("fe00::", true)),
      ("link-local", "fe80::", "febf:ffff::", ("fe7f:ffff::", true), ("fec0::", true)),
      ("site-local", "fec0::", "feff:ffff::", ("febf:ffff::", true), ("ff00::", true)),
      ("multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ("feff:ffff::", true), nil),
      ("ISATAP", "2001:470::5efe:0:0", "2001:470::5efe:ffff:ffff", ("2001:470::5efd:ffff:ffff", false), nil),
      (
        "ISATAP", "2001:470::200:5efe:0:0", "2a00:1::200:5efe:ffff:ffff", ("2001:470::100:5efe:0:1", false),
        nil
      ),
    ]

  @Test(arguments: ranges.indices) func refusesRange(_ index: Int) throws {
    let range = Self.ranges[index]
    for text in [range.first, range.last] {
      let address = try #require(IPAddress(text))
      let refusal = try #require(Self.policy.refusal(of: address, host: "cdn.example"), "\(text)")
      #expect(refusal.contains(range.kind) && refusal.contains(address.description), "\(refusal)")
      #expect(Self.policy.refusal(scheme: "http", host: text) == refusal)
      #expect(AddressPolicy.any.refusal(of: address, host: "cdn.example") == nil)
    }
    for (text, isRefused) in [range.below, range.above].compactMap(\.self) {
      let refusal = Self.policy.refusal(of: try #require(IPAddress(text)), host: "cdn.example")
      #expect((refusal != nil) == isRefused, "\(text): \(refusal ?? "let through")")
      #expect(refusal?.contains(range.kind + " address") != true, "\(text): \(refusal ?? "")")
    }
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "9.9.9.9", "11.0.0.1", "93.184.215.14", "100.63.255.255", "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1", "192.0.1.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "223.255.255.254",
    "2606:4700::1111",
    "2001:4860:4860::8888", "2620:4f:8000::1", "2a00:1450:4001::200e", "2003::1",
    "2400:cb00:2048:1::c629:d7a2",
    "2001:470::5efe", "2a00:1::5efe:0:0:1",
  ])
  func letsAddressThrough(_ text: String) throws {
    #expect(Self.policy.refusal(of: try #require(IPAddress(text)), host: "cdn.example") == nil)
    #expect(Self.policy.refusal(scheme: "https", host: text) == nil)
  }

  // MARK: - Exceptions

  @Test func allowedHostsMayHaveAnyAddress() throws {
    let policy = AddressPolicy.public.allowing(host: "Images.Internal").allowing(host: "localhost")
      .allowing(host: "10.0.0.5").allowing(host: "[FD00::0:1]")
    let inside = try #require(IPAddress("10.9.8.7"))
    #expect(policy.refusal(scheme: "http", host: "images.internal") == nil)
    #expect(policy.refusal(scheme: "http", host: "LOCALHOST") == nil)
    #expect(policy.refusal(scheme: "http", host: "10.0.0.5") == nil)
    #expect(policy.refusal(scheme: "http", host: "[fd00::1]") == nil)
    #expect(policy.refusal(scheme: "http", host: "fd00:0::1") == nil)
    #expect(policy.refusal(of: inside, host: "IMAGES.internal") == nil)
    #expect(policy.refusal(of: try #require(IPAddress("fd00::1")), host: "[fd00::1]") == nil)
    // Only those.
    #expect(policy.refusal(of: inside, host: "x.images.internal") != nil)
    #expect(policy.refusal(of: inside, host: "internal") != nil)
    #expect(policy.refusal(of: inside, host: "images.internal.") != nil)
    for host in [
      "images.internal.", "localhost.", "a.localhost", "127.0.0.1", "10.0.0.6", "012.0.0.5", "10.5",
    ] {
      #expect(policy.refusal(scheme: "http", host: host) != nil, "\(host)")
    }
    #expect(policy.refusal(scheme: "ftp", host: "images.internal") != nil)
  }

  @Test func oddSpellingsCannotBeAllowed() {
    for host in ["localhost.", "2130706433", "127.1", "%6cocalhost", "\u{212A}elvin", ""] {
      let policy = AddressPolicy.public.allowing(host: host).allowing(host: "kelvin")
      #expect(policy.refusal(scheme: "http", host: host) != nil, "\(host)")
      #expect(policy.refusal(of: IPAddress(v4: 0x7F00_0001), host: host) != nil, "\(host)")
    }
  }

  @Test func allowedRangesMayBeConnectedTo() throws {
    let ten = try #require(IPAddress.Block("10.0.0.0/8"))
    let policy = AddressPolicy.public.allowing(ten).allowing(try #require(IPAddress.Block("::/0")))
    for text in ["10.0.0.1", "::ffff:10.0.0.1", "::1", "fe80::1", "::127.0.0.1"] {
      #expect(policy.refusal(of: try #require(IPAddress(text)), host: "any.example") == nil, "\(text)")
      #expect(policy.refusal(scheme: "http", host: text) == nil, "\(text)")
    }
    // `::/0` is IPv6: the IPv4 addresses that hide among them are not meant.
    for text in ["127.0.0.1", "::ffff:127.0.0.1", "192.168.0.1"] {
      #expect(policy.refusal(of: try #require(IPAddress(text)), host: "any.example") != nil, "\(text)")
    }
    // Names and spellings are judged as before.
    for host in ["10.1", "0xa.0.0.1", "10.0.0.1."] {
      #expect(policy.refusal(scheme: "http", host: host) != nil, "\(host)")
    }
    // The name of the machine itself is as good as its addresses.
    #expect(policy.refusal(scheme: "http", host: "localhost") == nil)
    let tenOnly = AddressPolicy.public.allowing(ten)
    #expect(tenOnly.refusal(scheme: "http", host: "localhost") != nil)
    let loopback = tenOnly.allowing(try #require(IPAddress.Block("127.0.0.1")))
    #expect(loopback.refusal(scheme: "http", host: "a.localhost") == nil)
    #expect(loopback.refusal(scheme: "http", host: "localhost.") != nil)
    #expect(loopback.refusal(of: try #require(IPAddress("::1")), host: "localhost") != nil)
  }

  @Test func areValues() throws {
    let range = try #require(IPAddress.Block("10.0.0.0/8"))
    #expect(!AddressPolicy.public.trustsProxy)
    #expect(AddressPolicy.public.trustingProxy().trustsProxy)
    #expect(AddressPolicy.public != .any)
    #expect(AddressPolicy.public.trustingProxy() != .public)
    #expect(
      AddressPolicy.public.allowing(host: "A").allowing(range) == .public.allowing(range).allowing(host: "a"))
    #expect(AddressPolicy.public.trustingProxy().refusal(scheme: "http", host: "localhost") != nil)
  }
}
