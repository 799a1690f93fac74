/// Resizes a picture whose rows come one after the other, from top to bottom: some of them are in memory at a time,
/// never all.
///
/// Ask for ``room``, write rows there, tell with ``advance(by:)``; at the end take the ``result``. Gives the bytes that
/// ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the whole picture.
final class RowResampler {
  /// The size of the picture that comes in rows.
  let source: PixelSize
  let format: PixelFormat
  /// Rows that have come.
  private(set) var rows = 0

  private var job: ResampleJob
  private let result: Bitmap
  private let ring: UnsafeMutableRawBufferPointer
  private let ringRows: Int
  private let pool: PixelPool
  /// The output row that is made next, and the source rows it needs.
  private var output = 0
  private var needed: Range<Int>

  /// Rows that may come between two looks at what can be made of them.
  private static let slackBytes = 256 << 10

  /// `nil` when the picture has to be whole for this resize.
  init?(_ plan: ResamplePlan, pool: PixelPool = .shared) throws(ImagingError) {
    if plan.reducesFirst { return nil }
    source = plan.source
    format = plan.format
    self.pool = pool
    let bytesPerRow = plan.source.width * plan.format.bytesPerPixel
    let slack = max(16, Self.slackBytes / bytesPerRow)
    let window = plan.vertical.longestWindow(filter: plan.filter) + 2
    ringRows = min(plan.source.height, window + slack)
    var job = try plan.job(rowsInMemory: ringRows, pool: pool)
    guard let ring = pool.take(byteCount: ringRows * bytesPerRow) else {
      throw .outOfMemory(byteCount: ringRows * bytesPerRow)
    }
    self.ring = ring
    // The buffer is the storage of the bitmap and never moves; the bitmap is handed out when it is complete.
    var pixels = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    do throws(ImagingError) {
      result = try Bitmap(size: job.size, format: plan.format, pool: pool) {
        pixels = $0
        return plan.isOpaque
      }
    } catch {
      pool.giveBack(ring)
      throw error
    }
    job.begin(
      source: ring.baseAddress?.assumingMemoryBound(to: UInt8.self),
      destination: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
    needed = job.sourceRows(for: 0)
    self.job = job
  }

  deinit {
    pool.giveBack(ring)
  }

  private var bytesPerRow: Int { source.width * format.bytesPerPixel }

  /// Where the next rows go, one after the other without gaps, and how many fit there: at least one as long as rows
  /// are missing.
  var room: (start: UnsafeMutablePointer<UInt8>, count: Int) {
    let slot = rows % ringRows
    // Of the rows in the ring, those from the first that is still needed stay.
    let kept = output < result.height ? max(0, rows - needed.lowerBound) : 0
    let start = ring.baseAddress.unsafelyUnwrapped + slot * bytesPerRow
    return (
      start.assumingMemoryBound(to: UInt8.self), min(ringRows - slot, ringRows - kept, source.height - rows)
    )
  }

  /// The next `count` rows are written.
  func advance(by count: Int) {
    rows += count
    let first = output
    var last = output
    while last < result.height, needed.upperBound <= rows {
      last += 1
      if last < result.height { needed = job.sourceRows(for: last) }
    }
    guard last > first else { return }
    job.make(first..<last)
    output = last
  }

  /// Whether all rows have come.
  var isComplete: Bool { rows == source.height }

  /// The resized picture, once all rows have come.
  func finished() -> Bitmap? { output == result.height ? result : nil }
}
