import CalotypeCaching

/// What is decided about which response, so many seconds after it came.
extension CacheDecisionTests {
  private static let etag = "ETag: \"1\"\n"
  private static let date = "Date: Thu, 15 May 2025 00:00:00 GMT\n"
  /// Ten days before the response.
  static let modified = "Last-Modified: Mon, 05 May 2025 00:00:00 GMT\n"

  static let lifetimes: [Row] = [
    Row("max-age, just come", "Cache-Control: max-age=60", at: 0, .fresh(60)),
    Row("max-age, last second", "Cache-Control: max-age=60", at: 59, .fresh(1)),
    Row("max-age, over", "Cache-Control: max-age=60", at: 60, .load),
    Row("max-age, over, with an entity tag", etag + "Cache-Control: max-age=60", at: 60, .revalidate),
    Row("max-age, over, with a date", modified + "Cache-Control: max-age=60", at: 60, .revalidate),
    Row("max-age in quotes", "Cache-Control: max-age=\"60\"", at: 30, .fresh(30)),
    Row("max-age in capitals", "Cache-Control: MAX-AGE=60", at: 30, .fresh(30)),
    Row("max-age of no number", etag + "Cache-Control: max-age=soon", at: 0, .revalidate),
    Row("max-age without a value", etag + "Cache-Control: max-age", at: 0, .revalidate),
    Row("max-age with an empty value", etag + "Cache-Control: max-age=", at: 0, .revalidate),
    Row("max-age below zero", etag + "Cache-Control: max-age=-1", at: 0, .revalidate),
    Row("max-age with a fraction", etag + "Cache-Control: max-age=60.5", at: 0, .revalidate),
    Row("max-age with a plus", etag + "Cache-Control: max-age=+60", at: 0, .revalidate),
    Row("max-age with spaces", etag + "Cache-Control: max-age = 60", at: 0, .revalidate),
    Row("max-age in other digits", etag + "Cache-Control: max-age=６０", at: 0, .revalidate),
    Row(
      "max-age with a control character, which is a space", "Cache-Control: max-age=60\u{1}", at: 0,
      .fresh(60)),
    Row("max-age with a quote left open", etag + "Cache-Control: max-age=\"60", at: 0, .revalidate),
    Row("max-age with leading zeros", "Cache-Control: max-age=0060", at: 30, .fresh(30)),
    Row(
      "max-age that overflows is at most a year", "Cache-Control: max-age=99999999999999999999", at: 0,
      .fresh(31_536_000)),
    Row("two max-age: the shorter", etag + "Cache-Control: max-age=60, max-age=10", at: 20, .revalidate),
    Row(
      "two max-age in two fields", etag + "Cache-Control: max-age=10\nCache-Control: max-age=60", at: 20,
      .revalidate),
    Row("two max-age, one malformed", etag + "Cache-Control: max-age=60, max-age=x", at: 0, .revalidate),
    Row(
      "a directive nobody knows", "Cache-Control: x-foo=\"max-age=0, no-store\", max-age=60", at: 30,
      .fresh(30)),
    Row("empty elements", "Cache-Control: ,, ,max-age=60,,", at: 30, .fresh(30)),
    Row("a name that begins alike", etag + "Cache-Control: max-age-x=600", at: 3600, .revalidate),
    Row("s-maxage in a shared cache", "Cache-Control: max-age=10, s-maxage=60", at: 30, .fresh(30)),
    Row("s-maxage that is shorter", etag + "Cache-Control: max-age=60, s-maxage=10", at: 30, .revalidate),
    Row(
      "s-maxage in a private cache", etag + "Cache-Control: max-age=10, s-maxage=60", at: 30, by: .mine,
      .revalidate),
    Row("s-maxage of zero", etag + "Cache-Control: max-age=60, s-maxage=0", at: 0, .revalidate),
    Row(
      "max-age wins over Expires", date + "Cache-Control: max-age=60\nExpires: Thu, 15 May 2025 01:00:00 GMT",
      at: 0, .fresh(60)),
    Row("Expires", date + "Expires: Thu, 15 May 2025 00:01:00 GMT", at: 30, .fresh(30)),
    Row("Expires, over", etag + date + "Expires: Thu, 15 May 2025 00:01:00 GMT", at: 60, .revalidate),
    Row("Expires without a Date", "Expires: Thu, 15 May 2025 00:01:00 GMT", at: 30, .fresh(30)),
    Row(
      "Expires by their clock", "Date: Thu, 15 May 2025 00:10:00 GMT\nExpires: Thu, 15 May 2025 00:11:00 GMT",
      at: 30, .fresh(30)),
    Row("Expires before Date", etag + date + "Expires: Wed, 14 May 2025 00:00:00 GMT", at: 0, .revalidate),
    Row("Expires that is no date", etag + date + "Expires: 0", at: 0, .revalidate),
    Row("Expires of -1", etag + date + "Expires: -1", at: 0, .revalidate),
    Row(
      "Expires, twice the same",
      date + "Expires: Thu, 15 May 2025 00:01:00 GMT\nExpires: Thu, 15 May 2025 00:01:00 GMT", at: 0,
      .fresh(60)),
    Row(
      "Expires that contradict",
      etag + date + "Expires: Thu, 15 May 2025 00:01:00 GMT\nExpires: Thu, 15 May 2025 00:02:00 GMT", at: 0,
      .revalidate),
    Row("Expires in RFC 850's form", date + "Expires: Thursday, 15-May-25 00:01:00 GMT", at: 0, .fresh(60)),
    Row("Expires in asctime's form", date + "Expires: Thu May 15 00:01:00 2025", at: 0, .fresh(60)),
    Row(
      "Expires at the end of time", date + "Expires: Fri, 31 Dec 9999 23:59:59 GMT", at: 0, .fresh(31_536_000)
    ),
    Row("a tenth of the time since it changed", date + modified, at: 0, .fresh(86_400)),
    Row(
      "a tenth, without a cap", date + modified, at: 0,
      by: FreshnessPolicy(maxHeuristicLifetime: .seconds(1_000_000)),
      .fresh(86_400)),
    Row(
      "a tenth, capped", date + modified, at: 0, by: FreshnessPolicy(maxHeuristicLifetime: .seconds(100)),
      .fresh(100)),
    Row(
      "half the time", date + modified, at: 0,
      by: FreshnessPolicy(heuristicFraction: 0.5, maxHeuristicLifetime: .seconds(1_000_000)), .fresh(432_000)),
    Row(
      "a fraction above one", date + modified, at: 0,
      by: FreshnessPolicy(heuristicFraction: 7, maxHeuristicLifetime: .seconds(10_000_000)), .fresh(864_000)),
    Row(
      "a fraction that is no number", date + modified, at: 0, by: FreshnessPolicy(heuristicFraction: .nan),
      .revalidate),
    Row("changed in the future", date + "Last-Modified: Fri, 16 May 2025 00:00:00 GMT", at: 0, .revalidate),
    Row("changed at no date", date + "Last-Modified: yesterday", at: 0, .fresh(3600)),
    Row("nothing is said", "Content-Type: image/png", at: 0, .fresh(3600)),
    Row("nothing is said, an hour ago", "Content-Type: image/png", at: 3600, .load),
    Row(
      "nothing is said, another default", "", at: 5, by: FreshnessPolicy(defaultLifetime: .seconds(10)),
      .fresh(5)
    ),
    Row("only an entity tag", etag, at: 3600, .revalidate),
    Row("Cache-Control that says nothing of time", "Cache-Control: public", at: 0, .fresh(3600)),
    Row("Pragma: no-cache in a response", etag + "Pragma: no-cache", at: 0, .revalidate),
    Row("Pragma beside Cache-Control", "Pragma: no-cache\nCache-Control: max-age=60", at: 0, .fresh(60)),
    Row(
      "at least", "Cache-Control: max-age=1", at: 30, by: FreshnessPolicy(minLifetime: .seconds(60)),
      .fresh(30)),
    Row(
      "at least, of what is stale at once", "Expires: 0", at: 30,
      by: FreshnessPolicy(minLifetime: .seconds(60)),
      .fresh(30)),
    Row(
      "at least does not mean no-cache", etag + "Cache-Control: no-cache", at: 0,
      by: FreshnessPolicy(minLifetime: .seconds(60)), .revalidate),
    Row(
      "at most", "Cache-Control: max-age=600", at: 0, by: FreshnessPolicy(maxLifetime: .seconds(60)),
      .fresh(60)),
    Row(
      "at most wins over at least", "", at: 0,
      by: FreshnessPolicy(minLifetime: .seconds(90), maxLifetime: .seconds(60)), .fresh(60)),
    Row("below zero at most", etag, at: 0, by: FreshnessPolicy(maxLifetime: .seconds(-5)), .revalidate),
    Row(
      "pinned", "Cache-Control: no-cache, max-age=0, must-revalidate\nAge: 500", at: 30,
      by: .pinned(.seconds(60)), .fresh(30)),
    Row("pinned, over", etag + "Cache-Control: max-age=600", at: 60, by: .pinned(.seconds(60)), .revalidate),
  ]

