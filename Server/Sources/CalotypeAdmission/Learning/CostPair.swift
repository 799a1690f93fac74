/// The formats of a conversion, by which predictions are corrected.
public struct CostPair: Hashable, Sendable, Comparable {
  /// The name of the format that is decoded.
  public let input: String
  /// The name of the format that is encoded.
  public let output: String

  /// Creates a pair.
  public init(_ input: String, to output: String) {
    self.input = input
    self.output = output
  }

  /// Orders pairs by input, then by output.
  public static func < (left: Self, right: Self) -> Bool {
    (left.input, left.output) < (right.input, right.output)
  }
}
