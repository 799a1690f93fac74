import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// The places of boxes.
enum PositionCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let words = Words(vector.input)
    guard let outer = words.size("outer"), let inner = words.size("inner") else {
      return .refused("no sizes")
    }
    let isWatermark = vector.input.hasPrefix("watermark")
    let dialect = try ImgproxyDialect.permissive()
    let gravity: Gravity
    if isWatermark {
      let mark = try dialect.options("wm:1:\(words.values["pos"] ?? "ce")").watermark
      guard case .compass(let compass)? = mark?.position else { return .refused("no single place") }
      gravity = .compass(compass, x: mark?.x, y: mark?.y)
    } else {
      gravity = try dialect.options("g:\(words.values["gravity"] ?? "ce")").gravity ?? .compass(.center)
    }
    let origin = GravityPlacement(
      of: PixelSize(width: inner.width, height: inner.height),
      in: PixelSize(width: outer.width, height: outer.height),
      dpr: words.values["dpr"].flatMap { Double($0) } ?? 1, mayOverhang: isWatermark
    ).origin(for: gravity)
    return .answer("left=\(origin.x) top=\(origin.y)", expected: vector.expected)
  }
}
