/// Spreads samples about the middle grey or draws them together: `contrast()` in Filter Effects Module Level 1.
public struct Contrast: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How far samples are from the middle afterwards: 0 is all grey, 1 changes nothing, at most 1000.
  public var factor: Double

  /// Creates the step.
  public init(_ factor: Double) {
    self.factor = factor
  }

  private static let number = StepNumber(step: "contrast", name: "factor", range: 0...1000)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    factor = try Self.number.read(&arguments)
  }

  /// `contrast:FACTOR`
  public var identity: String { Self.number.identity(factor) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let factor = try Self.number.checked(factor)
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
