/// The frames of one animation, composited on their canvas. ``ImageDecoding/makeFrameDecoder(_:options:)`` makes it; it
/// is used by one thread at a time.
///
/// Besides the requested frame it holds at most the canvas and one backup of it.
public protocol FrameDecoding: AnyObject {
  /// The header of the file: all frames, their durations, the number of plays.
  var info: ImageInfo { get }

  /// The colour profile of all frames; `nil`, the default, is sRGB.
  var profile: ColorProfile? { get }

  /// A Boolean value that indicates whether the last requested frame lacks pixels because the file ends early and
  /// partial images are allowed. `false` by default.
  var isFramePartial: Bool { get }

  /// A Boolean value that indicates whether the last requested frame lacks pixels because its data, or those of a frame
  /// under it, are damaged. `false` by default.
  var isFrameDamaged: Bool { get }

  /// Returns the canvas after frame `index` was drawn and before its disposal, as stored.
  ///
  /// The frame that follows the last requested one costs one frame; any other may cost all frames since the last one
  /// that covers the canvas. The time limit holds for a pass over the frames; ``DecodeLimits/PassStopwatch`` adds it
  /// up.
  ///
  /// - Throws: The errors of ``ImageDecoding/decode(_:minimumSize:options:)``.
  func frame(at index: Int) throws(ImagingError) -> Bitmap

  /// Returns true if a decode may begin with this frame, because it hides all preceding frames for good. Cheap. By
  /// default only the first frame is a key frame.
  func isKeyFrame(_ index: Int) -> Bool
}

extension FrameDecoding {
  /// `nil`, for sRGB.
  public var profile: ColorProfile? { nil }

  /// False: the coder refuses frames that end early.
  public var isFramePartial: Bool { false }

  /// False: the coder refuses damaged frames.
  public var isFrameDamaged: Bool { false }

  /// Returns true for the first frame only.
  public func isKeyFrame(_ index: Int) -> Bool { index == 0 }
}
