/// Makes a picture more transparent: alpha times a factor. Colours stay.
public struct Opacity: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// 0 is invisible, 1 changes nothing.
  public var factor: Double

  /// Creates the step.
  public init(_ factor: Double) {
    self.factor = factor
  }

  private static let number = StepNumber(step: "opacity", name: "factor", range: 0...1)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    factor = try Self.number.read(&arguments)
  }

  /// `opacity:FACTOR`
  public var identity: String { Self.number.identity(factor) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let factor = try Self.number.checked(factor)
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
