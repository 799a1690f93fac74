package import FoundationEssentials

/// A decoder that reads headers and refuses every decode with the remedy; a decoder that is registered later takes its
/// place.
package protocol ImageDescribing: ImageDecoding {}

extension ImageDescribing {
  /// The error of every decode.
  package func refusal(of format: ImageFormat) -> ImagingError? {
    let remedy =
      if !OptionalLibrary.all.contains(where: { $0.format == format }) {
        "build with the package trait \(format.rawValue.uppercased()), or register a decoder"
      } else if [.heif, .svg].contains(format) {
        "decode it in a sandbox, or register a decoder"
      } else {
        "register a decoder"
      }
    return .unsupportedFormat(format, reason: "its header is read, its pixels are not; \(remedy)")
  }

  /// Returns the format of the signature, if it is one of ``formats``.
  package func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix).flatMap { formats.contains($0) ? $0 : nil }
  }

  /// Throws ``ImagingError/unsupportedFormat(_:reason:)``.
  package func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    throw format(of: data.prefix(ImageFormat.textSniffLength)).flatMap { refusal(of: $0) }
      ?? .unrecognizedFormat(hint: nil)
  }
}
