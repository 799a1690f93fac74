package import FoundationEssentials

/// A reader of the root element of SVG drawings (SVG 1.1 and 2), plain, in UTF-16, or compressed by gzip.
package struct SVGDescriber: ImageDescribing {
  /// The largest number of bytes before the end of the root element's start tag.
  private static let rootLimit = 64 << 10

  /// Creates a reader.
  package init() {}

  /// SVG.
  package var formats: [ImageFormat] { [.svg] }

  /// 4 KiB, for texts alone.
  package var signatureLength: Int { ImageFormat.textSniffLength }

  /// Reads the root element.
  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    guard let header = try header(of: data, limits: limits) else {
      throw .truncated(.svg, byteCount: data.count)
    }
    return header.info
  }

  /// Describes a drawing by its root element.
  static func info(of root: XMLRootElement, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let size = try SVGSize.pixels(of: root)
    try limits.check(size: size, format: .svg)
    return ImageInfo(format: .svg, size: size, hasAlpha: true, isVector: true)
  }

  /// Reads the root element; `nil` until its start tag has ended.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    guard let text = MarkupText(prefix.bytes, limit: Self.rootLimit) else {
      throw .unrecognizedFormat(hint: nil)
    }
    switch XMLRootElement.read(text.bytes) {
    case .notXML:
      throw .unrecognizedFormat(hint: nil)
    case .incomplete:
      guard !text.isCut else {
        throw .corrupt(
          .svg, reason: "the root element does not end within \(Self.rootLimit) bytes", offset: nil)
      }
      return nil
    case .found(let root):
      guard SVGSignature.isDrawing(root) else { throw .unrecognizedFormat(hint: nil) }
      return ImageHeader(info: try Self.info(of: root, limits: limits), hasAllFrames: true)
    }
  }
}
