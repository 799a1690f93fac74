public import FoundationEssentials

/// An encoder for one format. Conform, register in a ``CoderRegistry``, done.
public protocol ImageEncoding: Sendable {
  /// The format written.
  var format: ImageFormat { get }

  /// The encoded bytes. Called on any thread, several at a time.
  func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data
}
