import Glibc
import Testing

@testable import CalotypeLoading

@Suite("Addresses and ranges")
struct AddressTests {
  @Test(arguments: [
    "0.0.0.0", "8.8.8.8", "255.255.255.255", "192.0.2.10", "::", "::1", "2001:db8::1", "fe80::1:2:3:4",
    "::ffff:192.0.2.1", "2001:db8:0:1:1:1:1:1", "1:2:3:4:5:6:7:8",
  ])
  func isItsOwnDescription(_ text: String) {
    #expect(IPAddress(text)?.description == text)
    #expect(IPAddress(text)?.isIPv4 == !text.contains(":"))
  }

  /// The rules of RFC 5952 §4.
  @Test(arguments: [
    ("2001:0DB8::0001", "2001:db8::1"), ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
    ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("0:0:0:0:0:0:0:0", "::"), ("::FFFF:102:304", "::ffff:1.2.3.4"),
    ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
  ])
  func hasOneDescription(text: String, description: String) {
    #expect(IPAddress(text)?.description == description)
  }

  @Test(arguments: [
    "", ".", "1", "1.2.3", "1.2.3.4.", ".1.2.3.4", "1.2.3.4.5", "1..2.3", "01.2.3.4", "1.2.3.004",
    "256.1.1.1",
    "1.2.3.999", "1.2.3.4444", "0x1.2.3.4", "+1.2.3.4", "-1.2.3.4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\n",
    "1.2.3.4\0", "1.2.3.a", "１.2.3.4", "1。2。3。4", ":", ":::", "1::2::3", "[::1]", "::1%1", "fe80::1%eth0",
    "::1\0", "::1 ", "g::1", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:", "::1/128",
    "::ffff:1.2.3", "::ffff:01.2.3.4", "::1.2.3.256", "：：1",
  ])
  func isNoAddress(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func fromSocketAddresses() {
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    inet_pton(AF_INET6, "2001:db8::ff00:1", &v6.sin6_addr)
    var local = sockaddr()
    local.sa_family = sa_family_t(AF_UNIX)
    func address(_ pointer: UnsafeRawPointer) -> IPAddress? {
      IPAddress(pointer.assumingMemoryBound(to: sockaddr.self))
    }
    #expect(address(&v4) == IPAddress("192.0.2.1"))
    #expect(address(&v6) == IPAddress("2001:db8::ff00:1"))
    #expect(address(&local) == nil)
  }

  @Test func differentFamiliesAreDifferent() {
    #expect(IPAddress("1.2.3.4") != IPAddress("::1.2.3.4"))
    #expect(IPAddress("1.2.3.4") != IPAddress("::ffff:1.2.3.4"))
  }

  @Test(arguments: [
    (
      "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
      ["9.255.255.255", "11.0.0.0", "::a00:1"]
    ),
    ("192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.0", "192.0.2.2"]),
    ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "::ffff:1.1.1.1"], ["::", "::1.1.1.1"]),
    ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.0"]),
    ("fd00::/8", ["fd00::", "fdff:ffff::1"], ["fc00::", "fe00::", "253.0.0.0"]),
    ("::1", ["::1"], ["::", "::2", "0.0.0.1"]),
    ("::/0", ["::", "2001:db8::1", "ffff::", "::1.2.3.4"], ["1.2.3.4", "::ffff:1.2.3.4"]),
    ("::ffff:10.0.0.0/104", ["10.0.0.1", "::ffff:10.0.0.1"], ["11.0.0.1", "::ffff:11.0.0.1"]),
    ("::ffff:0:0/96", ["10.0.0.1", "::ffff:10.0.0.1"], ["::1"]),
  ])
  func contains(range: String, inside: [String], outside: [String]) throws {
    let range = try #require(IPAddress.Block(range))
    for text in inside { #expect(range.contains(try #require(IPAddress(text))), "\(text)") }
    for text in outside { #expect(!range.contains(try #require(IPAddress(text))), "\(text)") }
    #expect(range.contains(range.base))
    #expect(IPAddress.Block(range.description) == range)
  }

  @Test func loneAddressesAreRanges() {
    #expect(IPAddress.Block("10.0.0.1")?.description == "10.0.0.1/32")
    #expect(IPAddress.Block("FD00::1")?.description == "fd00::1/128")
    #expect(IPAddress.Block("::ffff:10.0.0.0/104") == IPAddress.Block("10.0.0.0/8"))
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8/8",
    "10.0.0.0/ 8", "10.0.0.0/8 ", "10.0.0.1/8", "10/8", "10.0.0.0/255.0.0.0", "::/129", "::1/64", "[::]/0",
    "fe80::%1/10", "10.0.0.0/٨", "::ffff:0:0/95", "10.0.0.0/99999999999999999999",
  ])
  func isNoRange(_ text: String) {
    #expect(IPAddress.Block(text) == nil)
  }

  @Test func prefixesAreChecked() throws {
    let base = try #require(IPAddress("10.0.0.0"))
    #expect(IPAddress.Block(base: base, prefixLength: 8) == IPAddress.Block("10.0.0.0/8"))
    #expect(IPAddress.Block(base: base, prefixLength: 4) == nil)
    #expect(IPAddress.Block(base: base, prefixLength: -1) == nil)
    #expect(IPAddress.Block(base: base, prefixLength: .max) == nil)
  }
}
