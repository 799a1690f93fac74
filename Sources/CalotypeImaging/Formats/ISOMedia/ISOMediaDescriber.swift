package import FoundationEssentials

/// A reader of the headers of AVIF and HEIF (ISO/IEC 23008-12): pictures, grids of tiles, and sequences.
///
/// Sizes are those before rotation and mirroring, which ``ImageInfo/orientation`` has; the Exif orientation does not count
/// (ISO/IEC 23008-12, 6.5.10). The clean aperture is applied in HEIF, as its decoders do, and not in AVIF.
package struct ISOMediaDescriber: ImageDescribing {
  /// Creates a reader.
  package init() {}

  /// AVIF and HEIF.
  package var formats: [ImageFormat] { [.avif, .heif] }

  /// Reads the boxes. For a file that ends early, the header is described if it is there.
  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    guard let info = try info(of: data, isWhole: true, limits: limits) else {
      throw .truncated(format(of: data.prefix(ImageFormat.sniffLength)) ?? .heif, byteCount: data.count)
    }
    return info
  }

  /// Reads the boxes; `nil` until the items, the tracks of a sequence and the layout of a grid are there.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try info(of: prefix, isWhole: false, limits: limits).map { ImageHeader(info: $0, hasAllFrames: true) }
  }

  private func info(of data: Data, isWhole: Bool, limits: DecodeLimits) throws(ImagingError) -> ImageInfo? {
    guard let format = format(of: data.prefix(ImageFormat.sniffLength)) else {
      if !isWhole, data.count < ImageFormat.sniffLength { return nil }
      throw .unrecognizedFormat(hint: nil)
    }
    let file = try ISOMediaFile(data.bytes, isWhole: isWhole, format: format, limits: limits)
    guard let file else { return nil }
    return file.info(data.bytes, limits: limits)
  }
}
