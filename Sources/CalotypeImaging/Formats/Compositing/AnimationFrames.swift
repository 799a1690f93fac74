/// The frames of an animation of one format, which a ``FrameCompositor`` composites.
protocol AnimationFrames {
  /// The size of the canvas.
  var canvasSize: PixelSize { get }
  /// The format of the canvas.
  var pixelFormat: PixelFormat { get }
  /// The number of frames that can be requested.
  var frameCount: Int { get }

  /// Returns the layout of a frame.
  func layout(of index: Int) -> FrameLayout

  /// Draws a frame onto the canvas.
  ///
  /// - Parameters:
  ///   - index: The index of the frame.
  ///   - canvas: The canvas.
  ///   - isFresh: Pass true if the canvas is not initialised: pixels that are not drawn become transparent.
  ///   - watch: The deadline, which is checked between rows.
  /// - Throws: The error of the frame, unless the options accept it.
  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame
}

extension AnimationFrames {
  /// Returns true if an area is the whole canvas.
  func isWhole(_ area: PixelRectangle) -> Bool { area == PixelRectangle(canvasSize) }

  /// Returns true if no pixels of earlier frames are visible in this frame or later. A damaged frame lacks pixels, which
  /// is known once it is drawn.
  func isIndependent(_ index: Int) -> Bool {
    index == 0 || clearsBefore(index) || layout(of: index).hidesOthers
  }

  /// Returns true if the disposal of the preceding frame clears the whole canvas.
  func clearsBefore(_ index: Int) -> Bool {
    let before = layout(of: index - 1)
    return before.disposal == .clear && isWhole(before.area)
  }
}
