public import FoundationEssentials

/// Decodes one image while its bytes arrive. Made by ``ImageDecoding/makeIncrementalDecoder(options:)``.
///
/// Used by one thread at a time. Each byte is consumed once; what is delivered at the end is byte-equal to a decode
/// of the whole input, however it was cut. Images are delivered as by
/// ``ImageDecoding/decode(_:minimumSize:options:)``: as stored, at a size of at least
/// ``DecodeOptions/minimumDecodeSize(for:)``.
public protocol IncrementalImageDecoding: AnyObject {
  /// Takes the next bytes and decodes what they allow. After an error nothing more may be appended.
  func append(_ chunk: Data) throws(ImagingError)

  /// What the header says, as soon as it has arrived. The frame count of an animation is that of the frames seen.
  var info: ImageInfo? { get }

  /// What the numbers of ``frame(at:)`` mean as colours, once there are frames; `nil`, the default, is sRGB.
  var profile: ColorProfile? { get }

  /// A copy of what can be seen now, with ``Image/isPartial`` set; `nil` when there is nothing new since the last
  /// snapshot, or nothing at all. Does not disturb the decode.
  func snapshot() throws(ImagingError) -> Image?

  /// Frames of an animation that are complete: 0 to this can be asked of ``frame(at:)``.
  var completeFrameCount: Int { get }

  /// Whether the frame that was asked for last lacks pixels: the file is damaged, and partial images are allowed.
  /// `false` by default.
  var isFramePartial: Bool { get }

  /// A frame of an animation composited on its canvas. Cheap in ascending order.
  func frame(at index: Int) throws(ImagingError) -> Bitmap

  /// No more bytes come: the image (the first frame of an animation).
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` and the other errors of a whole decode.
  func finish() throws(ImagingError) -> Image
}

extension IncrementalImageDecoding {
  /// `nil`: sRGB.
  public var profile: ColorProfile? { nil }

  /// Never: the coder refuses damaged frames.
  public var isFramePartial: Bool { false }
}
