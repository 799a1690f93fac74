import CalotypeResults

/// The freshness of responses.
enum CacheControlCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let input = vector.input
    let now = VectorTime.now
    var rule = CacheControlRule()
    if let text = number(after: "TTL=", in: " " + input, precededBy: " ") {
      rule.timeToLive = text == "huge" ? 1_000_000_000 : Int(text) ?? rule.timeToLive
    }
    if let text = number(after: "FALLBACK_IMAGE_TTL=", in: input), let seconds = Int(text) {
      rule.fallbackTimeToLive = seconds
    }
    rule.passesThrough = input.contains("passthrough") && !input.contains("passthrough off")
    var response = CacheControlRule.Response()
    response.isFallback = input.contains("fallback used")
    if input.contains("status ≥ 400") { response.status = 404 }
    response.expires = expires(in: input, now: now)
    if let text = number(after: "max-age=", in: input) {
      response.originCacheControl = "max-age=\(text)" + (input.contains(", public") ? ", public" : "")
    }
    if input.contains("Expires in 2030") { response.originExpires = VectorTime.field2030 }
    for hours in 1...9 where input.contains("Expires in \(hours) h") || input.contains("Expires \(hours) h") {
      response.originExpires = VectorTime.field(inHours: hours)
    }
    if input.hasSuffix("+ Expires") { response.originExpires = VectorTime.field(inHours: 2) }
    let found = rule.value(for: response, now: now) ?? "no Cache-Control"
    return .answer(found, agrees: agrees(found, vector.expected, response, now))
  }

  private static func expires(in input: String, now: Int64) -> Int64? {
    if input.contains("expires option 2030") { return VectorTime.year2030 }
    if input.contains("expires zero") { return 0 }
    if let text = number(after: "expires in ", in: input), let seconds = Int64(text) { return now + seconds }
    return input.contains("expires option") ? now + 3600 : nil
  }

  private static func agrees(
    _ found: String, _ expected: String, _ response: CacheControlRule.Response, _ now: Int64
  ) -> Bool {
    if expected.contains("<seconds left>") { return found == "max-age=\(VectorTime.year2030 - now), public" }
    if expected.contains("option wins") { return found == "max-age=\((response.expires ?? 0) - now), public" }
    let text = expected.prefix(before: ";(").trimmed(of: " ")
    if Int(text.prefix(before: " ")) != nil { return found == "max-age=\(text.prefix(before: " "))" }
    // Some rows leave `public` out.
    return found == text || found == text + ", public"
  }

  /// Returns the word behind a text.
  private static func number(after mark: String, in input: String, precededBy other: String = "") -> String? {
    guard let range = input.firstRange(of: other + mark) else { return nil }
    return input[range.upperBound...].prefix(before: " ,;")
  }
}
