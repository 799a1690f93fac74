extension JXLHeader {
  /// A quotient of two numbers.
  package struct Fraction: Hashable, Sendable {
    package var numerator: UInt32
    package var denominator: UInt32
  }

  /// A channel besides the colours.
  package struct Channel: Hashable, Sendable {
    /// The meaning of a channel, as far as it matters for pictures.
    package enum Kind: Hashable, Sendable { case alpha, spot, black, other }

    package var kind = Kind.alpha
    /// The logarithm of the factor by which its sides are smaller.
    package var shift: UInt32 = 0
    /// A Boolean value that indicates whether colours are multiplied by it.
    package var isPremultiplied = false
  }
}
