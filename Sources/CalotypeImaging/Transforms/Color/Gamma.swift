import Glibc

extension Transforms {
  /// A power function of every sample, from 0 to 1: an exponent below 1 lightens midtones, above 1 darkens them.
  public struct Gamma: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The exponent: 1 changes nothing; from 0.01 to 100.
    public var exponent: Double

    /// Creates the step.
    public init(_ exponent: Double) {
      self.exponent = exponent
    }

    static let parameter = StepNumber(step: "gamma", name: "exponent", range: 0.01...100)

    init(number: Double) { self.init(number) }

    var number: Double { exponent }

    static func operation(_ exponent: Double) -> ColorOperation {
      return .tables(ColorTables(colors: { pow($0 / 255, exponent) * 255 }))
    }
  }
}

extension ImageTransform {
  /// Raises samples, from 0 to 1, to a power from 0.01 (lighter) to 100 (darker).
  public static func gamma(_ exponent: Double) -> ImageTransform {
    ImageTransform(Transforms.Gamma(exponent))
  }
}
