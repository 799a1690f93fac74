import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import HTTPTypes
import Testing

@testable import CalotypeServing

@Suite("Rules")
struct RuleTests {
  private func identity(
    _ path: String, accept: String = "", _ change: (inout Settings) -> Void = { _ in }
  ) throws -> String {
    var settings = Settings()
    change(&settings)
    let rules = try ServingRules(settings)
    let request = try rules.dialect.parse(path: path)
    return ResultIdentity(
      source: request.source, options: request.options, accept: CalotypePlanning.AcceptHeader(accept),
      hints: ClientHints(), variants: [], rules: rules
    ).text
  }

  @Test(arguments: [
    ("w:10/h:20/plain/http://a/b", "h:20/w:10/plain/http://a/b"),
    ("rs:fit:10/plain/http://a/b", "w:10/plain/http://a/b"),
    ("w:10/exp:9999999999/plain/http://a/b", "w:10/fn:cat/att:1/plain/http://a/b"),
    ("w:10/f:png/plain/http://a/b", "w:10/plain/http://a/b@png"),
    ("w:10/ct:x:y/plain/http://a/b", "w:10/ct:y:x/plain/http://a/b"),
  ]) func spellingsShare(_ one: String, _ other: String) throws {
    #expect(try identity(one) == identity(other))
  }

  @Test(arguments: [
    ("w:10/plain/http://a/b", "w:11/plain/http://a/b"), ("w:10/plain/http://a/b", "w:10/plain/http://a/c"),
    ("w:10/plain/http://a/b", "w:10/plain/http://a/b@png"),
    ("w:10/cb:1/plain/http://a/b", "w:10/cb:2/plain/http://a/b"),
    ("w:10/q:70/plain/http://a/b", "w:10/q:71/plain/http://a/b"),
    ("bl:1/-/w:10/plain/http://a/b", "w:10/-/bl:1/plain/http://a/b"),
  ]) func otherResultsDoNot(_ one: String, _ other: String) throws {
    #expect(try identity(one) != identity(other))
  }

  /// The smallest integer has no magnitude among integers.
  @Test(arguments: [
    "g:ce:0:-9223372036854775808/c:10:10", "wm:1:ce:-9223372036854775807:9223372036854775807",
  ])
  func largestNumbersHaveAnIdentity(_ options: String) throws {
    #expect(try identity(options + "/plain/http://a/b") != identity("plain/http://a/b"))
  }

  @Test func onlyOutcomesOfNegotiationCount() throws {
    let path = "w:10/plain/http://a/b"
    func webp(_ accept: String) throws -> String {
      try identity(path, accept: accept) { $0.formats.autoWebP = true }
    }
    #expect(try identity(path, accept: "image/webp") == identity(path, accept: "*/*"))
    #expect(try webp("image/webp,*/*;q=0.8") == webp("image/avif,image/webp,image/apng,*/*;q=0.8"))
    #expect(try webp("image/webp") != webp("*/*"))
    #expect(try webp("image/webp;q=0") == webp(""))
    #expect(try webp("image/webp;q=0.1,image/jpeg") != webp("image/webp"))
  }

  /// The best format is chosen as if the URL had none.
  @Test func theBestFormatIsNegotiated() throws {
    func best(_ accept: String) throws -> String {
      try identity("f:best/plain/http://a/b", accept: accept) { $0.formats.autoWebP = true }
    }
    #expect(try best("image/webp") != best("*/*"))
    #expect(try best("image/webp;q=0.1,image/jpeg") != best("image/webp"))
  }

  @Test func limitsOfZeroAreThoseOfTheReference() throws {
    var settings = Settings()
    (settings.limits.sourceBytes, settings.limits.resultPixels) = (0, 0)
    let limits = PlanningPolicy(settings).limits
    #expect(limits.sourceBytes == 1 << 30 && limits.resultPixels == 100_000_000)
    #expect(SettingTable.row("MAX_SRC_FILE_SIZE")?.summary.contains("0 for 1 GiB") == true)
    #expect(SettingTable.row("MAX_RESULT_RESOLUTION")?.summary.contains("0 for 100 megapixels") == true)
  }

