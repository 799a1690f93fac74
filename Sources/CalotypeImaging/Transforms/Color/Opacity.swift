/// Makes a picture more transparent: alpha times a factor. Colours stay.
public struct Opacity: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// 0 is invisible, 1 changes nothing.
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

  /// `opacity:FACTOR`
  public var identity: String { "opacity:\(factor.spelling)" }

  private func check() throws(ImagingError) {
    try factor.require(in: 0...1, "factor", of: "opacity")
  }

  var operation: ColorOperation {
    get throws(ImagingError) {
      try check()
      let factor = factor
      return .tables(ColorTables(colors: { $0 }, alpha: { $0 * factor }))
    }
  }
}

extension ImageTransform {
  /// Makes a picture more transparent: alpha times a factor from 0 to 1.
  public static func opacity(_ factor: Double) -> ImageTransform {
    ImageTransform(Opacity(factor))
  }
}