  static let ages: [Row] = [
    Row("Age", "Age: 50\nCache-Control: max-age=60", at: 0, .fresh(10)),
    Row("Age, over", etag + "Age: 60\nCache-Control: max-age=60", at: 0, .revalidate),
    Row("Age of no number", "Age: old\nCache-Control: max-age=60", at: 0, .fresh(60)),
    Row("Age below zero", "Age: -5\nCache-Control: max-age=60", at: 0, .fresh(60)),
    Row("Age in a list: the first", "Age: 50, 10\nCache-Control: max-age=60", at: 0, .fresh(10)),
    Row("Age in two fields: the first", "Age: 50\nAge: 10\nCache-Control: max-age=60", at: 0, .fresh(10)),
    Row(
      "Age that overflows", etag + "Age: 99999999999999999999\nCache-Control: max-age=60", at: 0, .revalidate),
    Row(
      "Date before the response", "Date: Wed, 14 May 2025 23:59:20 GMT\nCache-Control: max-age=60", at: 0,
      .fresh(20)),
    Row(
      "Date after the response", "Date: Thu, 15 May 2025 00:10:00 GMT\nCache-Control: max-age=60", at: 0,
      .fresh(60)),
    Row("Date that is no date", "Date: today\nCache-Control: max-age=60", at: 0, .fresh(60)),
    Row(
      "the larger of Age and Date", "Age: 10\nDate: Wed, 14 May 2025 23:59:20 GMT\nCache-Control: max-age=60",
      at: 0, .fresh(20)),
    Row(
      "the larger of Date and Age", "Age: 50\nDate: Wed, 14 May 2025 23:59:20 GMT\nCache-Control: max-age=60",
      at: 0, .fresh(10)),
    Row("the way of the response", "Cache-Control: max-age=60", at: 0, delay: 20, .fresh(40)),
    Row("the way and Age", "Age: 10\nCache-Control: max-age=60", at: 0, delay: 20, .fresh(30)),
    Row(
      "the way and Date are not added", "Date: Wed, 14 May 2025 23:59:40 GMT\nCache-Control: max-age=60",
      at: 0, delay: 20, .fresh(40)),
    Row("all together, later", "Age: 10\nCache-Control: max-age=60", at: 20, delay: 20, .fresh(10)),
    Row("asked after it came", "Cache-Control: max-age=60", at: 0, delay: -20, .fresh(60)),
    Row("a clock set back", "Cache-Control: max-age=60", at: -1000, .fresh(60)),
  ]