  /// Each encoder has the effort of its own setting.
  @Test func effortsAreThoseOfTheirFormats() {
    func efforts(_ change: (inout Settings.Formats) -> Void) -> [String] {
      var settings = Settings()
      change(&settings.formats)
      let efforts = PlanningPolicy(settings).efforts
      return [.webp, .avif, .jxl, .jpeg].map { efforts[$0]?.rawValue ?? "none" }
    }
    #expect(efforts { _ in } == ["balanced", "balanced", "balanced", "none"])
    #expect(efforts { $0.webpEffort = 1 } == ["fast", "balanced", "balanced", "none"])
    #expect(efforts { $0.avifSpeed = 9 } == ["balanced", "fast", "balanced", "none"])
    #expect(efforts { $0.avifSpeed = 6 } == ["balanced", "small", "balanced", "none"])
    #expect(efforts { $0.jxlEffort = 7 } == ["balanced", "balanced", "small", "none"])
  }

  @Test func settingsThatChangePixelsCount() throws {
    let path = "w:10/plain/http://a/b"
    #expect(try identity(path) != identity(path) { $0.formats.quality = 50 })
    #expect(try identity(path) == identity(path) { $0.httpCache.lifetime = .seconds(1) })
  }

  @Test(arguments: [
    ("/", Route.landing), ("", .landing), ("/health", .health), ("/health?x", .health), ("/alive", .health),
    ("/ready", .ready), ("/metrics", .metrics), ("/purge?all=1", .purge), ("/favicon.ico", .none),
    ("/.well-known/x", .none), ("/health/x", .image), ("/x/plain/http://a/health", .image),
    ("/a/health", .health),
    ("/ab/health", .image), ("/a", .landing),
  ]) func routes(_ target: String, _ route: Route) {
    #expect(Route(target, prefix: "/a", healthPath: "/alive") == route)
  }

  @Test(
    arguments: [
      ("/purge?source=http%3A%2F%2Fa%2Fb", PurgeSelection.source("http://a/b")),
      ("/purge?prefix=http://a", .prefix("http://a")),
      ("/purge?tag=cats", .tag("cats")), ("/purge?identity=ab", .identity("ab")), ("/purge?all=1", .all),
      ("/purge", nil), ("/purge?", nil), ("/purge?tag=", nil), ("/purge?all=0", nil),
      ("/purge?tag=a&tag=b", nil),
      ("/purge?tag=%zz", nil), ("/purge?tag=%f", nil), ("/purge?tag=%ff", nil), ("/purge?other=1", nil),
    ] as [(String, PurgeSelection?)]) func purges(_ target: String, _ selection: PurgeSelection?)
  {
    #expect(PurgeQuery.selection(in: target) == selection)
  }

  @Test func tokens() {
    let tokens = BearerTokens(["one", "two"])
    for field in ["Bearer one", "bearer two", "BEARER one"] { #expect(tokens.allow(field), "\(field)") }
    for field in ["one", "Bearer", "Bearer ", "Bearer onex", "Basic one", "Bearer One", ""] {
      #expect(!tokens.allow(field), "\(field)")
    }
    #expect(!tokens.allow(nil))
    #expect(!BearerTokens([]).allow("Bearer "))
  }

  @Test func metricsAreWellFormed() {
    var text = PrometheusText(namespace: "images")
    var histogram = DurationHistogram()
    for duration in [Duration.microseconds(500), .milliseconds(30), .seconds(60)] { histogram.add(duration) }
    text.histogram("h", "Help.", [("a=\"b\"", histogram)])
    text.gauge("r", "Help.", [("a=\"1\"", 2), ("a=\"2\"", 3)])
    text.gauge("g", "Help.", 0.5)
    #expect(
      text.text.hasPrefix(
        "# HELP images_h Help.\n# TYPE images_h histogram\nimages_h_bucket{a=\"b\",le=\"0.001\"} 1\n"))
    #expect(text.text.contains("le=\"0.05\"} 2\n") && text.text.contains("le=\"10\"} 2\n"))
    #expect(text.text.contains("le=\"+Inf\"} 3\nimages_h_sum{a=\"b\"} 60.03"))
    #expect(text.text.hasSuffix("images_g 0.5\n"))
    #expect(text.text.contains("# TYPE images_r gauge\nimages_r{a=\"1\"} 2\nimages_r{a=\"2\"} 3\n"))
  }
}
