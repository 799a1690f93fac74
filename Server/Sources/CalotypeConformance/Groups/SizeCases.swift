import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// The sizes of results.
enum SizeCases {
  /// The sizes of pictures that vectors name, and not describe.
  private static let pictures = [
    "24-bpp.bmp": PixelSize(width: 1080, height: 902), "gif.gif": PixelSize(width: 492, height: 229),
    "any": PixelSize(width: 1000, height: 1000),
  ]

  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let input = vector.input
    let words = Words(input)
    let size: PixelSize
    if let source = words.size("src") {
      size = PixelSize(width: source.width, height: source.height)
    } else if let picture = pictures[input.prefix(before: " ")] {
      size = picture
    } else {
      return .refused("the size of \(input.prefix(before: " ")) is not known")
    }
    var info = ImageInfo(format: .png, size: size)
    if let mark = input.firstRange(of: "EXIF orientation ") {
      guard let value = Int(String(input[mark.upperBound...].prefix { $0.isNumber })),
        let orientation = Orientation(rawValue: value)
      else { return .refused("no orientation") }
      info.orientation = orientation
    }
    var options = try ImgproxyDialect.permissive().options(
      segments(of: input).joined(separator: "/"))
    if input.contains("WebP out") { options.format = .webp }
    let expected = vector.expected.prefix(before: " ")
    do throws(PlanningError) {
      guard case .render(let plan) = try Planner().plan(PlanRequest(options, of: info)) else {
        return .answer("passed on", agrees: false)
      }
      return .answer("\(plan.resultSize.width)x\(plan.resultSize.height)", expected: expected)
    } catch {
      return .answer("\(error.status)", expected: expected)
    }
  }

  /// The options of an input: behind `opts=`, and behind remarks that end with a semicolon.
  static func segments(of input: String) -> [String] {
    guard let mark = input.firstRange(of: "opts=") else { return [] }
    let text = input[mark.upperBound...]
    let options = text.lastIndex(of: ";").map { text[text.index(after: $0)...] } ?? text
    return options.split(whereSeparator: { " ,".contains($0) }).map(String.init).filter {
      $0.contains(":")
    }
  }
}
