extension Transforms {
  /// A change of contrast about the middle grey: `contrast()` in Filter Effects Module Level 1.
  public struct Contrast: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The factor of the distance from the middle: 0 is all grey, 1 changes nothing, at most 1000.
    public var factor: Double

    /// Creates the step.
    public init(_ factor: Double) {
      self.factor = factor
    }

    static let parameter = StepNumber(step: "contrast", name: "factor", range: 0...1000)

    init(number: Double) { self.init(number) }

    var number: Double { factor }

    static func operation(_ factor: Double) -> ColorOperation {
      return .tables(ColorTables(colors: { ($0 - 127.5) * factor + 127.5 }))
    }
  }
}

extension ImageTransform {
  /// Spreads samples about the middle grey by a factor from 0 (all grey) to 1000.
  public static func contrast(_ factor: Double) -> ImageTransform {
    ImageTransform(Transforms.Contrast(factor))
  }
}
