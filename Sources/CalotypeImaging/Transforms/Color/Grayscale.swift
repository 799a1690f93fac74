extension Transforms {
  /// A conversion to grey: the luma of ITU-R BT.709, computed from the stored samples, not in linear light.
  ///
  /// It uses the matrix of `grayscale()` in Filter Effects Module Level 1.
  public struct Grayscale: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The strength: 0 changes nothing, 1 leaves greys only.
    public var amount: Double

    /// Creates the step.
    public init(amount: Double = 1) {
      self.amount = amount
    }

    static let parameter = StepNumber(step: "grayscale", name: "amount", range: 0...1, standard: 1)

    init(number: Double) { self.init(amount: number) }

    var number: Double { amount }

    static func operation(_ amount: Double) -> ColorOperation {
      let rest = 1 - amount
      return ColorOperation(matrix: [
        0.2126 + 0.7874 * rest, 0.7152 - 0.7152 * rest, 0.0722 - 0.0722 * rest, 0, 0,
        0.2126 - 0.2126 * rest, 0.7152 + 0.2848 * rest, 0.0722 - 0.0722 * rest, 0, 0,
        0.2126 - 0.2126 * rest, 0.7152 - 0.7152 * rest, 0.0722 + 0.9278 * rest, 0, 0,
        0, 0, 0, 1, 0,
      ])
    }
  }
}

extension ImageTransform {
  /// Removes the colour, completely or in part; `amount` from 0 to 1.
  public static func grayscale(amount: Double = 1) -> ImageTransform {
    ImageTransform(Transforms.Grayscale(amount: amount))
  }
}
