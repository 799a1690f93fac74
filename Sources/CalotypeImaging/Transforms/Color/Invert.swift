/// Exchanges light and dark: `invert()` in Filter Effects Module Level 1.
public struct Invert: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How much: 0 changes nothing, 0.5 is all grey, 1 is the negative.
  public var amount: Double

  /// Creates the step.
  public init(amount: Double = 1) {
    self.amount = amount
  }

  private static let number = StepNumber(step: "invert", name: "amount", range: 0...1, standard: 1)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    amount = try Self.number.read(&arguments)
  }

  /// `invert:AMOUNT`
  public var identity: String { Self.number.identity(amount) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let amount = try Self.number.checked(amount)
      return .tables(ColorTables(colors: { 255 * amount + $0 * (1 - 2 * amount) }))
    }
  }
}

extension ImageTransform {
  /// Exchanges light and dark; `amount` from 0 to 1.
  public static func invert(amount: Double = 1) -> ImageTransform {
    ImageTransform(Invert(amount: amount))
  }
}
