/// The disposal of the area of a frame before the next frame is drawn. Raw values are those of APNG.
enum FrameDisposal: UInt8, Hashable, Sendable {
  /// The pixels stay.
  case keep = 0
  /// The area becomes transparent: browsers ignore background colours.
  case clear = 1
  /// The area is restored to its previous pixels.
  case restore = 2
}
