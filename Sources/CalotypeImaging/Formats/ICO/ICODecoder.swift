public import FoundationEssentials

/// A decoder for Windows icons and cursors, whose pictures are PNGs or bitmaps.
///
/// ``ImageInfo`` describes the largest picture; of equals the deepest, of those the first. Sizes and depths are those of
/// the pictures themselves, not of the directory. A bitmap of 32 bits has alpha; if all of it is zero, and at other
/// depths, the mask of the picture decides. Entries that are no pictures are skipped.
public struct ICODecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.ico, .cur] }

  /// 22 bytes.
  public var signatureLength: Int { 22 }

  /// Returns ``ImageFormat/ico`` or ``ImageFormat/cur`` if the bytes start with a plausible directory.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix).flatMap { formats.contains($0) ? $0 : nil }
  }

  /// Reads the directory and the headers of the pictures.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try Self.directory(of: data, limits: limits).info
  }

  /// Reads the directory and the headers of the pictures; `nil` until the last of these has arrived.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    do throws(ImagingError) {
      return ImageHeader(info: try probe(prefix, limits: limits), hasAllFrames: true)
    } catch {
      guard error.needsMoreBytes else { throw error }
      return nil
    }
  }

  /// Decodes the smallest picture of at least `minimumSize`, otherwise the largest.
  ///
  /// A file that ends before the header of any picture is an error, also if `options` allow partial images, because the
  /// missing picture may be the largest.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let directory = try Self.directory(of: data, limits: options.limits)
    let entry = directory.best(for: minimumSize)
    switch entry.picture {
    case .png:
      let start = data.startIndex
      let image = try PNGDecoder().decode(
        data[start + entry.range.lowerBound..<start + entry.range.upperBound], minimumSize: nil,
        options: options.forPicture)
      var flaws: DamageReport = image.isPartial ? .partial : []
      if image.isDamaged { flaws.insert(.damaged) }
      return directory.image(image.bitmap, flaws, profile: image.profile, metadata: image.metadata)
    case .bitmap(let header):
      try options.limits.check(size: header.size, format: directory.format)
      return try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
        let (bitmap, flaws) = try ICOBitmap(header, of: entry, in: bytes).decode(options: options, watch)
        return directory.image(bitmap, flaws, profile: nil, metadata: ImageMetadata())
      }
    }
  }

  private static func directory(of data: Data, limits: DecodeLimits) throws(ImagingError) -> ICODirectory {
    let directory = try ICODirectory(data.bytes)
    if directory.isTruncated { throw .truncated(directory.format, byteCount: data.count) }
    try limits.check(size: directory.largest.size, format: directory.format)
    return directory
  }
}

extension ICODirectory {
  fileprivate func image(
    _ bitmap: Bitmap, _ flaws: DamageReport, profile: ColorProfile?, metadata: ImageMetadata
  ) -> Image {
    Image(
      bitmap: bitmap, info: info.marked(flaws), isPartial: flaws.contains(.partial), profile: profile,
      metadata: metadata)
  }
}

extension DecodeOptions {
  /// The options for a picture within a file: its pixels are those of all pictures of the file.
  fileprivate var forPicture: DecodeOptions {
    var options = self
    options.pixels = .rgba8
    options.formatHint = nil
    return options
  }
}
