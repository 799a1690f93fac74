/// Resizes a picture whose rows come one after the other, from top to bottom: some of them are in memory at a time,
/// never all.
///
/// Ask for ``room``, write rows there, tell with ``advance(by:)``; at the end take what is ``finished()``. Gives the
/// bytes that ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the whole picture.
final class RowResampler {
  /// The size of the picture that comes in rows.
  let source: PixelSize
  let format: PixelFormat
  /// Rows that have come.
  private(set) var rows = 0

  private var job: ResampleJob
  private let result: Bitmap
  /// Rows in the order in which they come, some of them; `nil` when they lie somewhere else.
  private let ring: UnsafeMutableRawBufferPointer?
  private let ringRows: Int
  /// Output rows that are made together.
  private let group: Int
  private let pool: PixelPool
  /// The output row that is made next, and the first source row it needs.
  private var output = 0
  private var firstNeeded: Int
  /// The first output row that not all source rows have come for, and the end of those.
  private var ready = 0
  private var lastNeeded: Int

  /// Rows that may come between two looks at what can be made of them.
  private static let slackBytes = 256 << 10

  /// - Parameters:
  ///   - plan: One that does not reduce first.
  ///   - rows: Where the rows of the picture are when they are announced by ``advance(by:)``; those from
  ///     ``firstNeededRow`` on stay there. `nil` for memory of its own.
  init(
    _ plan: ResamplePlan, at rows: UnsafePointer<UInt8>? = nil, pool: PixelPool = .shared
  ) throws(ImagingError) {
    source = plan.source
    format = plan.format
    self.pool = pool
    group = plan.group
    let bytesPerRow = plan.source.width * plan.format.bytesPerPixel
    if rows == nil {
      let slack = max(16, Self.slackBytes / bytesPerRow)
      ringRows = min(plan.source.height, plan.window + slack)
    } else {
      ringRows = plan.source.height
    }
    var job = try plan.job(rowsInMemory: ringRows, pool: pool)
    var ring: UnsafeMutableRawBufferPointer?
    if rows == nil {
      ring = pool.take(byteCount: ringRows * bytesPerRow)
      if ring == nil { throw .outOfMemory(byteCount: ringRows * bytesPerRow) }
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
      if let ring { pool.giveBack(ring) }
      throw error
    }
    job.begin(
      source: rows ?? ring?.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) },
      destination: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
    (firstNeeded, lastNeeded) = (job.sourceRows(for: 0).lowerBound, job.sourceRows(for: 0).upperBound)
    self.job = job
  }

  deinit {
    if let ring { pool.giveBack(ring) }
  }

  private var bytesPerRow: Int { source.width * format.bytesPerPixel }

  /// The first row that is still needed, or will be.
  var firstNeededRow: Int { output < result.height ? firstNeeded : source.height }

  /// Where the next rows go, one after the other without gaps, and how many fit there: at least one as long as rows
  /// are missing, none when rows lie somewhere else.
  var room: (start: UnsafeMutablePointer<UInt8>?, count: Int) {
    guard let base = ring?.baseAddress else { return (nil, 0) }
    let slot = rows % ringRows
    // Of the rows in the ring, those that are still needed stay.
    let kept = max(0, rows - firstNeededRow)
    let start = (base + slot * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    return (start, min(ringRows - slot, ringRows - kept, source.height - rows))
  }

  /// The next `count` rows are written.
  func advance(by count: Int) {
    rows += count
    while ready < result.height, lastNeeded <= rows {
      ready += 1
      if ready < result.height { lastNeeded = job.sourceRows(for: ready).upperBound }
    }
    // Several at a time read their source rows once.
    let isLast = ready == result.height
    let made = isLast ? ready : ready - (ready - output) % group
    guard made > output else { return }
    job.make(output..<made)
    output = made
    if output < result.height { firstNeeded = job.sourceRows(for: output).lowerBound }
  }

  /// Whether all rows have come.
  var isComplete: Bool { rows == source.height }

  /// The resized picture, once all rows have come.
  func finished() -> Bitmap? { output == result.height ? result : nil }
}
