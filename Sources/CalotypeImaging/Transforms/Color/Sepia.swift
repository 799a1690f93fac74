/// The brown of old photographs: the matrix of `sepia()` in Filter Effects Module Level 1.
public struct Sepia: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How much: 0 changes nothing, 1 is all brown.
  public var amount: Double

  /// Creates the step.
  public init(amount: Double = 1) {
    self.amount = amount
  }

  private static let number = StepNumber(step: "sepia", name: "amount", range: 0...1, standard: 1)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    amount = try Self.number.read(&arguments)
  }

  /// `sepia:AMOUNT`
  public var identity: String { Self.number.identity(amount) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let amount = try Self.number.checked(amount)
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
  /// The brown of old photographs; `amount` from 0 to 1.
  public static func sepia(amount: Double = 1) -> ImageTransform {
    ImageTransform(Sepia(amount: amount))
  }
}
