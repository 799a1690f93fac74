/// What becomes of the area of a frame before the next frame is drawn. The numbers are those of APNG.
enum FrameDisposal: UInt8, Hashable, Sendable {
  /// The pixels stay.
  case keep = 0
  /// The area becomes transparent: browsers ignore background colours.
  case clear = 1
  /// The area becomes what it was before the frame.
  case restore = 2
}

/// Where a frame lies on its canvas, and what becomes of it.
struct FrameLayout: Hashable, Sendable {
  /// The part of the frame that lies on the canvas. Its size may be 0.
  var area: PixelRectangle
  /// What becomes of the area before the next frame.
  var disposal: FrameDisposal
  /// Whether the frame, if none of its pixels is missing, hides all frames before it for good.
  var hidesOthers: Bool
}

/// The result of drawing a frame.
struct DrawnFrame {
  /// What the drawing says about the alpha of the canvas.
  enum Opacity {
    /// All pixels of the canvas are opaque now.
    case opaque
    /// They are opaque if they were before.
    case unchanged
    /// Nothing is known.
    case unknown
  }

  /// What the frame lacks; empty if it is whole.
  var flaws: DamageReport = []
  var opacity = Opacity.unknown
  /// Whether nothing of what was on the canvas before can be seen, so that older flaws are gone.
  var coversCanvas = false
}

/// The frames of an animation, for a ``FrameCompositor``: where they lie, and how they are drawn.
protocol AnimationFrames {
  /// The size of the canvas.
  var canvasSize: PixelSize { get }
  /// The layout of its pixels.
  var pixelFormat: PixelFormat { get }
  /// Frames that can be asked for.
  var frameCount: Int { get }

  /// The place of a frame.
  func layout(of index: Int) -> FrameLayout

  /// Draws a frame onto the canvas.
  ///
  /// - Parameters:
  ///   - index: The frame.
  ///   - canvas: The canvas of ``canvasSize``.
  ///   - isFresh: Whether the canvas holds nothing yet, not even zeros: pixels that are not drawn have to be cleared.
  ///   - watch: Asked between rows.
  /// - Throws: What is wrong with the frame, unless the options accept it.
  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame
}

extension AnimationFrames {
  /// Whether an area is the whole canvas.
  func isWhole(_ area: PixelRectangle) -> Bool { area.x == 0 && area.y == 0 && area.size == canvasSize }

  /// Whether nothing of the canvas before a frame can be seen in the frame or later.
  func isIndependent(_ index: Int) -> Bool {
    index == 0 || clearsBefore(index) || layout(of: index).hidesOthers
  }

  /// Whether the disposal of the frame before this one empties the canvas.
  func clearsBefore(_ index: Int) -> Bool {
    let before = layout(of: index - 1)
    return before.disposal == .clear && isWhole(before.area)
  }
}
