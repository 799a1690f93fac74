#if TIFF
import FoundationEssentials

/// A decode of one page.
struct TIFFSession {
  private let options: DecodeOptions
  private let shrinker: RowShrinker?
  private let watch: DecodeLimits.DeadlineChecker
  private let info: ImageInfo
  private let minimumSize: PixelSize?
  private let profile: Data?
  private let xmp: Data?

  init(
    _ document: TIFFDocument, _ bytes: RawSpan, minimumSize: PixelSize?, options: DecodeOptions,
    shrinker: RowShrinker?, _ watch: DecodeLimits.DeadlineChecker
  ) {
    (self.options, self.shrinker, self.watch) = (options, shrinker, watch)
    self.minimumSize = minimumSize
    info = document.info(bytes, limits: options.limits)
    profile = document.data(document.page.profile, bytes, limits: options.limits)
    let packet = options.readsMetadata ? document.page.entries[.xmp]?.range : nil
    xmp = document.data(packet, bytes, limits: options.limits)
  }

  /// Decodes a smaller version of the page; `nil` unless it is sound.
  func version(_ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer) throws(ImagingError) -> Image? {
    var strict = options
    (strict.damage, strict.allowsPartial) = (.strict, false)
    do throws(ImagingError) {
      return try image(picture, bytes, strict)
    } catch {
      switch error {
      case .corrupt, .truncated, .unsupportedFormat: return nil
      default: throw error
      }
    }
  }

  /// Decodes the page.
  func page(_ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer) throws(ImagingError) -> Image {
    try image(picture, bytes, options)
  }

  private func image(
    _ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer, _ options: DecodeOptions
  ) throws(ImagingError) -> Image {
    if picture.coding.compression == .oldJPEG { return try oldJPEG(picture, bytes, options) }
    let isComplete = try picture.checkPieces(bytes, options: options, watch)
    if let image = try scaledJPEG(picture, bytes) { return image }
    let usable = picture.usableProfile(profile)
    let format = picture.pixels.format(options, hasProfile: usable != nil)
    // The plain product of inks no longer has the colours that the profile describes.
    let keeps = picture.pixels.colorCount < 4 || format == .cmyk8
    let colors = keeps ? usable.map { ColorProfile.icc($0) } : nil
    if let shrinker, isComplete, let bitmap = try shrunk(picture, bytes, format, colors, by: shrinker) {
      return image(bitmap, [], colors)
    }
    if shrinker != nil { try options.checkWholeMemory(for: info, encodedByteCount: bytes.count) }
    let (bitmap, flaws) = try whole(picture, bytes, format, options)
    return image(bitmap, isComplete ? flaws : flaws.union(.partial), colors)
  }

  private func image(_ bitmap: Bitmap, _ flaws: DamageReport, _ profile: ColorProfile?) -> Image {
    Image(
      bitmap: bitmap, info: info.marked(flaws), orientation: info.orientation,
      isPartial: flaws.contains(.partial), profile: profile, metadata: ImageMetadata(xmp: xmp))
  }

  /// Decodes the picture as a whole.
  private func whole(
    _ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer, _ format: PixelFormat, _ options: DecodeOptions
  ) throws(ImagingError) -> (Bitmap, DamageReport) {
    let reader = try TIFFBandReader(picture, bytes, format: format)
    let canvas = try PixelCanvas(size: picture.directory.size, format: format)
    for band in 0..<reader.bandCount {
      for failure in try reader.load(band, watch) where !options.accepts(failure) { throw failure }
      for row in reader.rows(of: band) {
        reader.convert(row: row, to: canvas.address(x: 0, y: row).assumingMemoryBound(to: UInt8.self))
      }
    }
    if reader.decodedRowCount == 0, let failure = reader.failures.first { throw failure }
    var flaws: DamageReport = []
    for failure in reader.failures { flaws.formUnion(DamageReport(failure)) }
    return (
      canvas.finished(isOpaque: picture.pixels.alpha == nil && !reader.lacksPixels), flaws
    )
  }