  static let revalidation: [Row] = [
    Row("no-cache", etag + "Cache-Control: no-cache, max-age=60", at: 0, .revalidate),
    Row("no-cache without validators", "Cache-Control: no-cache, max-age=60", at: 0, .load),
    Row("no-cache for a field", "Cache-Control: no-cache=\"Set-Cookie\", max-age=60", at: 0, .fresh(60)),
    Row(
      "no-cache for a field without quotes", "Cache-Control: no-cache=Set-Cookie, max-age=60", at: 0,
      .fresh(60)),
    Row(
      "no-cache for nothing that is a field", etag + "Cache-Control: no-cache=\"a b\", max-age=60", at: 0,
      .revalidate),
    Row("no-cache for no field", etag + "Cache-Control: no-cache=\"\", max-age=60", at: 0, .revalidate),
    Row("no-cache twice", etag + "Cache-Control: no-cache=\"a\", no-cache, max-age=60", at: 0, .revalidate),
    Row(
      "no-cache behind an open quote", etag + "Cache-Control: x=\"y, no-cache, max-age=60", at: 0, .revalidate
    ),
    Row("must-revalidate, fresh", "Cache-Control: max-age=60, must-revalidate", at: 30, .fresh(30)),
    Row("a malformed entity tag", "ETag: 1\nCache-Control: max-age=60", at: 60, .load),
    Row("an entity tag that is a star", "ETag: *\nCache-Control: max-age=60", at: 60, .load),
    Row("a weak entity tag", "ETag: W/\"1\"\nCache-Control: max-age=60", at: 60, .revalidate),
    Row("immutable, over", etag + "Cache-Control: max-age=60, immutable", at: 60, .revalidate),
  ]

