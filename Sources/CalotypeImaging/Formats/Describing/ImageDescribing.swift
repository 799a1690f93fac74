package import FoundationEssentials

/// A decoder that reads headers and refuses every decode with the remedy; a decoder that is registered later takes its
/// place.
package protocol ImageDescribing: ImageDecoding {}

extension ImageDescribing {
  /// The error of every decode, which names the package trait of the decoder.
  package func refusal(of format: ImageFormat) -> ImagingError? { MissingDecoder.error(for: format) }

  /// Returns the format of the signature, if it is one of ``formats``.
  package func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix).flatMap { formats.contains($0) ? $0 : nil }
  }

  /// Throws ``ImagingError/unsupportedFormat(_:reason:)``.
  package func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    guard let format = format(of: data.prefix(ImageFormat.textSniffLength)) else {
      throw .unrecognizedFormat(hint: nil)
    }
    throw MissingDecoder.error(for: format)
  }
}
