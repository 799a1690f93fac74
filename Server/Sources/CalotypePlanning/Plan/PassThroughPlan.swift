public import CalotypeURLs

/// A source that is its own result.
public struct PassThroughPlan: Hashable, Sendable {
  /// The reason why nothing is rendered.
  public enum Reason: String, Hashable, Sendable {
    /// The option `raw`: nothing of the source is checked.
    case raw
    /// The format is among those that are skipped.
    case skippedFormat
    /// A drawing whose result is a drawing. It has to be sanitised.
    case drawing
  }

  /// The reason.
  public var reason: Reason
  /// The format; `nil` if it was not looked at, or has no name in URLs.
  public var format: RequestedFormat?

  /// Creates a plan.
  public init(_ reason: Reason, format: RequestedFormat?) {
    self.reason = reason
    self.format = format
  }
}
