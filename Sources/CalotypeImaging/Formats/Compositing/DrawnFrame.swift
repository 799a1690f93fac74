/// The result of drawing a frame onto a canvas.
struct DrawnFrame {
  /// The flaws of the frame; empty if it has all of its pixels.
  var flaws: DamageReport = []
  /// A Boolean value that indicates whether all pixels of the canvas are opaque now; `nil` if the frame leaves that
  /// unchanged.
  var isOpaque: Bool?
  /// A Boolean value that indicates whether the frame replaces all pixels of the canvas, including their flaws.
  var coversCanvas = false
}
