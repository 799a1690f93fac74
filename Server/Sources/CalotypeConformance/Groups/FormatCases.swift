import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// The formats of results.
enum FormatCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let input = vector.input
    var policy = PolicyText.policy(input[...])
    let accept = named(in: input)
    let text = input.lowercased()
    var info = ImageInfo(format: .png, size: PixelSize(width: 400, height: 300))
    if let name = RequestedFormat.allCases.first(where: { text.contains("source \($0.rawValue)") })
      ?? RequestedFormat.allCases.first(where: { text.contains("animated \($0.rawValue)") }),
      let format = name.imageFormat
    {
      info.format = format
      info.isVector = name == .svg
      info.hasAlpha = name == .svg
    }
    if text.contains("animated") { info.frameCount = 10 }
    if text.contains("with alpha") || text.contains(", alpha") { info.hasAlpha = true }
    if text.contains("maf>1") || text.contains("maf > 1") { policy.limits.animationFrames = 100 }
    var options = try ImgproxyDialect.permissive(.openSource).options(
      segments(of: input).joined(separator: "/"))
    if let mark = text.firstRange(of: "@") {
      options.format = RequestedFormat(name: String(text[mark.upperBound...].prefix { $0.isLetter }))
    }
    if let format = RequestedFormat.allCases.first(where: { text.contains("\($0.rawValue) wanted") }) {
      options.format = format
    }
    if let mark = text.firstRange(of: "result "),
      let size = Words.size(text[mark.upperBound...].prefix(before: ", "))
    {
      info.size = PixelSize(width: size.width, height: size.height)
    }
    let request = PlanRequest(options, of: info, accept: AcceptHeader(accept.joined(separator: ", ")))
    let format: RequestedFormat?
    do throws(PlanningError) {
      switch try Planner(policy).plan(request) {
      case .render(let plan): format = plan.encode.format
      case .passThrough(let plan): format = plan.format
      }
    } catch {
      return .answer("\(error.status)", expected: vector.expected.prefix(before: " ,("))
    }
    let expected = vector.expected.prefix(before: " ,(")
    let found = expected.hasPrefix("image/") ? format?.mediaType : format?.rawValue
    return .answer(found ?? "none", expected: expected == "jpg" ? "jpeg" : expected)
  }

  /// Whether sources are passed on.
  static func skip(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let policy = PolicyText.policy(vector.input[...])
    let words = vector.input.split(separator: " ").map(String.init)
    guard let last = words.last else { return .refused("no path") }
    var path = last.replacing("…", with: "http://a/").trimmed(of: "/")
    if !path.contains("plain/") { path = "plain/" + path }
    let name = path.prefix(before: "@")
    let ending = String(name.suffix(from: name.lastIndex(of: ".") ?? name.startIndex).dropFirst())
    guard let source = RequestedFormat(name: ending)?.imageFormat else { return .refused("no source") }
    var info = ImageInfo(format: source, size: PixelSize(width: 100, height: 100))
    info.isVector = source == .svg
    let options = try ImgproxyDialect.permissive(.openSource).parse(path: path).options
    let found: String
    switch try Planner(policy).plan(PlanRequest(options, of: info)) {
    case .render: found = "processed"
    case .passThrough(let plan):
      found = plan.reason == .drawing ? "source sanitised" : "source bytes unchanged"
    }
    return .answer(found, agrees: vector.expected.hasPrefix(found))
  }

  /// The media types that a client names: `client has webp`, `client has both`, `Accept image/webp`.
  private static func named(in input: String) -> [String] {
    if let mark = input.firstRange(of: "client has ") {
      let text = input[mark.upperBound...]
      if text.hasPrefix("no") || text.hasPrefix("neither") { return [] }
      let formats = RequestedFormat.allCases.filter { text.contains($0.rawValue) }
      return (formats.isEmpty ? [.webp, .avif, .jxl] : formats).map(\.mediaType)
    }
    guard let mark = input.firstRange(of: "Accept image/"), !input.contains("no Accept") else { return [] }
    return ["image/" + input[mark.upperBound...].prefix { $0.isLetter }]
  }

  private static func segments(of input: String) -> [String] {
    input.split(whereSeparator: { " ,+/;".contains($0) }).map(String.init).filter {
      $0.contains(":") && $0.first?.isLowercase == true
    }
  }
}
