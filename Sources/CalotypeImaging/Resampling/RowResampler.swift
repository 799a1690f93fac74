/// A resampler for a picture whose rows arrive one after the other, from top to bottom: only some of them are in memory
/// at a time.
///
/// Rows are written by the caller, see ``RowSink``, and announced with ``advance(by:)``; ``finished()`` returns the
/// result. It has the bytes that ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the whole picture.
final class RowResampler {
  private let sourceHeight: Int
  /// The number of rows that have arrived.
  private var rows = 0

  private var job: ResampleJob
  private let result: Bitmap
  /// The number of output rows that are made together.
  private let group: Int
  /// The next output row, and the first source row that it needs.
  private var output = 0
  private var firstNeeded: Int
  /// The first output row whose source rows have not all arrived, and the end of those.
  private var ready = 0
  private var lastNeeded: Int

  /// - Parameters:
  ///   - plan: A plan without a reduction.
  ///   - ring: The location of rows that ``advance(by:)`` announces, row *n* in place *n* modulo `ringRows`; those from
  ///     ``firstNeededRow`` on stay there.
  ///   - ringRows: At least the plan's ``ResamplePlan/window``, or all rows.
  init(
    _ plan: ResamplePlan, from ring: UnsafePointer<UInt8>?, ringRows: Int, pool: PixelPool
  ) throws(ImagingError) {
    sourceHeight = plan.source.height
    group = plan.group
    var job = try plan.job(rowsInMemory: ringRows, pool: pool)
    // The buffer is the storage of the bitmap and never moves; the bitmap is returned when it is complete.
    var pixels = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    result = try Bitmap(size: job.size, format: plan.format, pool: pool) {
      pixels = $0
      return plan.isOpaque
    }
    job.begin(source: ring, destination: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
    (firstNeeded, lastNeeded) = (job.sourceRows(for: 0).lowerBound, job.sourceRows(for: 0).upperBound)
    self.job = job
  }

  /// The first row that is still needed, now or later.
  var firstNeededRow: Int { output < result.height ? firstNeeded : sourceHeight }

  /// Announces that the next `count` rows have been written.
  func advance(by count: Int) {
    rows += count
    while ready < result.height, lastNeeded <= rows {
      ready += 1
      if ready < result.height { lastNeeded = job.sourceRows(for: ready).upperBound }
    }
    // Rows in a group read their source rows once.
    let isLast = ready == result.height
    let made = isLast ? ready : ready - (ready - output) % group
    guard made > output else { return }
    job.make(output..<made)
    output = made
    if output < result.height { firstNeeded = job.sourceRows(for: output).lowerBound }
  }

  /// Returns the resized picture after all rows have arrived.
  func finished() -> Bitmap? { output == result.height ? result : nil }
}
