/// The two roundings of imgproxy, with results that fit 32 bits for all numbers of a URL.
enum Rounding {
  /// The largest side that any format or option can state.
  static let largest = Int(Int32.max)

  /// Rounds halves away from zero, as sizes are.
  static func away(_ value: Double) -> Int { clamped(value.rounded(.toNearestOrAwayFromZero)) }

  /// Rounds halves to the even neighbour, as positions, paddings and boxes of watermarks are.
  static func even(_ value: Double) -> Int { clamped(value.rounded(.toNearestOrEven)) }

  /// Cuts off the fraction.
  static func down(_ value: Double) -> Int { clamped(value.rounded(.towardZero)) }

  /// Scales a side.
  static func scaled(_ side: Int, by factor: Double) -> Int { away(Double(side) * factor) }

  /// Scales a length that is no side.
  static func scaledToEven(_ length: Int, by factor: Double) -> Int { even(Double(length) * factor) }

  /// Returns the smaller of two sides, of which 0 means none.
  static func smallerOfGiven(_ first: Int, _ second: Int) -> Int {
    first == 0 ? second : second == 0 ? first : min(first, second)
  }

  private static func clamped(_ value: Double) -> Int {
    value.isNaN ? 0 : Int(min(max(value, -Double(largest)), Double(largest)))
  }
}
