/// Resizes a picture whose rows come one after the other, from top to bottom: some of them are in memory at a time,
/// never all.
///
/// The rows are written elsewhere, see ``RowSink``, and told with ``advance(by:)``; at the end take what is
/// ``finished()``. Gives the bytes that ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the whole picture.
final class RowResampler {
  private let sourceHeight: Int
  /// Rows that have come.
  private var rows = 0

  private var job: ResampleJob
  private let result: Bitmap
  /// Output rows that are made together.
  private let group: Int
  /// The output row that is made next, and the first source row it needs.
  private var output = 0
  private var firstNeeded: Int
  /// The first output row that not all source rows have come for, and the end of those.
  private var ready = 0
  private var lastNeeded: Int

  /// - Parameters:
  ///   - plan: One that does not reduce first.
  ///   - ring: Where the rows of the picture are when they are announced by ``advance(by:)``, row *n* in place
  ///     *n* modulo `ringRows`; those from ``firstNeededRow`` on stay there.
  ///   - ringRows: At least the plan's ``ResamplePlan/window``, or all rows.
  init(
    _ plan: ResamplePlan, from ring: UnsafePointer<UInt8>?, ringRows: Int, pool: PixelPool
  ) throws(ImagingError) {
    sourceHeight = plan.source.height
    group = plan.group
    var job = try plan.job(rowsInMemory: ringRows, pool: pool)
    // The buffer is the storage of the bitmap and never moves; the bitmap is handed out when it is complete.
    var pixels = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    result = try Bitmap(size: job.size, format: plan.format, pool: pool) {
      pixels = $0
      return plan.isOpaque
    }
    job.begin(source: ring, destination: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
    (firstNeeded, lastNeeded) = (job.sourceRows(for: 0).lowerBound, job.sourceRows(for: 0).upperBound)
    self.job = job
  }

  /// The first row that is still needed, or will be.
  var firstNeededRow: Int { output < result.height ? firstNeeded : sourceHeight }

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

  /// The resized picture, once all rows have come.
  func finished() -> Bitmap? { output == result.height ? result : nil }
}
