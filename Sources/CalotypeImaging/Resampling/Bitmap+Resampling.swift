import CPixels

extension Bitmap {
  /// The picture, or a region of it, at another size.
  ///
  /// Two passes of `filter`, stretched when shrinking so that nothing aliases. Colours are weighed by their alpha,
  /// so transparent neighbours leave no fringe. Colours are filtered as they are stored, not in linear light, as
  /// all common resizers do. Samples around the region count as far as the filter reaches; beyond the edges of
  /// the picture there are none.
  ///
  /// Works on 8 bits: ``PixelFormat/rgba8``, ``PixelFormat/cmyk8`` (four equal channels) and ``PixelFormat/gray8``.
  ///
  /// ```swift
  /// let small = try photo.resampled(to: PixelSize(width: 320, height: 240))
  /// ```
  ///
  /// - Parameters:
  ///   - size: The size of the result, at least 1×1.
  ///   - region: What to show of the picture; all of it when `nil`. Its edges may lie between pixels.
  ///   - filter: The reconstruction filter.
  ///   - pool: Where the memory for the result and for scratch comes from.
  /// - Returns: The resized picture; the same one when there is nothing to do.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty size or a region that is not within
  ///   the picture, and for 16-bit pixels, which ``converted(to:pool:)`` makes 8-bit ones;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled`` soon after the current task was cancelled.
  /// - Complexity: O(pixels of the region + pixels of the result). Blocks; call it off the cooperative pool.
  public func resampled(
    to size: PixelSize, from region: SampleRegion? = nil, filter: ResampleFilter = .lanczos3,
    pool: PixelPool = .shared
  ) throws(ImagingError) -> Bitmap {
    try resampled(to: size, from: region, filter: filter, pool: pool, level: cpx_best_level())
  }

  /// The same with a chosen instruction set: all give the same bytes.
  func resampled(
    to size: PixelSize, from region: SampleRegion?, filter: ResampleFilter, pool: PixelPool, level: cpx_level
  ) throws(ImagingError) -> Bitmap {
    let region = region ?? SampleRegion(self.size)
    try check(size: size, region: region)
    if size == self.size, region == SampleRegion(self.size) { return self }
    switch format {
    case .rgba8, .cmyk8:
      break
    case .gray8:
      // Three times the work of one channel, and still a fraction of the decode that came before it.
      return try converted(to: .rgba8, pool: pool)
        .resampled(to: size, from: region, filter: filter, pool: pool, level: level)
        .converted(to: .gray8, pool: pool)
    case .rgba16:
      throw .invalidParameter(
        name: "format", reason: "pixels of 16 bits a sample are not resampled; convert them to rgba8 first")
    }
    // The fourth channel of CMYK is a colour like the others.
    let isOpaque = self.isOpaque || format == .cmyk8
    var horizontal = ResampleAxis(length: width, start: region.x, extent: region.width, count: size.width)
    var vertical = ResampleAxis(length: height, start: region.y, extent: region.height, count: size.height)
    horizontal.cell = ResampleAxis.cell(length: width, extent: region.width, count: size.width)
    vertical.cell = ResampleAxis.cell(length: height, extent: region.height, count: size.height)
    guard horizontal.cell > 1 || vertical.cell > 1 else {
      return try resampled(
        horizontal, vertical, filter: filter, alpha: isOpaque ? CPX_ALPHA_OPAQUE : CPX_ALPHA_STRAIGHT,
        isOpaque: isOpaque, pool: pool, level: level)
    }
    let cells = try reduced(horizontal, vertical, isOpaque: isOpaque, pool: pool)
    return try cells.resampled(
      horizontal, vertical, filter: filter, alpha: isOpaque ? CPX_ALPHA_OPAQUE : CPX_ALPHA_PREMULTIPLIED,
      isOpaque: isOpaque, pool: pool, level: level)
  }

