import CPixels

extension Bitmap {
  /// Returns the picture, or a region of it, at another size.
  ///
  /// It makes two passes of `filter`, which is stretched for shrinking so that nothing aliases. Colours are weighted by
  /// their alpha, so that transparent neighbours leave no fringe. Samples around the region count as far as the filter
  /// reaches; beyond the edges of the picture there are none. All processors give the same bytes.
  ///
  /// ``PixelFormat/rgba8``, ``PixelFormat/cmyk8`` (four equal channels) and ``PixelFormat/gray8`` are filtered in 8
  /// bits, ``PixelFormat/rgba16`` in 16.
  ///
  /// ```swift
  /// let small = try photo.resampled(to: PixelSize(width: 320, height: 240))
  /// ```
  ///
  /// - Parameters:
  ///   - size: The size of the result, at least 1×1.
  ///   - region: The region of the picture to resample; all of it if `nil`. Its edges may lie between pixels.
  ///   - filter: The reconstruction filter.
  ///   - linearLight: Resamples in linear light, taking colours for sRGB (IEC 61966-2-1), instead of mixing the stored
  ///     numbers. Fine bright detail keeps its brightness. For ``PixelFormat/rgba8`` and ``PixelFormat/gray8``; inks
  ///     and 16-bit samples are filtered as they are stored.
  ///   - pool: The pool for the memory of the result and for scratch.
  /// - Returns: The resized picture; the same one if there is nothing to do.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty size or a region that is not within the
  ///   picture; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled`` soon after the current task was
  ///   cancelled.
  /// - Complexity: O(pixels of the region + pixels of the result). Blocks; call it off the cooperative pool.
  public func resampled(
    to size: PixelSize, from region: Bitmap.Region? = nil, filter: ResampleFilter = .lanczos3,
    linearLight: Bool = false, pool: PixelPool = .shared
  ) throws(ImagingError) -> Bitmap {
    try resampled(
      to: size, from: region, filter: filter, linearLight: linearLight, pool: pool, level: cpx_best_level())
  }

  /// Resamples with a chosen instruction set: all give the same bytes.
  func resampled(
    to size: PixelSize, from region: Bitmap.Region?, filter: ResampleFilter, linearLight: Bool = false,
    pool: PixelPool = .shared, level: cpx_level
  ) throws(ImagingError) -> Bitmap {
    let region = region ?? Bitmap.Region(self.size)
    try ResamplePlan.check(size: size, region: region, of: self.size)
    if size == self.size, region == Bitmap.Region(self.size) { return self }
    let plan = ResamplePlan(
      source: self.size, format: format, isOpaque: isOpaque, size: size, region: region, filter: filter,
      linearLight: linearLight)
    if format == .gray8, linearLight || plan.reducesFirst {
      // Linear light and cells have four channels.
      return try converted(to: .rgba8, pool: pool)
        .resampled(
          to: size, from: region, filter: filter, linearLight: linearLight, pool: pool, level: level
        ).converted(to: .gray8, pool: pool)
    }
    guard plan.reducesFirst else {
      return try filtered(plan.job(level: level, pool: pool), pool: pool)
    }
    let cells = try reduced(plan, pool: pool)
    return try cells.filtered(plan.cellJob(level: level, pool: pool), isOpaque: plan.isOpaque, pool: pool)
  }

  /// Returns the weighted sums of neighbours by the weights of two filter banks, for any resize or blur.
  ///
  /// - Parameters:
  ///   - columns: A bank over ``width`` samples; its outputs are the columns of the result.
  ///   - rows: A bank over ``height`` samples.
  ///   - alpha: The meaning of the fourth sample.
  ///   - isOpaque: Pass true if all pixels of the result are opaque.
  func filtered(
    columns: consuming FilterBank, rows: consuming FilterBank, alpha: cpx_alpha, isOpaque: Bool,
    pool: PixelPool = .shared, level: cpx_level = cpx_best_level()
  ) throws(ImagingError) -> Bitmap {
    let source = ResampleJob.Source(size: size, format: format, alpha: alpha)
    return try filtered(
      ResampleJob(source, columns: columns, rows: rows, level: level, pool: pool), isOpaque: isOpaque,
      pool: pool)
  }

  private func filtered(
    _ job: consuming ResampleJob, isOpaque: Bool? = nil, pool: PixelPool
  ) throws(ImagingError) -> Bitmap {
    var job = job
    let size = job.size
    let batch = Self.batch(samplesPerRow: job.costPerRow)
    return try Bitmap(size: size, format: format, pool: pool) { destination throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        job.begin(
          source: source.bindMemory(to: UInt8.self).baseAddress,
          destination: destination.bindMemory(to: UInt8.self).baseAddress)
        var row = 0
        while row < size.height {
          if Task.isCancelled { throw .cancelled }
          let end = min(size.height, row + batch)
          job.make(row..<end)
          row = end
        }
      }
      return isOpaque ?? self.isOpaque
    }
  }

  /// Returns the number of rows between two checks of `Task.isCancelled`: about 16 million products, some milliseconds.
  static func batch(samplesPerRow: Int) -> Int {
    max(1, (16 << 20) / max(1, samplesPerRow))
  }

  /// Returns the picture averaged in cells; premultiplied unless opaque.
  private func reduced(_ plan: ResamplePlan, pool: PixelPool) throws(ImagingError) -> Bitmap {
    guard width < Int(Int32.max), height < Int(Int32.max) else {
      throw .invalidParameter(name: "size", reason: "a side of \(max(width, height)) is too long")
    }
    let size = PixelSize(width: plan.horizontal.samples, height: plan.vertical.samples)
    let sumsSize = size.width * 4 * 8
    guard let sums = pool.take(byteCount: sumsSize) else { throw .outOfMemory(byteCount: sumsSize) }
    defer { pool.giveBack(sums) }
    let batch = Self.batch(samplesPerRow: width * plan.vertical.cell)
    var cells = cpx_cells()
    cells.source_stride = bytesPerRow
    cells.source_width = Int32(width)
    cells.source_height = Int32(height)
    cells.width = Int32(plan.horizontal.cell)
    cells.height = Int32(plan.vertical.cell)
    cells.premultiply = plan.isOpaque ? 0 : 1
    cells.samples = plan.samples
    cells.light = LinearLight.shared.tables
    return try Bitmap(size: size, format: format, pool: pool) { destination throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        cells.source = source.bindMemory(to: UInt8.self).baseAddress
        cells.destination = destination.bindMemory(to: UInt8.self).baseAddress
        var row = 0
        while row < size.height {
          if Task.isCancelled { throw .cancelled }
          let end = min(size.height, row + batch)
          cpx_reduce_rows(
            &cells, sums.bindMemory(to: UInt64.self).baseAddress, Int32(row), Int32(end))
          row = end
        }
      }
      return plan.isOpaque
    }
  }
}
