/// A bitmap file whose size is within the limits.
struct BMPFile {
  let header: BMPHeader
  private let profileLimit: Int

  /// Reads the headers and checks the size.
  init(_ bytes: RawSpan, limits: DecodeLimits) throws(ImagingError) {
    header = try BMPHeader(bytes, in: .file)
    try limits.check(size: header.size, format: .bmp)
    profileLimit = limits.maxChunkBytes
  }

  /// Returns the embedded profile, once it is there.
  func profile(in bytes: UnsafeRawBufferPointer) -> ColorProfile? {
    header.profile?.profile(in: bytes, limit: profileLimit)
  }

  /// Returns an image with the information of the header.
  func image(_ bitmap: Bitmap, _ flaws: DamageReport, profile: ColorProfile?) -> Image {
    Image(
      bitmap: bitmap, info: header.info(profile).marked(flaws), isPartial: flaws.contains(.partial),
      profile: profile)
  }

  func decode(
    _ bytes: UnsafeRawBufferPointer, options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image {
    if header.coding == .rows, !options.keepsPartial, header.rowCount(in: bytes.count) < header.size.height {
      throw .truncated(.bmp, byteCount: bytes.count)
    }
    let painter = try BMPPainter(header, bytes)
    try painter.paint(bytes, watch: watch)
    let (bitmap, flaws) = try painter.finish(byteCount: bytes.count, options: options)
    return image(bitmap, flaws, profile: profile(in: bytes))
  }

  /// Resamples rows as they are converted, from the top; `nil` if the picture has to be decoded as a whole.
  func shrink(
    _ bytes: UnsafeRawBufferPointer, by shrinker: RowShrinker, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image? {
    let (width, height) = (header.size.width, header.size.height)
    let profile = profile(in: bytes)
    guard header.coding == .rows, header.rowCount(in: bytes.count) == height,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let rows = try shrinker.rows(
        of: header.size, format: .rgba8, isOpaque: !header.hasAlpha, profile: profile)
    else { return nil }
    let expander = BMPExpander(header, bytes)
    let batch = max(1, (256 << 10) / (4 * width))
    while !rows.isComplete {
      try watch.check()
      let room = rows.room
      guard let start = room.start, room.count > 0 else { return nil }
      let count = min(batch, room.count)
      for index in 0..<count {
        let y = rows.rows + index
        let stored = header.isTopDown ? y : height - 1 - y
        expander.expand(
          base + header.pixelStart + stored * header.stride, to: start + 4 * width * index, count: width)
      }
      rows.advance(by: count)
    }
    return shrinker.take(rows).map { image($0, [], profile: profile) }
  }
}
