/// Makes a picture brighter or darker by adding the same to every sample.
public struct Brightness: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// What is added, as a part of the whole range: -1 is black, 0 changes nothing, 1 is white.
  public var amount: Double

  /// Creates the step.
  public init(_ amount: Double) {
    self.amount = amount
  }

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    amount = try arguments.required(try arguments.number("amount"), "amount")
    try arguments.finish()
    try check()
  }

  /// `brightness:AMOUNT`
  public var identity: String { "brightness:\(amount.spelling)" }

  private func check() throws(ImagingError) {
    try amount.require(in: -1...1, "amount", of: "brightness")
  }

  var operation: ColorOperation {
    get throws(ImagingError) {
      try check()
      let offset = amount * 255
      return .tables(ColorTables(colors: { $0 + offset }))
    }
  }
}

extension ImageTransform {
  /// Adds `amount`, from -1 (black) to 1 (white), to every sample.
  public static func brightness(_ amount: Double) -> ImageTransform {
    ImageTransform(Brightness(amount))
  }
}
