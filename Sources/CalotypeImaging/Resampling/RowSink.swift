/// Rows of a picture that come once, from top to bottom, and go to one or more resizes of it.
///
/// Ask for ``room``, write rows there, tell with ``advance(by:)``; at the end take what is ``finished()``. Each of the
/// pictures is what ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the whole picture. The rows that the
/// largest filter needs are in memory at a time, however many resizes there are.
public final class RowSink {
  /// The size of the picture that comes in rows.
  public let source: PixelSize
  /// Rows that have come.
  public private(set) var rows = 0

  private let resamplers: [RowResampler]
  private let bytesPerRow: Int
  /// Rows in the order in which they come, some of them; `nil` when they lie somewhere else.
  private let ring: UnsafeMutableRawBufferPointer?
  private let ringRows: Int
  private let pool: PixelPool

  /// Rows that may come between two looks at what can be made of them.
  private static let slackBytes = 256 << 10

  /// - Parameters:
  ///   - plans: Resizes of one picture, at least one; none that reduces first.
  ///   - rows: Where the rows of the picture are when they are announced by ``advance(by:)``; those from
  ///     ``firstNeededRow`` on stay there. `nil` for memory of its own.
  init(
    _ plans: [ResamplePlan], at rows: UnsafePointer<UInt8>? = nil, pool: PixelPool = .shared
  ) throws(ImagingError) {
    guard let first = plans.first else {
      throw .invalidParameter(name: "plans", reason: "there is nothing to make of the rows")
    }
    source = first.source
    self.pool = pool
    bytesPerRow = first.source.width * first.format.bytesPerPixel
    guard rows == nil else {
      ring = nil
      ringRows = first.source.height
      resamplers = try Self.resamplers(plans, from: rows, ringRows: ringRows, pool)
      return
    }
    let slack = max(16, Self.slackBytes / bytesPerRow)
    ringRows = min(first.source.height, plans.reduce(0) { max($0, $1.window) } + slack)
    guard let ring = pool.take(byteCount: ringRows * bytesPerRow) else {
      throw .outOfMemory(byteCount: ringRows * bytesPerRow)
    }
    self.ring = ring
    do throws(ImagingError) {
      let start = ring.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
      resamplers = try Self.resamplers(plans, from: start, ringRows: ringRows, pool)
    } catch {
      pool.giveBack(ring)
      throw error
    }
  }

  private static func resamplers(
    _ plans: [ResamplePlan], from ring: UnsafePointer<UInt8>?, ringRows: Int, _ pool: PixelPool
  ) throws(ImagingError) -> [RowResampler] {
    try plans.map { plan throws(ImagingError) in
      try RowResampler(plan, from: ring, ringRows: ringRows, pool: pool)
    }
  }

  deinit {
    if let ring { pool.giveBack(ring) }
  }

  /// The first row that is still needed, or will be.
  public var firstNeededRow: Int { resamplers.reduce(source.height) { min($0, $1.firstNeededRow) } }

  /// Where the next rows go, one after the other without gaps, and how many fit there: at least one as long as rows
  /// are missing, none when rows lie somewhere else.
  public var room: (start: UnsafeMutablePointer<UInt8>?, count: Int) {
    guard let base = ring?.baseAddress else { return (nil, 0) }
    let slot = rows % ringRows
    // Of the rows in the ring, those that are still needed stay.
    let kept = max(0, rows - firstNeededRow)
    let start = (base + slot * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    return (start, min(ringRows - slot, ringRows - kept, source.height - rows))
  }

  /// The next `count` rows are written.
  public func advance(by count: Int) {
    rows += count
    for resampler in resamplers { resampler.advance(by: count) }
  }

  /// Whether all rows have come.
  public var isComplete: Bool { rows == source.height }

  /// The resized pictures in the order of their plans, once all rows have come.
  func finished() -> [Bitmap]? {
    let bitmaps = resamplers.compactMap { $0.finished() }
    return bitmaps.count == resamplers.count ? bitmaps : nil
  }
}
