import Glibc

extension Transforms {
  /// A rotation of the hue of every colour: `hueRotate` of `feColorMatrix` in Filter Effects Module Level 1.
  ///
  /// It is an approximation that keeps the luma, not the lightness: strong colours are clipped where they leave the
  /// range.
  public struct HueRotation: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The angle in degrees, from red to yellow; whole turns change nothing. At most a million either way.
    public var degrees: Double

    /// Creates the step.
    public init(degrees: Double) {
      self.degrees = degrees
    }

    static let parameter = StepNumber(step: "hue", name: "degrees", range: -1_000_000...1_000_000)

    init(number: Double) { self.init(degrees: number) }

    var number: Double { degrees }

    static func operation(_ degrees: Double) -> ColorOperation {
      let turn = degrees.remainder(dividingBy: 360)
      guard turn != 0 else { return .tables(.identity) }
      let c = cos(turn * .pi / 180)
      let s = sin(turn * .pi / 180)
      return ColorOperation(matrix: [
        0.213 + c * 0.787 - s * 0.213, 0.715 - c * 0.715 - s * 0.715, 0.072 - c * 0.072 + s * 0.928, 0, 0,
        0.213 - c * 0.213 + s * 0.143, 0.715 + c * 0.285 + s * 0.140, 0.072 - c * 0.072 - s * 0.283, 0, 0,
        0.213 - c * 0.213 - s * 0.787, 0.715 - c * 0.715 + s * 0.715, 0.072 + c * 0.928 + s * 0.072, 0, 0,
        0, 0, 0, 1, 0,
      ])
    }
  }
}

extension ImageTransform {
  /// Rotates the hue by an angle in degrees.
  public static func hueRotation(degrees: Double) -> ImageTransform {
    ImageTransform(Transforms.HueRotation(degrees: degrees))
  }
}
