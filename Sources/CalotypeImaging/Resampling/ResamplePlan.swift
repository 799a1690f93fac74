import CPixels

/// The parameters of a resize, before any memory is allocated for it.
struct ResamplePlan {
  let source: PixelSize
  let format: PixelFormat
  /// A Boolean value that indicates whether the fourth sample is no alpha to weight by. That of CMYK is a colour like
  /// the others.
  let isOpaque: Bool
  let filter: ResampleFilter
  let linearLight: Bool
  private(set) var horizontal: ResampleAxis
  private(set) var vertical: ResampleAxis

  /// Creates a plan; parameters are those of ``Bitmap/resampled(to:from:filter:linearLight:pool:)``, validated.
  init(
    source: PixelSize, format: PixelFormat, isOpaque: Bool, size: PixelSize, region: Bitmap.Region,
    filter: ResampleFilter, linearLight: Bool
  ) {
    self.source = source
    self.format = format
    self.isOpaque = isOpaque || format == .cmyk8 || format == .gray8
    self.filter = filter
    self.linearLight = linearLight && format == .rgba8
    horizontal = ResampleAxis(length: source.width, start: region.x, extent: region.width, count: size.width)
    vertical = ResampleAxis(
      length: source.height, start: region.y, extent: region.height, count: size.height)
    // The nearest pixel is no mean, so cells must not be averaged.
    if filter != .nearest {
      horizontal.cell = ResampleAxis.cell(length: source.width, extent: region.width, count: size.width)
      vertical.cell = ResampleAxis.cell(length: source.height, extent: region.height, count: size.height)
    }
  }

  static func check(size: PixelSize, region: Bitmap.Region, of source: PixelSize) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(size) has no pixels")
    }
    // The comparisons are written so that NaN fails.
    guard region.width > 0, region.height > 0, region.x >= 0, region.y >= 0,
      region.x + region.width <= Double(source.width), region.y + region.height <= Double(source.height)
    else {
      throw .invalidParameter(
        name: "region",
        reason: "\(region.width)×\(region.height) at (\(region.x), \(region.y)) is not within \(source)")
    }
  }

  /// The depth of the samples.
  var samples: cpx_samples {
    if format == .rgba16 { return CPX_SAMPLES_16 }
    if format == .gray8 { return CPX_SAMPLES_GRAY }
    return linearLight ? CPX_SAMPLES_LINEAR : CPX_SAMPLES_8
  }

  /// A Boolean value that indicates whether the picture is averaged in cells before it is filtered.
  var reducesFirst: Bool { horizontal.cell > 1 || vertical.cell > 1 }

  /// The number of output rows in a group: a group reads its source rows once, unless that takes megabytes.
  var group: Int {
    let rows = vertical.longestWindow(filter: filter)
    return rows * source.width * format.bytesPerPixel <= 2 << 20 ? Int(cpx_resample_group) : 1
  }

  /// The number of source rows that must be in memory: those of a group of output rows. Those of 16 bits come in pairs.
  var window: Int {
    vertical.longestWindow(filter: filter)
      + Int((Double(group - 1) * max(0, vertical.scale)).rounded(.up)) + 4
  }

  /// Creates the resize of a picture that arrives in rows, with `rowsInMemory` of them at a time; `nil` for a whole
  /// picture.
  func job(
    rowsInMemory: Int? = nil, level: cpx_level = cpx_best_level(), pool: PixelPool
  ) throws(ImagingError) -> ResampleJob {
    try job(
      of: source, alpha: isOpaque ? CPX_ALPHA_OPAQUE : CPX_ALPHA_STRAIGHT, rowsInMemory: rowsInMemory,
      level: level, pool: pool)
  }

  /// Creates the resize of the averaged cells.
  func cellJob(level: cpx_level, pool: PixelPool) throws(ImagingError) -> ResampleJob {
    try job(
      of: PixelSize(width: horizontal.samples, height: vertical.samples),
      alpha: isOpaque ? CPX_ALPHA_OPAQUE : CPX_ALPHA_PREMULTIPLIED, rowsInMemory: nil, level: level,
      pool: pool)
  }

  private func job(
    of source: PixelSize, alpha: cpx_alpha, rowsInMemory: Int?, level: cpx_level, pool: PixelPool
  ) throws(ImagingError) -> ResampleJob {
    // Between the passes, samples always have 16 bits.
    let hasBytes = samples == CPX_SAMPLES_8 || samples == CPX_SAMPLES_GRAY
    let largest = hasBytes ? FilterBank.largestByte : FilterBank.largestWord
    return try ResampleJob(
      ResampleJob.Source(size: source, format: format, alpha: alpha, samples: samples),
      rowsInMemory: rowsInMemory,
      columns: FilterBank(
        axis: horizontal, filter: filter, largestSample: FilterBank.largestWord, pool: pool),
      rows: FilterBank(axis: vertical, filter: filter, largestSample: largest, pool: pool), level: level,
      pool: pool)
  }
}
