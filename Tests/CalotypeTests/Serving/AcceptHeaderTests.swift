import HTTPTypes
import Testing

@testable import Calotype

@Suite("Accept")
struct AcceptHeaderTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let lines: [String]
    let expected: [String: Int]

    init(_ name: String, _ lines: String..., expect expected: [String: Int]) {
      self.name = name
      self.lines = lines
      self.expected = expected
    }

    var testDescription: String { name }
  }

  static let chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
  static let chromePage =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    + "application/signed-exchange;v=b3;q=0.7"
  static let firefox65 = "image/webp,*/*"
  static let firefox92 = "image/avif,image/webp,*/*"
  static let firefox128 =
    "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"
  static let firefox47 = "image/png,image/*;q=0.8,*/*;q=0.5"
  static let safari =
    "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,"
    + "image/svg+xml,image/*;q=0.8,*/*;q=0.5"
  static let safari13 = "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5"
  static let java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"

  @Test(arguments: [
    Row("Chrome", chrome, expect: ["avif": 1000, "webp": 1000, "apng": 1000, "jpeg": 1000, "png": 1000]),
    Row("Chrome, page", chromePage, expect: ["avif": 1000, "webp": 1000, "apng": 1000, "jpeg": 800]),
    Row("Firefox 47", firefox47, expect: ["png": 1000, "apng": 1000, "webp": 800, "jpeg": 800]),
    Row("Firefox 65", firefox65, expect: ["webp": 1000, "avif": 1000, "jpeg": 1000]),
    Row("Firefox 92", firefox92, expect: ["webp": 1000, "avif": 1000, "gif": 1000]),
    Row(
      "Firefox 128", firefox128, expect: ["avif": 1000, "png": 1000, "apng": 1000, "jpeg": 800, "gif": 800]),
    Row("Safari 13", safari13, expect: ["png": 1000, "apng": 1000, "jpeg": 800, "webp": 800]),
    Row("Safari 17", safari, expect: ["webp": 1000, "png": 1000, "jpeg": 800, "avif": 1000]),
    Row("curl", "*/*", expect: ["jpeg": 1000, "webp": 1000]),
    Row("Java, with weights that are malformed", java, expect: ["jpeg": 1000, "gif": 1000, "webp": 0]),
  ])
  func readsHeadersOfClients(row: Row) { check(row) }

  @Test(arguments: [
    Row("no line", expect: ["jpeg": 1000]),
    Row("empty", "", expect: ["jpeg": 1000]),
    Row("only whitespace", " \t ", expect: ["jpeg": 1000]),
    Row("commas only", ",, ,\t,", expect: ["jpeg": 1000]),
    Row("empty elements", ",image/webp,, ,image/png;q=0.5,", expect: ["webp": 1000, "png": 500, "gif": 0]),
    Row("two lines", "image/webp", "image/png;q=0.5", expect: ["webp": 1000, "png": 500, "gif": 0]),
    Row("an empty line among others", "", "image/webp", "", expect: ["webp": 1000, "png": 0]),
    Row("whitespace", " image/webp\t; \tq=0.5 ,\timage/png ", expect: ["webp": 500, "png": 1000]),
    Row("no whitespace", "image/webp;q=0.5,image/png", expect: ["webp": 500, "png": 1000]),
    Row("upper case", "IMAGE/WEBP;Q=0.5, Image/*;q=0.1", expect: ["webp": 500, "png": 100]),
    Row("empty parameters", "image/webp; ;;q=0.5;", expect: ["webp": 500]),
  ])
  func readsLists(row: Row) { check(row) }

  @Test(arguments: [
    Row("zero", "image/webp;q=0, */*", expect: ["webp": 0, "png": 1000]),
    Row("zero with a point", "image/webp;q=0., */*", expect: ["webp": 0]),
    Row("zero with decimals", "image/webp;q=0.000, */*", expect: ["webp": 0]),
    Row("one decimal", "image/webp;q=0.7", expect: ["webp": 700]),
    Row("two decimals", "image/webp;q=0.75", expect: ["webp": 750]),
    Row("three decimals", "image/webp;q=0.755", expect: ["webp": 755]),
    Row("the least", "image/webp;q=0.001", expect: ["webp": 1]),
    Row("one with decimals", "image/webp;q=1.000", expect: ["webp": 1000]),
    Row("one with a point", "image/webp;q=1.", expect: ["webp": 1000]),
    Row(
      "weight before a parameter", "image/webp;q=0.5;v=1, */*;q=0.1", expect: ["webp;v=1": 500, "webp": 100]),
    Row("everything excluded", "*/*;q=0", expect: ["jpeg": 0, "webp": 0]),
    Row("all images excluded", "image/*;q=0, */*", expect: ["jpeg": 0, "apng": 0]),
  ])
  func readsWeights(row: Row) { check(row) }

  @Test(arguments: [
    Row("four decimals", "image/webp;q=0.5555, */*;q=0.1", expect: ["webp": 100]),
    Row("more than one", "image/webp;q=1.001, */*;q=0.1", expect: ["webp": 100]),
    Row("two", "image/webp;q=2, */*;q=0.1", expect: ["webp": 100]),
    Row("negative", "image/webp;q=-1, */*;q=0.1", expect: ["webp": 100]),
    Row("exponent", "image/webp;q=1e-1, */*;q=0.1", expect: ["webp": 100]),
    Row("no leading digit", "image/webp;q=.5, */*;q=0.1", expect: ["webp": 100]),
    Row("no weight", "image/webp;q=, */*;q=0.1", expect: ["webp": 100]),
    Row("quoted weight", "image/webp;q=\"0.5\", */*;q=0.1", expect: ["webp": 100]),
    Row("two weights", "image/webp;q=0.5;q=0.6, */*;q=0.1", expect: ["webp": 100]),
    Row("letters after the weight", "image/webp;q=0.5x, */*;q=0.1", expect: ["webp": 100]),
    Row("space before =", "image/webp;q =0.5, */*;q=0.1", expect: ["webp": 100]),
    Row("space after =", "image/webp;q= 0.5, */*;q=0.1", expect: ["webp": 100]),
    Row("no subtype", "image, image/, image/webp;q=0.5", expect: ["png": 0, "webp": 500]),
    Row("no type", "/webp, */*;q=0.1", expect: ["webp": 100]),
    Row("star only", "*, image/webp", expect: ["webp": 1000, "png": 0]),
    Row("wildcard type", "*/webp, */*;q=0.1", expect: ["webp": 100]),
    Row("two slashes", "image/webp/x, */*;q=0.1", expect: ["webp": 100]),
    Row("space in a type", "image/ webp, image /webp, */*;q=0.1", expect: ["webp": 100]),
    Row("parameter without a value", "image/webp;v, */*;q=0.1", expect: ["webp": 100]),
    Row("parameter twice", "image/webp;v=1;v=1, */*;q=0.1", expect: ["webp;v=1": 100]),
    Row("unclosed quote to the end", "image/png, image/webp;v=\"1, */*", expect: ["png": 1000, "webp": 0]),
    Row("unclosed quote ends with the line", "image/webp;v=\"1", "*/*;q=0.1", expect: ["webp": 100]),
    Row("unclosed escape", "image/webp;v=\"1\\", "*/*;q=0.1", expect: ["webp": 100]),
    Row("non-ASCII", "imäge/webp, image/wébp, */*;q=0.1", expect: ["webp": 100]),
    Row("control", "image/we\u{0}bp, */*;q=0.1", expect: ["webp": 100]),
    Row("only malformed", "image, webp, *;q=1, ;", expect: ["webp": 1000, "jpeg": 1000]),
    Row("colon for a comma", "image/png:image/webp;q=0.5", expect: ["webp": 1000]),
  ])
  func ignoresMalformedElements(row: Row) { check(row) }

  @Test(arguments: [
    Row("type over image/*", "image/*;q=0.9, image/webp;q=0.2, */*", expect: ["webp": 200, "png": 900]),
    Row("image/* over everything", "*/*, image/*;q=0.3", expect: ["webp": 300]),
    Row(
      "order does not count", "image/webp;q=0.2, */*;q=1, image/*;q=0.9", expect: ["webp": 200, "gif": 900]),
    Row("other types", "text/*;q=0.9, */*;q=0.1", expect: ["webp": 100]),
    Row("other type of the same subtype", "video/webp, */*;q=0.1", expect: ["webp": 100]),
    Row("twice, the higher", "image/webp;q=0.3, image/webp;q=0.6, image/webp;q=0.4", expect: ["webp": 600]),
    Row("parameter over none", "image/webp;v=1;q=0.2, image/webp", expect: ["webp;v=1": 200, "webp": 1000]),
    Row("another value", "image/webp;v=2;q=0.2, image/webp", expect: ["webp;v=1": 1000]),
    Row("two over one", "image/webp;v=1;q=0.2, image/webp;w=2;v=1;q=0.3", expect: ["webp;v=1;w=2": 300]),
    Row("type over a wildcard with one", "image/*;v=1;q=0.2, image/webp;q=0.3", expect: ["webp;v=1": 300]),
    Row(
      "wildcard with a parameter", "image/*;v=1;q=0.2, image/*;q=0.3", expect: ["webp;v=1": 200, "webp": 300]),
    Row("quoted value", "image/webp;v=\"1\";q=0.2, */*", expect: ["webp;v=1": 200]),
    Row("escapes in quotes", "image/webp;v=\"\\1\";q=0.2, */*", expect: ["webp;v=1": 200]),
    Row("comma in quotes", "image/webp;v=\"1,2\";q=0.2, */*", expect: ["webp;v=\"1,2\"": 200, "webp": 1000]),
    Row("quote in quotes", "image/webp;v=\"\\\",\";q=0.2, */*", expect: ["webp;v=\"\\\",\"": 200]),
    Row("q in quotes", "image/webp;v=\";q=0\";q=0.2, */*;q=0.1", expect: ["webp": 100]),
    Row("name in upper case", "image/webp;V=a;q=0.2, */*", expect: ["webp;v=a": 200, "webp;v=A": 1000]),
    Row("image/jpg", "image/jpg;q=0.4, */*;q=0.1", expect: ["jpeg": 400, "jpg": 400]),
    Row("image/JPG for image/jpeg", "image/jpeg;q=0.4, */*;q=0.1", expect: ["JPG": 400]),
    Row("video/jpg", "video/jpg, */*;q=0.1", expect: ["jpeg": 100]),
    Row(
      "APNG of Mozilla", "image/vnd.mozilla.apng;q=0.4",
      expect: ["apng": 400, "vnd.mozilla.apng": 400, "png": 0]),
    Row("PNG includes APNG", "image/png;q=0.4, */*;q=0.1", expect: ["apng": 400]),
    Row("PNG excluded", "image/png;q=0, */*", expect: ["apng": 0, "png": 0]),
    Row("APNG named too", "image/png, image/apng;q=0.4", expect: ["apng": 400, "png": 1000]),
    Row("APNG excluded", "image/apng;q=0, image/png", expect: ["apng": 0, "png": 1000]),
    Row("APNG does not include PNG", "image/apng, */*;q=0.1", expect: ["apng": 1000, "png": 100]),
    Row("APNG by a wildcard", "image/*;q=0.3", expect: ["apng": 300]),
  ])
  func theMostSpecificRangeDecides(row: Row) { check(row) }

  @Test("a field that equals another only by Unicode has its own meaning")
  func canonicalEquivalence() {
    // The Greek question mark is no semicolon.
    let greek = "image/webp\u{37E}q=0, */*"
    #expect(greek == "image/webp;q=0, */*")
    #expect(AcceptHeader(greek).quality(of: "image/webp") == 1000)
    #expect(AcceptHeader("image/webp;q=0, */*").quality(of: "image/webp") == 0)
  }

  @Test(arguments: ["", "image", "image/", "image/webp;v", "/"])
  func onlyEverythingIncludesMalformedTypes(_ type: String) {
    #expect(AcceptHeader("*/*;q=0.2, image/*").quality(of: type) == 200)
    #expect(AcceptHeader("image/*").quality(of: type) == 0)
    #expect(AcceptHeader(nil).quality(of: type) == 1000)
  }

  struct Hostile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let value: String
    let webp: Int

    init(_ name: String, _ value: String, webp: Int) {
      (testDescription, self.value, self.webp) = (name, value, webp)
    }
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      Hostile("the hundredth element", many("a/b,", 99) + "image/webp", webp: 1000),
      Hostile("the hundred and first element", many("a/b,", 100) + "image/webp", webp: 0),
      Hostile("malformed elements count", many("a,", 100) + "image/webp", webp: 1000),
      Hostile("empty elements do not count", many(",", 100_000) + "image/webp;q=0.2", webp: 200),
      Hostile("semicolons", "image/webp" + many(";", 100_000) + "q=0.2", webp: 200),
      Hostile("spaces", "image/webp" + many(" ", 100_000) + ";q=0.2", webp: 200),
      Hostile("long type", many("a", 100_000) + "/b, image/webp;q=0.2", webp: 200),
      Hostile("long weight", "image/webp;q=0." + many("0", 100_000) + ", */*;q=0.2", webp: 200),
      Hostile("long quote", "image/webp;v=\"" + many("\\\"", 50_000) + "\", */*;q=0.2", webp: 200),
      Hostile("commas in quotes", many("a/b;c=\",\"x", 10_000) + ", image/webp", webp: 1000),
      Hostile("many parameters", "image/webp" + many(";a=b", 25_000) + ", */*;q=0.2", webp: 200),
      Hostile("nine parameters", "image/*;a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1;i=1, */*;q=0.2", webp: 200),
      Hostile("stars", many("*", 100_000), webp: 1000),
      Hostile("quotes", many("\"", 100_001), webp: 1000),
    ])
  func staysLinear(row: Hostile) {
    #expect(AcceptHeader(row.value).quality(of: "image/webp") == row.webp)
  }

  @Test func readsTheFieldsOfARequest() {
    let header = AcceptHeader(request: [.accept: "image/png;q=0.1", .accept: "image/webp;q=0.2"])
    #expect(header.quality(of: "image/png") == 100)
    #expect(header.quality(of: "image/webp") == 200)
  }

  static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  private func check(_ row: Row) {
    let header = AcceptHeader(values: row.lines)
    for (subtype, quality) in row.expected {
      #expect(header.quality(of: "image/" + subtype) == quality, "\(subtype)")
    }
    // A recipient may join the lines (RFC 9110 §5.3); only an open quote makes a difference.
    guard !row.name.hasPrefix("unclosed") else { return }
    #expect(AcceptHeader(row.lines.joined(separator: ", ")) == header)
  }
}
