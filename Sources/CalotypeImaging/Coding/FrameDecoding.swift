/// The frames of one animation, composited on their canvas. Made by
/// ``ImageDecoding/makeFrameDecoder(_:options:)``; used by one thread at a time.
///
/// Holds at most the canvas and one backup of it besides the frame that is asked for.
public protocol FrameDecoding: AnyObject {
  /// The header of the file: all frames, their durations, the number of plays.
  var info: ImageInfo { get }

  /// The colour profile of all frames; `nil`, the default, is sRGB.
  var profile: ColorProfile? { get }

  /// Whether the frame that was asked for last lacks pixels: the file ends early, and partial images are allowed.
  /// `false` by default.
  var isFramePartial: Bool { get }

  /// Whether the frame that was asked for last lacks pixels because its data, or those of a frame under it, are damaged.
  /// `false` by default.
  var isFrameDamaged: Bool { get }

  /// Returns the canvas after frame `index` was drawn and before its disposal, as stored. The next frame after the last
  /// one asked for costs one frame; any other may cost all frames since the last that covers the canvas.
  ///
  /// The time limit holds for a pass over the frames; ``DecodeLimits/PassStopwatch`` adds it up.
  func frame(at index: Int) throws(ImagingError) -> Bitmap

  /// Whether a decode may begin with this frame, because it hides all frames before it for good. Cheap. By default only
  /// the first frame is a key frame.
  func isKeyFrame(_ index: Int) -> Bool
}

extension FrameDecoding {
  /// `nil`: sRGB.
  public var profile: ColorProfile? { nil }

  /// Never: the coder refuses frames that end early.
  public var isFramePartial: Bool { false }

  /// Never: the coder refuses damaged frames.
  public var isFrameDamaged: Bool { false }

  /// Only the first frame.
  public func isKeyFrame(_ index: Int) -> Bool { index == 0 }
}
