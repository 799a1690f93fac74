import CPixels

/// A resize in progress: its filters, its scratch memory, and its position.
struct ResampleJob: ~Copyable {
  /// The contents of the rows.
  struct Source {
    var size: PixelSize
    var format: PixelFormat
    /// The meaning of the fourth sample.
    var alpha: cpx_alpha
    /// The depth of the samples; the filter banks must be made for samples of that size.
    var samples = CPX_SAMPLES_8
  }

  /// The number of outputs in both directions.
  let size: PixelSize
  /// The approximate number of products per output row.
  let costPerRow: Int
  private let columns: FilterBank
  private let rows: FilterBank
  private let workspace: UnsafeMutableRawBufferPointer
  private let pool: PixelPool
  private var job = cpx_resample()

  /// - Parameters:
  ///   - rowsInMemory: The number of rows in the ring of source rows; all of them for a whole picture.
  ///   - columns: A filter bank over the width of the source.
  ///   - rows: A filter bank over its height.
  init(
    _ source: Source, rowsInMemory: Int? = nil, columns: consuming FilterBank, rows: consuming FilterBank,
    level: cpx_level = cpx_best_level(), pool: PixelPool
  ) throws(ImagingError) {
    size = PixelSize(width: columns.count, height: rows.count)
    costPerRow = source.size.width * rows.taps + columns.count * columns.taps
    job.source_width = Int32(clamping: source.size.width)
    job.source_height = Int32(clamping: source.size.height)
    job.source_stride = source.size.width * source.format.bytesPerPixel
    job.source_rows = Int32(clamping: rowsInMemory ?? source.size.height)
    job.destination_stride = columns.count * source.format.bytesPerPixel
    job.horizontal = columns.filter
    job.vertical = rows.filter
    job.alpha = source.alpha
    job.level = level
    job.samples = source.samples
    if source.samples == CPX_SAMPLES_LINEAR { job.light = LinearLight.shared.tables }
    let byteCount = cpx_resample_workspace_size(&job)
    guard byteCount > 0, let workspace = pool.take(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    self.workspace = workspace
    self.columns = columns
    self.rows = rows
    self.pool = pool
  }

  deinit {
    pool.giveBack(workspace)
  }

  /// Sets the addresses of the source and of the destination.
  mutating func begin(source: UnsafePointer<UInt8>?, destination: UnsafeMutablePointer<UInt8>?) {
    job.source = source
    job.destination = destination
    cpx_resample_begin(&job, workspace.baseAddress)
  }

  /// Returns the source rows that an output row needs. Those of 16 bits come in pairs.
  func sourceRows(for output: Int) -> Range<Int> {
    let start = rows.start(of: output)
    let end = start + rows.taps
    guard job.samples == CPX_SAMPLES_16 || job.samples == CPX_SAMPLES_LINEAR else { return start..<end }
    return (start & ~1)..<min(Int(job.source_height), (end + 1) & ~1)
  }

  /// Makes output rows, in ascending order, each once.
  mutating func make(_ outputs: Range<Int>) {
    cpx_resample_rows(&job, Int32(outputs.lowerBound), Int32(outputs.upperBound))
  }
}
