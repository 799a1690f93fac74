/// An amount that a run reached, such as bytes at a time, beside the amount that it is held against.
public struct Quantity: Hashable, Sendable {
  /// The amount.
  public let value: Double
  /// The unit of both.
  public let unit: String
  /// The name of the other amount.
  public let limitName: String
  /// The other amount.
  public let limit: Double

  /// The amount as a multiple of the limit.
  public var ratio: Double { value / max(limit, 1e-9) }

  /// Creates a quantity.
  public init(_ value: Double, unit: String, limitName: String, limit: Double) {
    self.value = value
    self.unit = unit
    self.limitName = limitName
    self.limit = limit
  }
}
