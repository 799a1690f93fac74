import CalotypeCaching
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Clear-Site-Data") struct ClearSiteDataTests {
  private static let policy: FreshnessPolicy = {
    var policy = FreshnessPolicy()
    policy.honorsClearSiteData = true
    return policy
  }()

  struct Row: CustomTestStringConvertible {
    let response: String
    var url = "https://example.org/a.png"
    let clears: String?
    var testDescription: String { "\(response) from \(url)" }
  }

  @Test(arguments: [
    Row(response: "Clear-Site-Data: \"cache\"", clears: "https://example.org"),
    Row(response: "clear-site-data: \"cache\"", clears: "https://example.org"),
    Row(response: "Clear-Site-Data: \"*\"", clears: "https://example.org"),
    Row(response: "Clear-Site-Data: \"cookies\",\t\"cache\" , \"storage\"", clears: "https://example.org"),
    Row(
      response: "Clear-Site-Data: \"cookies\"\nClear-Site-Data: \"cache\"", clears: "https://example.org"),
    Row(response: "Clear-Site-Data: ,, \"cache\",", clears: "https://example.org"),
    Row(
      response: "Clear-Site-Data: \"cache\"", url: "https://EXAMPLE.org:443/b?c=d",
      clears: "https://example.org"),
    Row(
      response: "Clear-Site-Data: \"cache\"", url: "https://example.org:8443/",
      clears: "https://example.org:8443"),
    Row(
      response: "Clear-Site-Data: \"cache\"", url: "https://[2001:DB8::1]:8443/a.png",
      clears: "https://[2001:db8::1]:8443"),
    Row(response: "Clear-Site-Data: cache", clears: nil),
    Row(response: "Clear-Site-Data: \"Cache\"", clears: nil),
    Row(response: "Clear-Site-Data: \"cache", clears: nil),
    Row(response: "Clear-Site-Data: \"cookies\", \"storage\"", clears: nil),
    Row(response: "Clear-Site-Data: \"prefetchCache\"", clears: nil),
    Row(response: "Clear-Site-Data:", clears: nil),
    Row(response: "Cache-Control: no-cache", clears: nil),
    Row(response: "Clear-Site-Data: \"cache\"", url: "http://example.org/a.png", clears: nil),
    Row(response: "Clear-Site-Data: \"cache\"", url: "ftp://example.org/a.png", clears: nil),
    Row(response: "Clear-Site-Data: \"cache\"", url: "https:///a.png", clears: nil),
    Row(response: "Clear-Site-Data: \"cache\"", url: "data:,a", clears: nil),
  ])
  func selects(_ row: Row) throws {
    let url = try #require(URL(string: row.url))
    #expect(
      Self.policy.clearing(by: fields(row.response), from: url)
        == row.clears.map { CacheSelection.origin($0) })
    // Off by default.
    #expect(FreshnessPolicy().clearing(by: fields(row.response), from: url) == nil)
  }

  @Test(arguments: [
    ("https://example.org", "https://example.org/a.png", true),
    ("https://example.org", "https://EXAMPLE.ORG:443/a", true),
    ("https://Example.org:443/ignored", "https://example.org/a", true),
    ("https://example.org", "https://example.org?a", true),
    ("https://example.org", "https://example.org:8443/a.png", false),
    ("https://example.org", "http://example.org/a.png", false),
    ("http://example.org", "http://example.org:80/a.png", true),
    ("https://[2001:db8::1]:8443", "https://[2001:DB8::1]:8443/a.png", true),
    ("https://[2001:db8::1]", "https://[2001:db8::2]/a.png", false),
    ("https://example.org", "https://images.example.org/a.png", false),
    ("https://example.org", "https://example.org.evil.test/a.png", false),
    ("https://example.org", "https://evil.test/https://example.org/", false),
    ("https://example.org", "example.org", false),
    ("example.org", "example.org", false),
    ("", "", false),
  ])
  func originsAreSchemeHostAndPort(origin: String, source: String, isOfIt: Bool) {
    #expect(CacheSelection.origin(origin).contains(source: source, tags: []) == isOfIt)
  }
}