  static let requests: [Row] = [
    Row(
      "asking with no-cache", etag + "Cache-Control: max-age=60", at: 0, asking: "Cache-Control: no-cache",
      .revalidate),
    Row(
      "asking with no-cache, no validators", "Cache-Control: max-age=60", at: 0,
      asking: "Cache-Control: no-cache", .load),
    Row(
      "asking with Pragma", etag + "Cache-Control: max-age=60", at: 0, asking: "Pragma: no-cache", .revalidate
    ),
    Row(
      "asking with Pragma and Cache-Control", "Cache-Control: max-age=60", at: 0,
      asking: "Pragma: no-cache\nCache-Control: max-age=5", .fresh(60)),
    Row(
      "asking with no-cache of a field", etag + "Cache-Control: max-age=60", at: 0,
      asking: "Cache-Control: no-cache=\"a\"", .revalidate),
    Row(
      "asking with no-store", "Cache-Control: max-age=60", at: 0, asking: "Cache-Control: no-store",
      .fresh(60)),
    Row(
      "asking for max-age, young", "Cache-Control: max-age=60", at: 10, asking: "Cache-Control: max-age=10",
      .fresh(50)),
    Row(
      "asking for max-age, old", etag + "Cache-Control: max-age=60", at: 11,
      asking: "Cache-Control: max-age=10", .revalidate),
    Row(
      "asking for max-age of no number", etag + "Cache-Control: max-age=60", at: 1,
      asking: "Cache-Control: max-age=x", .revalidate),
    Row(
      "a reload", etag + "Cache-Control: max-age=60", at: 1, asking: "Cache-Control: max-age=0", .revalidate),
    Row(
      "a reload of what is immutable", etag + "Cache-Control: max-age=60, immutable", at: 30,
      asking: "Cache-Control: max-age=0", .fresh(30)),
    Row(
      "a reload of what was immutable", etag + "Cache-Control: max-age=60, immutable", at: 60,
      asking: "Cache-Control: max-age=0", .revalidate),
    Row(
      "no-cache of what is immutable", etag + "Cache-Control: max-age=60, immutable", at: 30,
      asking: "Cache-Control: no-cache", .revalidate),
    Row(
      "a forced reload of what is immutable, by Pragma", etag + "Cache-Control: max-age=60, immutable",
      at: 30,
      asking: "Pragma: no-cache", .revalidate),
    Row(
      "a reload of what is immutable, with an argument without meaning",
      etag + "Cache-Control: max-age=60, immutable=\"no\", immutable", at: 30,
      asking: "Cache-Control: max-age=0",
      .fresh(30)),
    Row(
      "a reload of what is immutable and must be revalidated each time",
      etag + "Cache-Control: max-age=60, immutable, no-cache", at: 30, asking: "Cache-Control: max-age=0",
      .revalidate),
    Row(
      "a reload that says immutable itself", etag + "Cache-Control: max-age=60", at: 30,
      asking: "Cache-Control: max-age=0, immutable", .revalidate),
    Row(
      "a reload of what is immutable and too near its end", etag + "Cache-Control: max-age=60, immutable",
      at: 30,
      asking: "Cache-Control: max-age=0, min-fresh=31", .revalidate),
    Row(
      "a reload of what is immutable by Expires",
      etag + date + "Cache-Control: immutable\nExpires: Thu, 15 May 2025 00:01:00 GMT", at: 30,
      asking: "Cache-Control: max-age=0", .fresh(30)),
    Row(
      "a reload of what is immutable and not authenticated", etag + "Cache-Control: max-age=60, immutable",
      at: 30, asking: "Cache-Control: max-age=0", by: .unauthenticated, .revalidate),
    Row(
      "what is immutable and not authenticated", etag + "Cache-Control: max-age=60, immutable", at: 30,
      by: .unauthenticated, .fresh(30)),
    Row(
      "asking for no transformation of what is stored", "Cache-Control: max-age=60", at: 30,
      asking: "Cache-Control: no-transform", .fresh(30)),
    Row("what must not be transformed", "Cache-Control: max-age=60, no-transform", at: 30, .fresh(30)),
    Row(
      "asking for min-fresh that is there", "Cache-Control: max-age=60", at: 30,
      asking: "Cache-Control: min-fresh=30", .fresh(30)),
    Row(
      "asking for min-fresh that is not", etag + "Cache-Control: max-age=60", at: 31,
      asking: "Cache-Control: min-fresh=30", .revalidate),
    Row(
      "asking for min-fresh of no number", etag + "Cache-Control: max-age=60", at: 0,
      asking: "Cache-Control: min-fresh=x", .revalidate),
    Row(
      "two min-fresh: the longer", etag + "Cache-Control: max-age=60", at: 31,
      asking: "Cache-Control: min-fresh=30, min-fresh=1", .revalidate),
    Row(
      "asking for max-stale", etag + "Cache-Control: max-age=60", at: 70,
      asking: "Cache-Control: max-stale=10", .stale(10)),
    Row(
      "asking for max-stale, too stale", etag + "Cache-Control: max-age=60", at: 71,
      asking: "Cache-Control: max-stale=10", .revalidate),
    Row(
      "asking for any max-stale", etag + "Cache-Control: max-age=60", at: 100_000,
      asking: "Cache-Control: max-stale", .stale(99_940)),
    Row(
      "asking for max-stale of no number", etag + "Cache-Control: max-age=60", at: 61,
      asking: "Cache-Control: max-stale=x", .revalidate),
    Row(
      "max-stale and must-revalidate", etag + "Cache-Control: max-age=60, must-revalidate", at: 70,
      asking: "Cache-Control: max-stale", .revalidate),
    Row(
      "max-stale and no-cache", etag + "Cache-Control: max-age=60, no-cache", at: 70,
      asking: "Cache-Control: max-stale", .revalidate),
    Row(
      "max-stale and s-maxage", etag + "Cache-Control: s-maxage=60", at: 70,
      asking: "Cache-Control: max-stale", .revalidate),
    Row(
      "max-stale and s-maxage, private cache", etag + "Cache-Control: max-age=60, s-maxage=60", at: 70,
      asking: "Cache-Control: max-stale", by: .mine, .stale(10)),
    Row(
      "max-stale and proxy-revalidate", etag + "Cache-Control: max-age=60, proxy-revalidate", at: 70,
      asking: "Cache-Control: max-stale", .revalidate),
    Row(
      "max-stale and proxy-revalidate, private cache", "Cache-Control: max-age=60, proxy-revalidate", at: 70,
      asking: "Cache-Control: max-stale", by: .mine, .stale(10)),
    Row(
      "max-stale, but not so old", etag + "Cache-Control: max-age=60", at: 70,
      asking: "Cache-Control: max-stale, max-age=65", .revalidate),
    Row(
      "max-stale and min-fresh", etag + "Cache-Control: max-age=60", at: 70,
      asking: "Cache-Control: max-stale, min-fresh=1", .revalidate),
    Row(
      "only if cached, fresh", "Cache-Control: max-age=60", at: 0, asking: "Cache-Control: only-if-cached",
      .fresh(60)),
    Row(
      "only if cached, stale", etag + "Cache-Control: max-age=60", at: 60,
      asking: "Cache-Control: only-if-cached", .unavailable),
    Row(
      "only if cached, may be stale", etag + "Cache-Control: max-age=60", at: 60,
      asking: "Cache-Control: only-if-cached, max-stale", .stale(0)),
    Row(
      "only if cached, stale while revalidating", "Cache-Control: max-age=60, stale-while-revalidate=60",
      at: 70, asking: "Cache-Control: only-if-cached", .stale(10)),
    Row(
      "only if cached, and confirmed", "Cache-Control: max-age=60", at: 0,
      asking: "Cache-Control: only-if-cached, no-cache", .unavailable),
    Row("asking for a range", etag + "Cache-Control: max-age=60", at: 0, asking: "Range: bytes=0-9", .load),
    Row(
      "a request with a condition", etag + "Cache-Control: max-age=60", at: 0, asking: "If-None-Match: \"2\"",
      .load),
  ]

