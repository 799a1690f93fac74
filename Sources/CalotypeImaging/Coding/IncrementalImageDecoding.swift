public import FoundationEssentials

/// Decodes one image while its bytes arrive. Made by ``ImageDecoding/makeIncrementalDecoder(options:)``.
///
/// Used by one thread at a time. Each byte is consumed once; what is delivered at the end is byte-equal to a decode
/// of the whole input, however it was cut. Images are delivered as by
/// ``ImageDecoding/decode(_:minimumSize:options:)``: as stored, at a size of at least
/// ``DecodeOptions/minimumDecodeSize(for:)``.
public protocol IncrementalImageDecoding: AnyObject {
  /// Takes the next bytes and decodes as far as they reach. After an error nothing more may be appended.
  func append(_ chunk: Data) throws(ImagingError)

  /// The header, as soon as it has arrived. The frame count of an animation is that of the frames seen.
  var info: ImageInfo? { get }

  /// The colour profile of ``frame(at:)``, once there are frames; `nil`, the default, is sRGB.
  var profile: ColorProfile? { get }

  /// Returns a copy of the part that is decoded, with ``Image/isPartial`` set; `nil` when nothing is new since the last
  /// snapshot. Does not disturb the decode.
  func snapshot() throws(ImagingError) -> Image?

  /// How many passes over the whole picture (the first frame of an animation) have arrived completely; never falls. Cheap
  /// to ask after each ``append(_:)``. 0 by default.
  ///
  /// * JPEG of several scans: 1 when each component had a scan of its means (the first scan, where it holds all of them),
  ///   and one more for each scan after that. A scan is complete when the header of the next one, or the end of the
  ///   file, is read, which may be a window of bytes later.
  /// * Interlaced PNG: the passes of Adam7 that have pixels, up to 7; interlaced GIF: its passes, up to 4.
  /// * All others: 0 until the picture, or the first frame of an animation, is there as a whole, then 1.
  var completedPasses: Int { get }

  /// Frames of an animation that are complete: 0 to this can be asked of ``frame(at:)``.
  var completeFrameCount: Int { get }

  /// Whether the frame that was asked for last lacks pixels: the file ends early, and partial images are allowed.
  /// `false` by default.
  var isFramePartial: Bool { get }

  /// Whether the frame that was asked for last lacks pixels because its data, or those of a frame under it, are damaged.
  /// `false` by default.
  var isFrameDamaged: Bool { get }

  /// Returns a frame of an animation, composited on its canvas. Cheap in ascending order.
  func frame(at index: Int) throws(ImagingError) -> Bitmap

  /// Ends the input and returns the image: of an animation, its first frame.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` and the other errors of a whole decode.
  func finish() throws(ImagingError) -> Image
}

extension IncrementalImageDecoding {
  /// `nil`: sRGB.
  public var profile: ColorProfile? { nil }

  /// 0: the coder does not count them.
  public var completedPasses: Int { 0 }

  /// Never: the coder refuses frames that end early.
  public var isFramePartial: Bool { false }

  /// Never: the coder refuses damaged frames.
  public var isFrameDamaged: Bool { false }
}
