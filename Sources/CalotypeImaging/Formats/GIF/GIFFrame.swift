/// An image descriptor of a GIF with the graphic control block before it (GIF89a specification, 20 and 23).
struct GIFFrame: Hashable, Sendable {
  /// The column of the left edge on the canvas.
  var x: Int
  /// The row of the top edge on the canvas.
  var y: Int
  /// The width and height in the descriptor; either may be 0, and the frame may extend beyond the canvas.
  var size: PixelSize
  /// A Boolean value that indicates whether the rows are stored in four passes.
  var isInterlaced: Bool
  /// The range of the effective palette, local or global, with three bytes per colour; `nil` if there is none.
  var palette: Range<Int>?
  /// The offset of the first data sub-block; the byte before it is the LZW code size.
  var dataStart: Int
  /// The stored delay, in hundredths of a second.
  var delay = 0
  /// The disposal before the next frame.
  var disposal = FrameDisposal.keep
  /// The index of pixels that are not painted.
  var transparentIndex: UInt8?

  /// The display time in milliseconds: 10 ms or less means 100 ms.
  var duration: Int { delay <= 1 ? 100 : delay * 10 }
}

extension FrameDisposal {
  /// Creates the disposal of a graphic control block: 4, which some encoders write for 3, restores; reserved values keep.
  init(gif rawValue: UInt8) {
    switch rawValue {
    case 2: self = .clear
    case 3, 4: self = .restore
    default: self = .keep
    }
  }
}
