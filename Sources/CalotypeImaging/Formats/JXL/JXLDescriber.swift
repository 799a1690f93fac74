package import FoundationEssentials

/// A reader of the headers of JPEG XL, bare and in boxes. Exif does not count (ISO/IEC 18181-2); the frames of an animation
/// are not counted, because each of them is behind the pixels of the one before it.
package struct JXLDescriber: ImageDescribing {
  /// Creates a reader.
  package init() {}

  /// JPEG XL.
  package var formats: [ImageFormat] { [.jxl] }

  /// 12 bytes.
  package var signatureLength: Int { 12 }

  /// Reads the header.
  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    guard let header = try header(of: data, limits: limits) else {
      throw .truncated(.jxl, byteCount: data.count)
    }
    return header.info
  }

  /// Reads the header, which is in the first bytes of the codestream.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    guard prefix.count >= 2 else { return nil }
    let codestream = try JXLCodestream(prefix.bytes)
    guard let header = try JXLHeader(codestream.bytes(of: prefix.bytes)) else {
      guard !codestream.isComplete else {
        throw .corrupt(.jxl, reason: "the codestream ends within its header", offset: nil)
      }
      return nil
    }
    try limits.check(size: header.size, format: .jxl)
    return ImageHeader(info: header.info, hasAllFrames: header.plays == nil)
  }
}
