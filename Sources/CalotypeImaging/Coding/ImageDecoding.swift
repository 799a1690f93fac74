public import FoundationEssentials

/// A decoder for one or more formats. Conform, register in a ``CoderRegistry``, done.
///
/// Decoders are called on any thread, several at a time, and never on the cooperative pool. Between rows they call
/// ``DecodeLimits/Watch/check()``, so that a cancelled task or a passed deadline stops them. All input is hostile:
/// sizes are checked against ``DecodeLimits`` before memory is taken.
///
/// Only the first three requirements have no default: an incremental decoder that collects everything first, and
/// an animation of one frame, come for free.
public protocol ImageDecoding: Sendable {
  /// The formats this decoder reads.
  var formats: [ImageFormat] { get }

  /// The format of the bytes, if this decoder handles it; asked with all or the first bytes of an input.
  func format(of prefix: Data) -> ImageFormat?

  /// What the header says. Costs no more than a walk over the file's structure.
  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo

  /// Decodes the first frame, as stored: without orientation, composited on its canvas, colours unconverted
  /// (``Image/profile`` says what they mean).
  ///
  /// A decoder that can shrink cheaply may deliver any size that is at least `minimumSize` in both directions
  /// (in stored axes); `nil` asks for the full size.
  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image

  /// A decoder that is fed while the bytes arrive; `nil` when this format has none.
  func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)?

  /// Access to all frames of an animation; `nil` when this format has none, or the input is a still image.
  func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)?
}

extension ImageDecoding {
  /// None: the registry collects the bytes and decodes them at the end.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? { nil }

  /// None: every input is a still image.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? { nil }
}