  private func check(size: PixelSize, region: SampleRegion) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(size) has no pixels")
    }
    // Written so that NaN fails.
    guard region.width > 0, region.height > 0, region.x >= 0, region.y >= 0,
      region.x + region.width <= Double(width), region.y + region.height <= Double(height)
    else {
      throw .invalidParameter(
        name: "region",
        reason: "\(region.width)×\(region.height) at (\(region.x), \(region.y)) is not within \(self.size)")
    }
  }

  /// Rows that are made between two looks at `Task.isCancelled`: about 16 million products, some milliseconds.
  private static func batch(samplesPerRow: Int) -> Int {
    max(1, (16 << 20) / max(1, samplesPerRow))
  }

  private func resampled(
    _ horizontal: ResampleAxis, _ vertical: ResampleAxis, filter: ResampleFilter, alpha: cpx_alpha,
    isOpaque: Bool, pool: PixelPool, level: cpx_level
  ) throws(ImagingError) -> Bitmap {
    try filtered(
      columns: try FilterBank(axis: horizontal, filter: filter, pool: pool),
      rows: try FilterBank(axis: vertical, filter: filter, pool: pool), alpha: alpha, isOpaque: isOpaque,
      pool: pool, level: level)
  }

  /// Each pixel the sum of its neighbours with the weights of two filter banks: of any resize or blur.
  ///
  /// - Parameters:
  ///   - columns: A bank over ``width`` samples; its outputs are the columns of the result.
  ///   - rows: A bank over ``height`` samples.
  ///   - alpha: What the fourth sample means.
  ///   - isOpaque: Whether all pixels of the result are opaque.
  func filtered(
    columns: borrowing FilterBank, rows: borrowing FilterBank, alpha: cpx_alpha, isOpaque: Bool,
    pool: PixelPool = .shared, level: cpx_level = cpx_best_level()
  ) throws(ImagingError) -> Bitmap {
    var job = cpx_resample()
    job.source_stride = bytesPerRow
    job.source_width = Int32(clamping: width)
    job.source_height = Int32(clamping: height)
    job.destination_stride = columns.count * format.bytesPerPixel
    job.horizontal = columns.filter
    job.vertical = rows.filter
    job.alpha = alpha
    job.level = level
    let workspaceSize = cpx_resample_workspace_size(&job)
    guard workspaceSize > 0, let workspace = pool.take(byteCount: workspaceSize) else {
      throw .outOfMemory(byteCount: workspaceSize)
    }
    defer { pool.giveBack(workspace) }
    let batch = Self.batch(samplesPerRow: width * rows.taps + columns.count * columns.taps)
    let result = try Bitmap(
      size: PixelSize(width: columns.count, height: rows.count), format: format, pool: pool
    ) { destination throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        job.source = source.bindMemory(to: UInt8.self).baseAddress
        job.destination = destination.bindMemory(to: UInt8.self).baseAddress
        cpx_resample_begin(&job, workspace.baseAddress)
        var row = 0
        while row < rows.count {
          if Task.isCancelled { throw .cancelled }
          let end = min(rows.count, row + batch)
          cpx_resample_rows(&job, Int32(row), Int32(end))
          row = end
        }
      }
      return isOpaque
    }
    return result
  }

  /// The picture averaged in cells; premultiplied unless opaque.
  private func reduced(
    _ horizontal: ResampleAxis, _ vertical: ResampleAxis, isOpaque: Bool, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    guard width < Int(Int32.max), height < Int(Int32.max) else {
      throw .invalidParameter(name: "size", reason: "a side of \(max(width, height)) is too long")
    }
    let size = PixelSize(width: horizontal.samples, height: vertical.samples)
    let sumsSize = size.width * 4 * 8
    guard let sums = pool.take(byteCount: sumsSize) else { throw .outOfMemory(byteCount: sumsSize) }
    defer { pool.giveBack(sums) }
    let batch = Self.batch(samplesPerRow: width * vertical.cell)
    return try Bitmap(size: size, format: format, pool: pool) { destination throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        var row = 0
        while row < size.height {
          if Task.isCancelled { throw .cancelled }
          let end = min(size.height, row + batch)
          cpx_reduce_rows(
            source.bindMemory(to: UInt8.self).baseAddress, bytesPerRow, Int32(width), Int32(height),
            Int32(horizontal.cell), Int32(vertical.cell), isOpaque ? 0 : 1,
            destination.bindMemory(to: UInt8.self).baseAddress,
            sums.bindMemory(to: UInt64.self).baseAddress, Int32(row), Int32(end))
          row = end
        }
      }
      return isOpaque
    }
  }
}
