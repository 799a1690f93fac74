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
    try probe(data, page: 0, limits: limits)
  }

  /// Reads the directories, and describes a page.
  package func probe(_ data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let bytes = data.bytes
    guard let document = try TIFFDocument(bytes, page: page, limits: limits) else {
      throw .truncated(.tiff, byteCount: data.count)
    }
    return document.info(bytes, limits: limits)
  }

  /// Reads the directories; `nil` until all of them are there, which many writers put behind the pixels.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    let bytes = prefix.bytes
    return try TIFFDocument(bytes, isWhole: false, limits: limits).map {
      ImageHeader(info: $0.info(bytes, limits: limits), hasAllFrames: true)
    }
  }
}
