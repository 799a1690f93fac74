package import FoundationEssentials

/// A reader of the directories of TIFF and BigTIFF files. The first page is described; pages are no frames.
package struct TIFFDescriber: ImageDescribing {
  /// Creates a reader.
  package init() {}

  /// TIFF.
  package var formats: [ImageFormat] { [.tiff] }

  /// 8 bytes.
  package var signatureLength: Int { 8 }

  /// Reads the directories.
  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    guard let info = try info(of: data, isWhole: true, limits: limits) else {
      throw .truncated(.tiff, byteCount: data.count)
    }
    return info
  }

  /// Reads the directories; `nil` until all of them are there, which many writers put behind the pixels.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try info(of: prefix, isWhole: false, limits: limits).map { ImageHeader(info: $0, hasAllFrames: true) }
  }

  private func info(of data: Data, isWhole: Bool, limits: DecodeLimits) throws(ImagingError) -> ImageInfo? {
    let bytes = data.bytes
    guard let pages = try TIFFPages(bytes, isWhole: isWhole, limits: limits) else { return nil }
    let page = pages.first
    var profile: String?
    if let range = page.profile, range.count <= limits.maxChunkBytes, range.upperBound <= bytes.byteCount {
      profile = ICCProfile.description(of: bytes.extracting(range).copy())
    }
    return ImageInfo(
      format: .tiff, size: page.size, hasAlpha: page.hasAlpha, bitDepth: page.bitsPerSample,
      orientation: page.orientation, colorProfile: profile, pageCount: pages.count, isDamaged: pages.isDamaged
    )
  }
}
