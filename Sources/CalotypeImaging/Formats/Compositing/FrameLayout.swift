/// The area of a frame on its canvas, and its effect on other frames.
struct FrameLayout: Hashable, Sendable {
  /// The visible part of the frame on the canvas. Its size may be 0.
  var area: PixelRectangle
  /// The disposal of the area before the next frame.
  var disposal: FrameDisposal
  /// A Boolean value that indicates whether the frame, unless it lacks pixels, hides all frames before it for good.
  var hidesOthers: Bool
}
