/// A picture of a WebP: the only one, or a frame of an animation (RFC 9649, 2.5 and 2.7.1).
struct WebPFrame: Hashable, Sendable {
  /// The column of the left edge on the canvas.
  var x = 0
  /// The row of the top edge on the canvas.
  var y = 0
  /// The width and height; the frame lies within the canvas.
  var size: PixelSize
  /// The range from its `ALPH` chunk, if any, to the end of its `VP8 ` or `VP8L` chunk, headers included, as stored: it
  /// may extend beyond the end of the file.
  var payload: Range<Int>
  /// A Boolean value that indicates whether the bitstream declares alpha; if not, every pixel is opaque.
  var hasAlpha: Bool
  /// A Boolean value that indicates whether the bitstream is VP8L.
  var isLossless: Bool
  /// The stored duration, in milliseconds.
  var delay = 0
  /// A Boolean value that indicates whether the frame's rectangle becomes transparent before the next frame.
  var clearsAfterwards = false
  /// A Boolean value that indicates whether the frame replaces the pixels below it instead of being blended over them.
  var replaces = true

  /// The display time in milliseconds: 10 ms or less means 100 ms.
  var duration: Int { delay <= 10 ? 100 : delay }
}
