extension Transforms {
  /// An inversion of light and dark: `invert()` in Filter Effects Module Level 1.
  public struct Invert: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The strength: 0 changes nothing, 0.5 is all grey, 1 is the negative.
    public var amount: Double

    /// Creates the step.
    public init(amount: Double = 1) {
      self.amount = amount
    }

    static let parameter = StepNumber(step: "invert", name: "amount", range: 0...1, standard: 1)

    init(number: Double) { self.init(amount: number) }

    var number: Double { amount }

    static func operation(_ amount: Double) -> ColorOperation {
      return .tables(ColorTables(colors: { 255 * amount + $0 * (1 - 2 * amount) }))
    }
  }
}

extension ImageTransform {
  /// Inverts light and dark; `amount` from 0 to 1.
  public static func invert(amount: Double = 1) -> ImageTransform {
    ImageTransform(Transforms.Invert(amount: amount))
  }
}

extension Transforms.Invert {
  /// Returns no step for two full inversions; `nil` for others.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? {
    amount == 1 && next as? Transforms.Invert == self ? [] : nil
  }
}
