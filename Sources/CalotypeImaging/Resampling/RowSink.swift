/// A sink for the rows of a picture, once from top to bottom, that feeds one or more resizes of it.
///
/// The caller asks for ``room``, writes rows there and announces them with ``advance(by:)``; `finished()` returns the
/// results. Each of the pictures is the one that ``Bitmap/resampled(to:from:filter:linearLight:pool:)`` gives for the
/// whole picture. Only the rows that the largest filter needs are in memory at a time, for any number of resizes.
public final class RowSink {
  /// The size of the source picture.
  public let source: PixelSize
  /// The number of rows that have arrived.
  public private(set) var rows = 0

  private let resamplers: [RowResampler]
  private let bytesPerRow: Int
  /// The newest rows in order; `nil` if the caller stores them.
  private let ring: UnsafeMutableRawBufferPointer?
  private let ringRows: Int
  private let pool: PixelPool
  /// The conversion of rows, and the memory in which they arrive.
  private let conversion: RowConversion?
  private let arrivals: UnsafeMutableRawBufferPointer?

  /// Bytes of rows that may arrive between two attempts to make output rows.
  private static let slackBytes = 256 << 10
  /// Rows that may arrive between two conversions.
  private static let arrivalRows = 8

  /// - Parameters:
  ///   - plans: Plans of one picture, at least one; none with a reduction.
  ///   - rows: The location of rows that ``advance(by:)`` announces; those from ``firstNeededRow`` on stay there. `nil`
  ///     allocates memory.
  ///   - conversion: Converts rows that arrive in another format than that of the plans; not together with `rows`.
  init(
    _ plans: [ResamplePlan], at rows: UnsafePointer<UInt8>? = nil,
    converting conversion: RowConversion? = nil,
    pool: PixelPool = .shared
  ) throws(ImagingError) {
    guard let first = plans.first else {
      throw .invalidParameter(name: "plans", reason: "there is nothing to make of the rows")
    }
    source = first.source
    self.pool = pool
    bytesPerRow = first.source.width * first.format.bytesPerPixel
    self.conversion = conversion
    guard rows == nil else {
      ring = nil
      arrivals = nil
      ringRows = first.source.height
      resamplers = try Self.resamplers(plans, from: rows, ringRows: ringRows, pool)
      return
    }
    // Planes have fewer bytes, and there are several of them.
    let slack = max(16, Self.slackBytes / max(bytesPerRow, 4 * first.source.width))
    ringRows = min(first.source.height, plans.reduce(0) { max($0, $1.window) } + slack)
    guard let ring = pool.take(byteCount: ringRows * bytesPerRow) else {
      throw .outOfMemory(byteCount: ringRows * bytesPerRow)
    }
    self.ring = ring
    let arrivalBytes = (conversion?.bytesPerPixel ?? 0) * source.width * Self.arrivalRows
    arrivals = conversion == nil ? nil : pool.take(byteCount: arrivalBytes)
    guard conversion == nil || arrivals != nil else {
      pool.giveBack(ring)
      throw .outOfMemory(byteCount: arrivalBytes)
    }
    do throws(ImagingError) {
      let start = ring.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
      resamplers = try Self.resamplers(plans, from: start, ringRows: ringRows, pool)
    } catch {
      pool.giveBack(ring)
      if let arrivals { pool.giveBack(arrivals) }
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
    if let arrivals { pool.giveBack(arrivals) }
  }

  /// The first row that is still needed, now or later.
  public var firstNeededRow: Int { resamplers.reduce(source.height) { min($0, $1.firstNeededRow) } }

  /// The target of the next rows, which are written without gaps, and its capacity in rows: at least one while rows are
  /// missing, none if the caller stores rows.
  public var room: (start: UnsafeMutablePointer<UInt8>?, count: Int) {
    guard let base = ring?.baseAddress else { return (nil, 0) }
    let slot = rows % ringRows
    // Rows in the ring that are still needed stay.
    let kept = max(0, rows - firstNeededRow)
    let count = min(ringRows - slot, ringRows - kept, source.height - rows)
    if let arrivals {
      return (arrivals.baseAddress?.assumingMemoryBound(to: UInt8.self), min(count, Self.arrivalRows))
    }
    return ((base + slot * bytesPerRow).assumingMemoryBound(to: UInt8.self), count)
  }

  /// Announces that the next `count` rows have been written.
  public func advance(by count: Int) {
    if let conversion, let from = arrivals?.baseAddress, let to = ring?.baseAddress {
      // Rows that arrive together are adjacent in the ring.
      conversion.convert(from, to + rows % ringRows * bytesPerRow, count * source.width)
    }
    rows += count
    for resampler in resamplers { resampler.advance(by: count) }
  }

  /// A Boolean value that indicates whether all rows have arrived.
  public var isComplete: Bool { rows == source.height }

  /// Returns the resized pictures in the order of their plans, after all rows have arrived.
  func finished() -> [Bitmap]? {
    let bitmaps = resamplers.compactMap { $0.finished() }
    return bitmaps.count == resamplers.count ? bitmaps : nil
  }
}
