extension ImageFormat {
  /// The format that suits the content of an image best, among those of ``EncodeOptions/automatic(among:quality:)``. No file
  /// has it.
  public static let automatic = ImageFormat(rawValue: "auto")
}

extension EncodeOptions {
  /// Returns options for the smallest of several formats.
  ///
  /// The content decides which of them are tried: few colours are stored without loss; drawings with and without; photos in
  /// AVIF if it is among the formats, otherwise in WebP and JPEG; transparency only in formats that have it; animations of few
  /// colours without loss, all others lossy. The smallest file is delivered, and its format with it:
  /// `EncodedImage.format`. The other options apply to each format that has them. If no format holds the image, such as one
  /// with transparency among JPEG alone, the last one is written as well as it can.
  ///
  /// ```swift
  /// let image = try await pipeline.encoded(request, as: .automatic(among: [.avif, .webp, .jpeg]))
  /// ```
  ///
  /// - Parameters:
  ///   - formats: The formats that may be written, such as those that a client accepts.
  ///   - quality: The quality of lossy formats, from 0 to 100, on the scale of JPEG: other formats get the number that makes
  ///     photos look alike.
  public static func automatic(
    among formats: [ImageFormat] = [.webp, .png, .jpeg, .gif], quality: Int = 80
  ) -> EncodeOptions {
    EncodeOptions(
      format: .automatic, quality: quality,
      extras: [automaticFormats: formats.map(\.rawValue).joined(separator: ",")])
  }

  private static let automaticFormats = "among"

  /// The formats that may be written: one, or those among which the content decides.
  public var possibleFormats: [ImageFormat] {
    guard format == .automatic else { return [format] }
    let names = extras[Self.automaticFormats] ?? "webp,png,jpeg,gif"
    return names.split(separator: ",").map { ImageFormat(rawValue: String($0)) }
  }

  /// Returns the same options for a format.
  func of(_ format: ImageFormat, isLossless: Bool) -> EncodeOptions {
    var options = self
    options.format = format
    options.isLossless = isLossless
    // Measured by SSIMULACRA2: JPEG of quality 80 is as good as WebP of 85. AVIF and JPEG XL have the scale of WebP.
    if [.webp, .avif, .jxl].contains(format) { options.quality += (100 - options.quality) / 4 }
    options.extras[Self.automaticFormats] = nil
    return options
  }
}
