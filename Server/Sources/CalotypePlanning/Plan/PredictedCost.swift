/// The work of a rendering, predicted from headers.
public struct PredictedCost: Hashable, Sendable {
  /// Processor time in milliseconds.
  public var milliseconds: Double
  /// The largest number of bytes of pixels and working memory at a time.
  public var byteCount: Int

  /// Creates a prediction.
  public init(milliseconds: Double, byteCount: Int) {
    self.milliseconds = milliseconds
    self.byteCount = byteCount
  }
}
