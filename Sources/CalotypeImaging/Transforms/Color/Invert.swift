/// Exchanges light and dark: `invert()` in Filter Effects Module Level 1.
public struct Invert: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How much: 0 changes nothing, 0.5 is all grey, 1 is the negative.
  public var amount: Double

  /// Creates the step.
  public init(amount: Double = 1) {
    self.amount = amount
  }

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    amount = try arguments.number("amount") ?? 1
    try arguments.finish()
    try check()
  }

  /// `invert:AMOUNT`
  public var identity: String { "invert:\(amount.spelling)" }

  private func check() throws(ImagingError) {
    try amount.require(in: 0...1, "amount", of: "invert")
  }

  var operation: ColorOperation {
    get throws(ImagingError) {
      try check()
      let amount = amount
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
