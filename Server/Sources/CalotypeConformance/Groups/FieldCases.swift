import CalotypeResults
import HTTPTypes

/// Header fields of responses, and names of files.
enum FieldCases {
  static func header(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    if vector.expected.hasPrefix("Content-Security-Policy: ") {
      let value = SecurityRule().fields.first { $0.name.canonicalName == "content-security-policy" }?.value
      return .answer("Content-Security-Policy: \(value ?? "")", expected: vector.expected)
    }
    // Without the switch, the rule is not asked.
    guard vector.input.contains("SET_CANONICAL_HEADER") else { return .refused("an unknown field") }
    let isOn = !vector.input.contains("off")
    let source = vector.input.split(separator: " ").last.map(String.init) ?? ""
    let link = isOn ? CanonicalLink.value(for: source) : nil
    return .answer(link.map { "Link: \($0)" } ?? "no Link", expected: vector.expected)
  }

  static func disposition(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    func word(_ mark: String) -> String? {
      vector.input.firstRange(of: mark).map { vector.input[$0.upperBound...].prefix(before: " ,") }
    }
    guard let source = word("url=") else { return .refused("no URL") }
    let disposition = ContentDisposition(
      source: source.replacing("…", with: "http://example.com"), filename: word("fn=") ?? "",
      fileExtension: word("ext=") ?? "", contentType: word("type ") ?? "",
      isAttachment: vector.input.contains("attachment"))
    return .answer(disposition.value, expected: vector.expected)
  }

  /// The switches, and the text and moment that make earlier validators invalid.
  private static func validators(_ vector: ConformanceVector) -> OriginValidators {
    let (input, expected) = (vector.input, vector.expected)
    var rule = OriginValidators()
    let both = input.hasPrefix("both")
    rule.passesEntityTag = both || input.contains("ETag on")
    rule.passesLastModified = both || input.contains("LM on")
    let hasBuster = input.contains("buster") && !input.contains("no buster") || expected.contains("buster")
    if hasBuster {
      rule.lastModifiedBuster = VectorTime.year2020
      rule.entityTagBuster = input.contains("different-buster") ? "different-buster" : "buster"
    }
    return rule
  }

  static func conditionalRequest(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let input = vector.input
    func word(_ mark: String) -> String? {
      input.firstRange(of: mark).map { input[$0.upperBound...].prefix(before: " ,;") }
    }
    var client = OriginValidators.Conditions()
    if let tag = word("INM ") ?? word("If-None-Match ") {
      client.ifNoneMatch = tag.hasPrefix("W/") ? tag : "\"\(tag)\""
    }
    if input.contains("IMS") {
      client.ifModifiedSince =
        input.contains("not a date")
        ? "today"
        : input.contains("before") || input.contains("earlier") ? VectorTime.before2020 : VectorTime.after2020
    }
    if input.contains("client sends both") || input.hasPrefix("both on, no busters"),
      client.ifNoneMatch == nil
    {
      client = OriginValidators.Conditions(ifNoneMatch: "\"etag1\"", ifModifiedSince: VectorTime.after2020)
    }
    let sent = validators(vector).originConditions(from: client)
    let tag = sent.ifNoneMatch?.trimmed(of: "\"")
    let found = "tag \(tag ?? "none"), date \(sent.ifModifiedSince ?? "none")"
    let date = sent.ifModifiedSince != nil
    let agrees =
      switch vector.expected {
      case "nothing sent to origin", "neither sent": tag == nil && !date
      case "IMS not sent": !date
      case "IMS sent": tag == nil && date
      case "both sent": tag == "etag1" && date
      case "INM not sent": tag == nil
      case let text where text.hasSuffix(" sent"): tag == text.prefix(before: " ")
      default: false
      }
    return .answer(found, agrees: agrees)
  }

  static func conditionalResponse(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let (input, expected) = (vector.input, vector.expected)
    var origin = OriginValidators.Validators()
    if let range = input.firstRange(of: "origin etag") {
      origin.entityTag = "etag" + input[range.upperBound...].prefix(before: " ,;")
    }
    if input.contains("all off") { origin.entityTag = "etag" }
    if input.contains("older") { origin.lastModified = VectorTime.before2020 }
    if input.contains("newer") || input.contains("all off") { origin.lastModified = VectorTime.after2020 }
    if input.contains("not a date") { origin.lastModified = "today" }
    let sent = validators(vector).clientValidators(from: origin)
    let found = "ETag: \(sent.entityTag ?? "none"), Last-Modified: \(sent.lastModified ?? "none")"
    let date =
      expected.contains("buster date")
      ? VectorTime.field2020 : expected.contains("origin date") ? origin.lastModified : nil
    let tag = expected.firstRange(of: "ETag: ").map { expected[$0.upperBound...].prefix(before: ",") }
    return .answer(found, agrees: sent.lastModified == date && sent.entityTag == tag)
  }
}
