import CPixels

/// One resize: its filters, its scratch memory, and how far it has come.
struct ResampleJob: ~Copyable {
  /// What the rows hold.
  struct Source {
    var size: PixelSize
    var format: PixelFormat
    /// What the fourth sample means.
    var alpha: cpx_alpha
    /// How samples are filtered; the filter banks must be made for samples as large.
    var samples = CPX_SAMPLES_8
  }

  /// Outputs across and down.
  let size: PixelSize
  /// About the products that an output row takes.
  let costPerRow: Int
  private let columns: FilterBank
  private let rows: FilterBank
  private let workspace: UnsafeMutableRawBufferPointer
  private let pool: PixelPool
  private var job = cpx_resample()

  /// - Parameters:
  ///   - rowsInMemory: Rows of the ring that source rows come and go in; all of them for a whole picture.
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

  /// Sets where the pixels are and go to.
  mutating func begin(source: UnsafePointer<UInt8>?, destination: UnsafeMutablePointer<UInt8>?) {
    job.source = source
    job.destination = destination
    cpx_resample_begin(&job, workspace.baseAddress)
  }

  /// The source rows that are needed for an output row. Those of 16 bits come in pairs.
  func sourceRows(for output: Int) -> Range<Int> {
    let start = rows.start(of: output)
    let end = start + rows.taps
    guard job.samples != CPX_SAMPLES_8 else { return start..<end }
    return (start & ~1)..<min(Int(job.source_height), (end + 1) & ~1)
  }

  /// Makes output rows: in ascending order, each once.
  mutating func make(_ outputs: Range<Int>) {
    cpx_resample_rows(&job, Int32(outputs.lowerBound), Int32(outputs.upperBound))
  }
}
