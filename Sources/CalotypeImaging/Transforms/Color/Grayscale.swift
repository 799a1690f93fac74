/// Takes the colour away: what is left is the luma of ITU-R BT.709, of the samples as they are stored, not of light.
///
/// The matrix of `grayscale()` in Filter Effects Module Level 1.
public struct Grayscale: ImageTransforming, ColorTransforming, Hashable, Sendable {
  /// How much: 0 changes nothing, 1 leaves greys only.
  public var amount: Double

  /// Creates the step.
  public init(amount: Double = 1) {
    self.amount = amount
  }

  private static let number = StepNumber(step: "grayscale", name: "amount", range: 0...1, standard: 1)

  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    amount = try Self.number.read(&arguments)
  }

  /// `grayscale:AMOUNT`
  public var identity: String { Self.number.identity(amount) }

  var operation: ColorOperation {
    get throws(ImagingError) {
      let amount = try Self.number.checked(amount)
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
  /// Takes the colour away, wholly or in part; `amount` from 0 to 1.
  public static func grayscale(amount: Double = 1) -> ImageTransform {
    ImageTransform(Grayscale(amount: amount))
  }
}
