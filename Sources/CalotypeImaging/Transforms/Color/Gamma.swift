import Glibc

/// Raises every sample, taken from 0 to 1, to a power: below 1 the middle gets lighter, above 1 darker.
public struct Gamma: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// The exponent: 1 changes nothing; from 0.01 to 100.
  public var exponent: Double

  /// Creates the step.
  public init(_ exponent: Double) {
    self.exponent = exponent
  }

  private static let number = StepNumber(step: "gamma", name: "exponent", range: 0.01...100)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    exponent = try Self.number.read(&arguments)
  }

  /// `gamma:EXPONENT`
  public var identity: String { Self.number.identity(exponent) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let exponent = try Self.number.checked(exponent)
      return .tables(ColorTables(colors: { pow($0 / 255, exponent) * 255 }))
    }
  }
}

extension ImageTransform {
  /// Raises samples, taken from 0 to 1, to a power from 0.01 (lighter) to 100 (darker).
  public static func gamma(_ exponent: Double) -> ImageTransform {
    ImageTransform(Gamma(exponent))
  }
}
