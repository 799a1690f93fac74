extension Transforms {
  /// A change of saturation: `saturate` of `feColorMatrix` in Filter Effects Module Level 1.
  public struct Saturation: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The factor: 0 leaves greys only, 1 changes nothing, more is more colourful; at most 1000.
    public var factor: Double

    /// Creates the step.
    public init(_ factor: Double) {
      self.factor = factor
    }

    static let parameter = StepNumber(step: "saturation", name: "factor", range: 0...1000)

    init(number: Double) { self.init(number) }

    var number: Double { factor }

    static func operation(_ s: Double) -> ColorOperation {
      return ColorOperation(matrix: [
        0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s, 0, 0,
        0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s, 0, 0,
        0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s, 0, 0,
        0, 0, 0, 1, 0,
      ])
    }
  }
}

extension ImageTransform {
  /// Scales the saturation by a factor from 0 (greys) to 1000.
  public static func saturation(_ factor: Double) -> ImageTransform {
    ImageTransform(Transforms.Saturation(factor))
  }
}
