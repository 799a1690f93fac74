import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// Plans of samples.
enum Samples {
  static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

  /// Returns the options of segments, all allowed.
  static func options(_ text: String) throws -> ProcessingOptions {
    var configuration = ImgproxyDialect.Configuration()
    configuration.allowsSecurityOptions = true
    let path = text + (text.isEmpty ? "" : "/") + "plain/http://a/b"
    return try ImgproxyDialect(configuration).parse(path: path).options
  }

  /// Returns the plan of a rendering.
  static func plan(
    _ text: String, of info: ImageInfo = ImageInfo(format: .png, size: PixelSize(width: 200, height: 100)),
    policy: PlanningPolicy = PlanningPolicy(), accept: String = "", hints: ClientHints = ClientHints(),
    watermarks: [OwnWatermark: WatermarkImage] = [:], trimmedTo trims: [PixelSize] = []
  ) throws -> RenderPlan {
    let request = PlanRequest(
      try options(text), of: info, accept: AcceptHeader(accept), hints: hints, watermarks: watermarks)
    guard case .render(let plan) = try Planner(policy).plan(request, trimmedTo: trims) else {
      throw NotRendered()
    }
    return plan
  }

  struct NotRendered: Error {}
}

/// Numbers that depend on a seed alone (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
