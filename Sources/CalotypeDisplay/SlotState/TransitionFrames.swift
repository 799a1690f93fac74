import Calotype
public import CalotypeImaging

/// The pictures of one transition, from ``SlotState/Transition/frames(from:to:)``.
public struct TransitionFrames: Sendable {
  /// The picture after the transition.
  public let end: Bitmap
  private let body: @Sendable (Double) throws(ImagingError) -> Bitmap

  init(end: Bitmap, _ body: @escaping @Sendable (Double) throws(ImagingError) -> Bitmap) {
    self.end = end
    self.body = body
  }

  /// Returns the picture at a progress from 0 to 1; numbers outside the range are clamped. At 1 it is ``end``,
  /// whatever the effect.
  ///
  /// - Throws: The `ImagingError` of the effect; `ImagingError.cancelled` for a `CancellationError`;
  ///   `ImagingError.transformFailed(name:reason:)` for all other errors.
  /// - Complexity: That of the effect. Blocks for as long; call it off the cooperative pool.
  public func bitmap(at progress: Double) throws(ImagingError) -> Bitmap {
    // The comparison is false for NaN.
    guard progress > 0 else { return try body(0) }
    return progress < 1 ? try body(progress) : end
  }
}
