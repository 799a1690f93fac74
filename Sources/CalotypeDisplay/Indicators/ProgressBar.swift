import Calotype

/// A bar that fills from the left, as text. A value.
///
/// ```swift
/// ProgressBar(width: 10).text(for: 0.25)   // "##........"
/// ```
public struct ProgressBar: Hashable, Sendable {
  /// The width in characters.
  public let width: Int
  /// The character of the part that is done.
  public var filled: Character
  /// The character of the part that is left.
  public var empty: Character

  /// Creates a bar. A negative width counts as 0.
  public init(width: Int = 20, filled: Character = "#", empty: Character = ".") {
    self.width = max(0, width)
    self.filled = filled
    self.empty = empty
  }

  /// Returns the bar at a fraction from 0 to 1, to which other values are clamped. The bar is full at 1 only, and empty
  /// when the fraction is not known.
  public func text(for fraction: Double?) -> String {
    // Not a number is neither above nor below.
    let part = fraction.map { $0 > 0 ? min(1, $0) : 0 } ?? 0
    let count = Int(part * Double(width))
    return String(repeating: filled, count: count) + String(repeating: empty, count: width - count)
  }
}
