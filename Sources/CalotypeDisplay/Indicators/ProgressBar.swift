import Calotype

/// A bar that fills from the left, as text. A value.
///
/// ```swift
/// ProgressBar(width: 10).text(for: 0.25)   // "##........"
/// ```
public struct ProgressBar: Hashable, Sendable {
  /// Characters from one end to the other.
  public let width: Int
  /// What is done.
  public var filled: Character
  /// What is to be done.
  public var empty: Character

  /// Creates a bar; a negative width is none.
  public init(width: Int = 20, filled: Character = "#", empty: Character = ".") {
    self.width = max(0, width)
    self.filled = filled
    self.empty = empty
  }

  /// The bar at a fraction from 0 to 1; what lies outside is taken for the nearer end. It is full at 1 only. Empty when the
  /// fraction is not known.
  public func text(for fraction: Double?) -> String {
    // Not a number is neither above nor below.
    let part = fraction.map { $0 > 0 ? min(1, $0) : 0 } ?? 0
    let count = Int(part * Double(width))
    return String(repeating: filled, count: count) + String(repeating: empty, count: width - count)
  }
}
