public import FoundationEssentials

/// A decoder of one image that takes bytes as they arrive. ``ImageDecoding/makeIncrementalDecoder(options:)`` makes it.
///
/// It is used by one thread at a time. Each byte is consumed once; the final result is byte-equal to a decode of the
/// whole input, for any division into chunks. Images are delivered as by
/// ``ImageDecoding/decode(_:minimumSize:options:)``: as stored, at a size of at least
/// ``DecodeOptions/minimumDecodeSize(for:)``.
public protocol IncrementalImageDecoding: AnyObject {
  /// Appends the next bytes and decodes as far as they reach. After an error nothing more may be appended.
  ///
  /// - Throws: The errors of a decode that more bytes cannot mend.
  func append(_ chunk: Data) throws(ImagingError)

  /// The header, as soon as it has arrived. The frame count of an animation is that of the frames that have arrived.
  var info: ImageInfo? { get }

  /// The colour profile of ``frame(at:)``, once there are frames; `nil`, the default, is sRGB.
  var profile: ColorProfile? { get }

  /// Returns a copy of the decoded part, with ``Image/isPartial`` set; `nil` if nothing has been added since the last
  /// snapshot. Does not disturb the decode.
  ///
  /// - Throws: The errors of ``ImageDecoding/decode(_:minimumSize:options:)``; ``ImagingError/outOfMemory(byteCount:)`` for
  ///   the copy.
  func snapshot() throws(ImagingError) -> Image?

  /// The number of passes over the whole picture (the first frame of an animation) that have arrived completely; it
  /// never falls. Cheap to ask after each ``append(_:)``. 0 by default.
  ///
  /// * JPEG of several scans: 1 after a DC scan of each component (the first scan, if it holds all of them), and one
  ///   more for each further scan. A scan is complete when the header of the next one, or the end of the file, is read,
  ///   which may be a window of bytes later.
  /// * Interlaced PNG: the passes of Adam7 that have pixels, up to 7; interlaced GIF: its passes, up to 4.
  /// * All others: 0 until the picture, or the first frame of an animation, is complete, then 1.
  var completedPasses: Int { get }

  /// The number of complete frames of an animation; all of them can be requested from ``frame(at:)``. 0 by default.
  var completeFrameCount: Int { get }

  /// A Boolean value that indicates whether the last requested frame lacks pixels because the file ends early and
  /// partial images are allowed. `false` by default.
  var isFramePartial: Bool { get }

  /// A Boolean value that indicates whether the last requested frame lacks pixels because its data, or those of a frame
  /// under it, are damaged. `false` by default.
  var isFrameDamaged: Bool { get }

  /// Returns a frame of an animation, composited on its canvas. Cheap in ascending order. By default there is none.
  ///
  /// - Throws: The errors of ``ImageDecoding/decode(_:minimumSize:options:)``.
  func frame(at index: Int) throws(ImagingError) -> Bitmap

  /// Ends the input and returns the image, or the first frame of an animation.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` and the other errors of a whole decode.
  func finish() throws(ImagingError) -> Image
}

extension IncrementalImageDecoding {
  /// `nil`, for sRGB.
  public var profile: ColorProfile? { nil }

  /// 0, because the coder does not count passes.
  public var completedPasses: Int { 0 }

  /// 0, because the format has no animations.
  public var completeFrameCount: Int { 0 }

  /// Throws ``ImagingError/invalidParameter(name:reason:)``, because the format has no animations.
  public func frame(at index: Int) throws(ImagingError) -> Bitmap {
    throw .invalidParameter(name: "frame", reason: "\(index) is not below 0, the number of frames")
  }

  /// False: the coder refuses frames that end early.
  public var isFramePartial: Bool { false }

  /// False: the coder refuses damaged frames.
  public var isFrameDamaged: Bool { false }
}
