#if SVG
package import FoundationEssentials

/// A decoder for SVG 1.1 and parts of SVG 2, plain or compressed by gzip, which librsvg draws.
///
/// Drawings are drawn at the size that is asked for. Nothing outside the file is loaded; pictures in `data:` URLs may be PNG,
/// JPEG and GIF. Scripts, animations and `foreignObject` are ignored.
///
/// librsvg aborts the process on some inputs and never returns from others. This decoder is for processes that decode for
/// another one (``CoderRegistry/sandboxed``) and have called ``warmUp(fonts:)``. A drawing cannot be cancelled.
package struct SVGDecoder: ImageDecoding {
  /// Creates a decoder.
  package init() {}

  /// SVG.
  package var formats: [ImageFormat] { [.svg] }

  /// 4 KiB, for texts alone.
  package var signatureLength: Int { SVGDescriber().signatureLength }

  /// Returns ``ImageFormat/svg`` if the root element is that of a drawing.
  package func format(of prefix: Data) -> ImageFormat? { SVGDescriber().format(of: prefix) }

  /// An error that names the package to install, if librsvg is missing.
  package func refusal(of format: ImageFormat) -> ImagingError? { OptionalLibrary.svg.refusal }

  /// Reads the root element.
  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try SVGDescriber().probe(data, limits: limits)
  }

  /// Reads the root element; `nil` until its start tag has ended.
  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try SVGDescriber().header(of: prefix, limits: limits)
  }

  /// Draws the whole drawing at ``DecodeOptions/sourceSize(of:)``; `minimumSize` is ignored.
  package func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, options, shrinker: nil)
  }

  /// Draws the part of the drawing that the thumbnail shows.
  package func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    try decode(data, options, shrinker: shrinker)
  }

  private func decode(
    _ data: Data, _ options: DecodeOptions, shrinker: RowShrinker?
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    if let unreadiness = Self.unreadiness { throw unreadiness }
    let text = try SVGText(data, limits: options.limits)
    guard case .found(let root) = XMLRootElement.read(text.bytes), SVGSignature.isDrawing(root) else {
      throw .corrupt(.svg, reason: "the root element cannot be read", offset: nil)
    }
    let info = try SVGDescriber.info(of: root, limits: options.limits)
    let natural = try SVGSize.natural(of: root)
    let whole = options.sourceSize(of: info)
    var part = Thumbnail.Geometry(size: whole, region: Bitmap.Region(whole), scaledSize: whole)
    if shrinker != nil, let thumbnail = options.decodedThumbnail(for: info) {
      part = try thumbnail.geometry(for: whole)
    }
    try options.limits.check(size: part.size, format: .svg)
    let drawing = try SVGDrawing(text, width: natural.width, height: natural.height)
    try watch.check()
    let bitmap = try drawing.draw(part.size, x: Int(part.region.x), y: Int(part.region.y), of: whole)
    shrinker?.take(bitmap)
    return Image(bitmap: bitmap, info: info)
  }
}
#endif
