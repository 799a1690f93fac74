/// One picture of a WebP: the only one, or a frame of an animation (RFC 9649, 2.5 and 2.7.1).
struct WebPFrame: Hashable, Sendable {
  /// Column of the left edge on the canvas.
  var x = 0
  /// Row of the top edge on the canvas.
  var y = 0
  /// Width and height; the frame lies within the canvas.
  var size: PixelSize
  /// The bytes of its `ALPH` chunk, if any, up to the end of its `VP8 ` or `VP8L` chunk, headers included:
  /// as announced, which may be beyond the end of the file.
  var payload: Range<Int>
  /// Whether the bitstream declares alpha; if not, every pixel is opaque.
  var hasAlpha: Bool
  /// Whether the bitstream is VP8L.
  var isLossless: Bool
  /// Milliseconds, as stored.
  var delay = 0
  /// Whether the frame's rectangle becomes transparent before the next frame.
  var clearsAfterwards = false
  /// Whether the frame replaces what is below it instead of being blended over it.
  var replaces = true

  /// Milliseconds the frame is shown: 10 ms or less means 100 ms.
  var duration: Int { delay <= 10 ? 100 : delay }
}