  /// Resamples rows as they are decoded; `nil` if the picture has to be decoded as a whole.
  private func shrunk(
    _ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer, _ format: PixelFormat,
    _ profile: ColorProfile?,
    by shrinker: RowShrinker
  ) throws(ImagingError) -> Bitmap? {
    let isOpaque = picture.pixels.alpha == nil
    guard
      let rows = try shrinker.rows(
        of: picture.directory.size, format: format, isOpaque: isOpaque, profile: profile)
    else { return nil }
    let reader = try TIFFBandReader(picture, bytes, format: format)
    let bytesPerRow = picture.directory.size.width * format.bytesPerPixel
    let batch = max(1, (256 << 10) / bytesPerRow)
    for band in 0..<reader.bandCount {
      // Missing pixels would be transparent, and the sink has to know that in advance.
      guard try reader.load(band, watch).isEmpty else { return nil }
      var next = reader.rows(of: band)
      while !next.isEmpty {
        let room = rows.room
        let count = min(batch, room.count, next.count)
        guard let start = room.start, count > 0 else { return nil }
        for index in 0..<count {
          reader.convert(row: next.lowerBound + index, to: start + index * bytesPerRow)
        }
        rows.advance(by: count)
        next = next.lowerBound + count..<next.upperBound
      }
      try watch.check()
    }
    return shrinker.take(rows)
  }

  /// Decodes a picture whose compression is JPEG at a smaller scale; `nil` if none suffices, and unless it is sound.
  private func scaledJPEG(
    _ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer
  ) throws(ImagingError) -> Image? {
    let size = picture.directory.size
    guard ScaleDivisor.largest(for: size, minimumSize: minimumSize) > 1,
      let stream = TIFFJPEGStream(picture, bytes)?.data
    else { return nil }
    var strict = options
    (strict.damage, strict.allowsPartial, strict.readsMetadata) = (.strict, false, false)
    let usable = picture.usableProfile(profile).map { ColorProfile.icc($0) }
    let decoder = JPEGDecoder()
    do throws(ImagingError) {
      guard try decoder.probe(stream, limits: options.limits).size == size else { return nil }
      let image: Image
      // The rows of the stream have no profile, and linear light may need it.
      if let shrinker, usable == nil {
        image = try decoder.decode(stream, minimumSize: minimumSize, options: strict, shrinkingBy: shrinker)
      } else {
        image = try decoder.decode(stream, minimumSize: minimumSize, options: strict)
      }
      return self.image(image.bitmap, [], usable)
    } catch {
      switch error {
      case .corrupt, .truncated, .unsupportedFormat: return nil
      default: throw error
      }
    }
  }

  /// Decodes a picture whose compression is JPEG of the older kind.
  private func oldJPEG(
    _ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer, _ options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let stream = try TIFFOldJPEG(picture, bytes).stream()
    let decoder = JPEGDecoder()
    let found = try decoder.probe(stream, limits: options.limits)
    guard found.size == picture.directory.size else {
      throw .corrupt(.tiff, reason: "the JPEG inside is \(found.size)", offset: picture.directory.offset)
    }
    // The whole size: a smaller scale is no version of the page.
    let image = try decoder.decode(stream, minimumSize: nil, options: options)
    let usable = picture.usableProfile(profile).map { ColorProfile.icc($0) }
    let range = TIFFReferenceRange(picture.directory, RawSpan(_unsafeBytes: bytes), in: picture.file)
    return Image(
      bitmap: try range?.applied(to: image.bitmap) ?? image.bitmap,
      info: info.marked(image.isDamaged ? .damaged : []),
      orientation: info.orientation, isPartial: image.isPartial, profile: usable,
      metadata: ImageMetadata(xmp: xmp))
  }
}
#endif
