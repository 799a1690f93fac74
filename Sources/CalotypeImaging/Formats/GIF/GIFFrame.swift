/// One image descriptor of a GIF with the graphic control block before it (GIF89a specification, 20 and 23).
struct GIFFrame: Hashable, Sendable {
  /// Column of the left edge on the canvas.
  var x: Int
  /// Row of the top edge on the canvas.
  var y: Int
  /// Width and height as announced; either may be 0, and the frame may stick out of the canvas.
  var size: PixelSize
  /// Whether the rows are stored in four passes.
  var isInterlaced: Bool
  /// The bytes of the palette in effect, local or global, three a colour. `nil`: there is none.
  var palette: Range<Int>?
  /// The offset of the first data sub-block; the byte before it is the LZW code size.
  var dataStart: Int
  /// Hundredths of a second, as stored.
  var delay = 0
  /// What happens before the next frame.
  var disposal = FrameDisposal.keep
  /// The index whose pixels are not painted.
  var transparentIndex: UInt8?

  /// Milliseconds the frame is shown: 10 ms or less means 100 ms.
  var duration: Int { delay <= 1 ? 100 : delay * 10 }
}

extension FrameDisposal {
  /// The disposal of a graphic control block: 4, which some encoders write for 3, restores; reserved values keep.
  init(gif rawValue: UInt8) {
    switch rawValue {
    case 2: self = .clear
    case 3, 4: self = .restore
    default: self = .keep
    }
  }
}
