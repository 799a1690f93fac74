/// The frames of one animation, composited on their canvas. Made by
/// ``ImageDecoding/makeFrameDecoder(_:options:)``; used by one thread at a time.
///
/// Holds at most the canvas and one backup of it besides the frame that is asked for.
public protocol FrameDecoding: AnyObject {
  /// What the file says: all frames, their durations, the number of plays.
  var info: ImageInfo { get }

  /// The canvas after frame `index` was drawn and before it is disposed of, as stored. The next frame after the last
  /// one asked for costs one frame; any other may cost all frames since the last that covers the canvas.
  func frame(at index: Int) throws(ImagingError) -> Bitmap
}
