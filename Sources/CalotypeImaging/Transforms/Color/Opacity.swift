extension Transforms {
  /// A change of opacity: multiplies alpha by a factor. Colours stay.
  public struct Opacity: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// 0 is invisible, 1 changes nothing.
    public var factor: Double

    /// Creates the step.
    public init(_ factor: Double) {
      self.factor = factor
    }

    static let parameter = StepNumber(step: "opacity", name: "factor", range: 0...1)

    init(number: Double) { self.init(number) }

    var number: Double { factor }

    static func operation(_ factor: Double) -> ColorOperation {
      return .tables(ColorTables(colors: { $0 }, alpha: { $0 * factor }))
    }
  }
}

extension ImageTransform {
  /// Multiplies alpha by a factor from 0 to 1.
  public static func opacity(_ factor: Double) -> ImageTransform {
    ImageTransform(Transforms.Opacity(factor))
  }
}
