import CalotypeCaching
import HTTPTypes
import Testing

@Suite("Cache-Control")
struct CacheControlTests {
  private func read(_ values: String...) -> CacheControlHeader { CacheControlHeader(values: values) }

  @Test func allDirectives() {
    let response = read(
      """
      max-age=1, s-maxage=2, no-store, no-cache, private="a, B", public, must-revalidate, proxy-revalidate, \
      must-understand, immutable, no-transform, stale-while-revalidate=3, stale-if-error=4
      """)
    var expected = CacheControlHeader()
    expected.maxAge = 1
    expected.sharedMaxAge = 2
    expected.noStore = true
    expected.noCache = .everything
    expected.isPrivate = .fields(["a", "b"])
    expected.isPublic = true
    expected.mustRevalidate = true
    expected.proxyRevalidate = true
    expected.mustUnderstand = true
    expected.isImmutable = true
    expected.noTransform = true
    expected.staleWhileRevalidate = 3
    expected.staleIfError = 4
    #expect(response == expected)
    let request = read("only-if-cached, min-fresh=1, max-stale=2, max-age=3, no-store, no-transform")
    #expect(request.onlyIfCached && request.noStore && request.noTransform)
    #expect((request.minFresh, request.maxStale, request.maxAge) == (1, 2, 3))
    #expect(
      read() == CacheControlHeader() && read("") == CacheControlHeader()
        && read(", ;,=,\"") == CacheControlHeader())
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("2147483647", 2_147_483_647), ("2147483648", 1 << 31), ("2147483649", 1 << 31),
    ("99999999999999999999999999999999", 1 << 31), ("\"5\"", 5), ("\"\\5\"", 5), ("5 ", 5), ("", 0),
    (" 5", 0), ("5 5", 0),
    ("\"5", 0), ("5\"", 0), ("\"5\"5", 0), ("-5", 0), ("+5", 0), ("5s", 0), ("0x5", 0), ("1e3", 0), ("=5", 0),
  ])
  func seconds(text: String, seconds: Int) {
    #expect(read("max-age=\(text)").maxAge == seconds)
    #expect(read("stale-if-error=\(text), public").staleIfError == seconds)
    #expect(read("x, s-maxage=\(text), public").isPublic)
  }

  @Test func theStrictestCounts() {
    #expect(read("max-age=5", "max-age=3", "max-age=4").maxAge == 3)
    #expect(read("min-fresh=5", "min-fresh=9, min-fresh=1").minFresh == 9)
    #expect(read("min-fresh=x").minFresh == CacheControlHeader.longest)
    #expect(read("max-stale").maxStale == CacheControlHeader.longest)
    #expect(read("max-stale, max-stale=5").maxStale == 5)
    #expect(read("max-stale=x").maxStale == 0)
    #expect(read("no-cache=\"a\", no-cache=\"b\"").noCache == .fields(["a", "b"]))
    #expect(read("no-cache=\"a\"", "no-cache").noCache == .everything)
    #expect(read("no-cache", "no-cache=\"a\"").noCache == .everything)
  }

  @Test(arguments: [
    ("no-cache=a", CacheControlHeader.Scope.fields(["a"])), ("no-cache=\"A\"", .fields(["a"])),
    ("no-cache=\" a ,b\"", .fields(["a", "b"])), ("no-cache=\"a,,b\"", .everything),
    ("no-cache=\"\"", .everything),
    ("no-cache=", .everything), ("no-cache=\"a", .everything), ("no-cache=\"a b\"", .everything),
    ("no-cache=\"a\\\"\"", .everything), ("no-cache=\"a:\"", .everything), ("no-cache =a", .everything),
    ("x", .none),
  ])
  func scopes(text: String, scope: CacheControlHeader.Scope) {
    #expect(read(text).noCache == scope)
  }

  @Test func thousandsOfNames() {
    let names = (0..<5_000).map { "x\($0)" }.joined(separator: ",")
    #expect(read("private=\"\(names)\"").isPrivate == .everything)
    #expect(read("private=\"" + String(repeating: "x", count: 300) + "\"").isPrivate == .everything)
  }

  /// What an open quote is followed by is still read, and in linear time.
  @Test func openQuotes() {
    #expect(read("a=\"b, no-store").noStore)
    #expect(read("a=\"b\\\", no-store").noStore)
    #expect(!read("a=\"b\\\", no-store\"").noStore)
    #expect(read("a=\"b\", no-store, c=\"d").noStore)
    #expect(read("a=\"b", "no-store").noStore)
    let long = read(String(repeating: "a=\"\\", count: 200_000) + ",no-store")
    #expect(long.noStore)
  }

  @Test func thousandsOfFields() {
    var headers = HTTPFields()
    for number in 0..<5_000 {
      headers.append(HTTPField(name: .cacheControl, value: "max-age=\(9_999 - number), x-\(number)"))
    }
    #expect(CacheControlHeader(response: headers).maxAge == 5_000)
  }

  @Test func requests() {
    #expect(CacheControlHeader(request: fields("Pragma: no-cache")).noCache == .everything)
    #expect(CacheControlHeader(request: fields("Pragma: x, No-Cache")).noCache == .everything)
    #expect(CacheControlHeader(request: fields("Pragma: x")).noCache == .none)
    #expect(
      CacheControlHeader(request: fields("Pragma: no-cache\nCache-Control: max-age=1")).noCache == .none)
    #expect(CacheControlHeader(request: fields("Cache-Control: no-cache=\"a\"")).noCache == .everything)
    #expect(CacheControlHeader(response: fields("Pragma: no-cache")).noCache == .none)
  }
}

@Suite("Entity tags")
struct EntityTagTests {
  @Test(arguments: ["\"\"", "\"1\"", "W/\"1\"", "\"a,b;!#~\"", "\"ü\"", "\"W/\"", "\"\\\""])
  func reads(_ text: String) {
    let tag = EntityTag(text)
    #expect(tag?.text == text && tag?.description == text)
    #expect(tag?.isWeak == text.hasPrefix("W/"))
  }

  @Test(arguments: [
    "", "\"", "1", "*", "W/", "W/1", "w/\"1\"", "W/ \"1\"", "\"1", "1\"", "\"1\"2\"", "\"1\", \"2\"", "\" \"",
    "\"\u{7F}\"", "\"\t\"",
  ])
  func doesNotRead(_ text: String) {
    #expect(EntityTag(text) == nil)
  }

  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true),
    ("\"1\"", "\"1\"", true, true),
  ])
  func compares(left: String, right: String, strongly: Bool, weakly: Bool) throws {
    let left = try #require(EntityTag(left))
    let right = try #require(EntityTag(right))
    #expect(left.matchesStrongly(right) == strongly && right.matchesStrongly(left) == strongly)
    #expect(left.matchesWeakly(right) == weakly && right.matchesWeakly(left) == weakly)
  }
}
