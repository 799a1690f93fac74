/// Spreads samples about the middle grey or draws them together: `contrast()` in Filter Effects Module Level 1.
public struct Contrast: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How far samples are from the middle afterwards: 0 is all grey, 1 changes nothing, at most 1000.
  public var factor: Double

  /// Creates the step.
  public init(_ factor: Double) {
    self.factor = factor
  }

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    factor = try arguments.required(try arguments.number("factor"), "factor")
    try arguments.finish()
    try check()
  }

  /// `contrast:FACTOR`
  public var identity: String { "contrast:\(factor.spelling)" }

  private func check() throws(ImagingError) {
    try factor.require(in: 0...1000, "factor", of: "contrast")
  }

  var operation: ColorOperation {
    get throws(ImagingError) {
      try check()
      let factor = factor
      return .tables(ColorTables(colors: { ($0 - 127.5) * factor + 127.5 }))
    }
  }
}

extension ImageTransform {
  /// Spreads samples about the middle grey by a factor from 0 (all grey) to 1000.
  public static func contrast(_ factor: Double) -> ImageTransform {
    ImageTransform(Contrast(factor))
  }
}
