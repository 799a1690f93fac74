extension Transforms {
  /// The brown of old photographs: the matrix of `sepia()` in Filter Effects Module Level 1.
  public struct Sepia: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The strength: 0 changes nothing, 1 is all brown.
    public var amount: Double

    /// Creates the step.
    public init(amount: Double = 1) {
      self.amount = amount
    }

    static let parameter = StepNumber(step: "sepia", name: "amount", range: 0...1, standard: 1)

    init(number: Double) { self.init(amount: number) }

    var number: Double { amount }

    static func operation(_ amount: Double) -> ColorOperation {
      let rest = 1 - amount
      return ColorOperation(matrix: [
        0.393 + 0.607 * rest, 0.769 - 0.769 * rest, 0.189 - 0.189 * rest, 0, 0,
        0.349 - 0.349 * rest, 0.686 + 0.314 * rest, 0.168 - 0.168 * rest, 0, 0,
        0.272 - 0.272 * rest, 0.534 - 0.534 * rest, 0.131 + 0.869 * rest, 0, 0,
        0, 0, 0, 1, 0,
      ])
    }
  }
}

extension ImageTransform {
  /// Gives the picture the brown of old photographs; `amount` from 0 to 1.
  public static func sepia(amount: Double = 1) -> ImageTransform {
    ImageTransform(Transforms.Sepia(amount: amount))
  }
}
