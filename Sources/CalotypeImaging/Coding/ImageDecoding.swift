public import FoundationEssentials

/// A decoder for one or more formats. Conform, register in a ``CoderRegistry``, done.
///
/// Decoders are called on any thread, several at a time, and never on the cooperative pool. They check
/// `Task.isCancelled` between rows and throw ``ImagingError/cancelled`` when it is set. All input is hostile:
/// sizes are checked against ``DecodeLimits`` before memory is taken.
public protocol ImageDecoding: Sendable {
  /// The format of the bytes, if this decoder handles it; asked with all or the first bytes of an input.
  func format(of prefix: Data) -> ImageFormat?

  /// What the header says. Costs no more than a walk over the file's structure.
  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo

  /// Decodes the first frame, as stored: without orientation, composited on its canvas.
  ///
  /// A decoder that can shrink cheaply may deliver any size that is at least `minimumSize` in both directions
  /// (in stored axes); `nil` asks for the full size.
  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image
}