  static let windows: [Row] = [
    Row(
      "stale-while-revalidate, fresh", "Cache-Control: max-age=60, stale-while-revalidate=30", at: 59,
      .fresh(1)),
    Row(
      "stale-while-revalidate, begins", etag + "Cache-Control: max-age=60, stale-while-revalidate=30", at: 60,
      .staleWhileRevalidate),
    Row(
      "stale-while-revalidate, last second", "Cache-Control: max-age=60, stale-while-revalidate=30", at: 89,
      .staleWhileRevalidate),
    Row(
      "stale-while-revalidate, over", etag + "Cache-Control: max-age=60, stale-while-revalidate=30", at: 90,
      .revalidate),
    Row(
      "stale-while-revalidate of zero", etag + "Cache-Control: max-age=60, stale-while-revalidate=0", at: 60,
      .revalidate),
    Row(
      "stale-while-revalidate of no number", etag + "Cache-Control: max-age=60, stale-while-revalidate=x",
      at: 60, .revalidate),
    Row(
      "stale-while-revalidate that overflows",
      "Cache-Control: max-age=60, stale-while-revalidate=99999999999999", at: 100_000, .staleWhileRevalidate),
    Row(
      "stale-while-revalidate and must-revalidate",
      etag + "Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate", at: 60, .revalidate),
    Row(
      "stale-while-revalidate and no-cache",
      etag + "Cache-Control: max-age=60, stale-while-revalidate=30, no-cache", at: 60, .revalidate),
    Row(
      "stale-while-revalidate and a reload", etag + "Cache-Control: max-age=60, stale-while-revalidate=30",
      at: 61, asking: "Cache-Control: max-age=0", .revalidate),
    Row(
      "stale-while-revalidate by policy", etag + "Cache-Control: max-age=60", at: 70,
      by: FreshnessPolicy(staleWhileRevalidate: .seconds(30)), .staleWhileRevalidate),
    Row(
      "theirs wins over the policy's", etag + "Cache-Control: max-age=60, stale-while-revalidate=5", at: 70,
      by: FreshnessPolicy(staleWhileRevalidate: .seconds(30)), .revalidate),
    Row(
      "stale-if-error is for errors", etag + "Cache-Control: max-age=60, stale-if-error=600", at: 70,
      .revalidate),
    Row("404, nothing said", "", at: 59, status: 404, .fresh(1)),
    Row("404, over", etag, at: 60, status: 404, .load),
    Row("404 that says so", "Cache-Control: max-age=600", at: 0, status: 404, .fresh(600)),
    Row("404 that says so for too long", "Cache-Control: max-age=86400", at: 0, status: 404, .fresh(3600)),
    Row(
      "404 of a policy that knows none", etag, at: 0, by: FreshnessPolicy(negativeLifetimes: [:]),
      status: 404,
      .load),
    Row(
      "404, never stale", etag + "Cache-Control: max-age=60, stale-while-revalidate=600", at: 70,
      asking: "Cache-Control: max-stale", status: 404, .load),
    Row("404, pinned", "", at: 60, by: .pinned(.seconds(600)), status: 404, .load),
    Row("410", "", at: 0, status: 410, .fresh(600)),
    Row("203", "Cache-Control: max-age=60", at: 0, status: 203, .fresh(60)),
  ]

  static let all = lifetimes + ages + revalidation + requests + windows
}
