extension Transforms {
  /// A change of brightness that adds a constant to every sample.
  public struct Brightness: ImageTransforming, ColorNumberTransforming, Hashable, Sendable {
    /// The summand, as a part of the whole range: -1 is black, 0 changes nothing, 1 is white.
    public var amount: Double

    /// Creates the step.
    public init(_ amount: Double) {
      self.amount = amount
    }

    static let parameter = StepNumber(step: "brightness", name: "amount", range: -1...1)

    init(number: Double) { self.init(number) }

    var number: Double { amount }

    static func operation(_ amount: Double) -> ColorOperation {
      let offset = amount * 255
      return .tables(ColorTables(colors: { $0 + offset }))
    }
  }
}

extension ImageTransform {
  /// Adds `amount`, from -1 (black) to 1 (white), to every sample.
  public static func brightness(_ amount: Double) -> ImageTransform {
    ImageTransform(Transforms.Brightness(amount))
  }
}
