import CPixels
import Glibc

/// The way to choose the filters of rows (12.7).
enum PNGFilter: Hashable {
  /// No filter: drawings repeat bytes, and filters would make them differ.
  case none
  /// For each row, the filter with the least sum of absolute differences.
  case leastSum
  /// For each row, the filter with the fewest different pairs of neighbouring bytes.
  case fewestPairs
  /// For each band of rows, none or the least sum, by an estimate of the compressed size.
  case bands
}

/// The filtered rows of a picture, of its passes, or of a sample of it.
struct PNGFilteredRows {
  private let samples: PNGSamples
  private let area: PixelRectangle
  private let filter: PNGFilter
  private let passes: [PNGPass]
  /// The first rows of the bands of a sample, which does not have passes; `nil` for all rows.
  private let bands: [Int]?
  private static let bandHeight = 16

  /// Creates the rows of an area; with interlacing, it is the whole picture.
  init(_ samples: PNGSamples, area: PixelRectangle, filter: PNGFilter) {
    (self.samples, self.area, self.filter) = (samples, area, filter)
    passes = PNGPass.all(of: samples.header.resized(to: area.size))
    bands = nil
  }

  /// Creates a sample: bands of rows, evenly spread over the area, of about `byteCount` bytes.
  init(_ samples: PNGSamples, area: PixelRectangle, filter: PNGFilter, sampleOf byteCount: Int) {
    (self.samples, self.area, self.filter) = (samples, area, filter)
    let header = samples.header
    let plain = PNGHeader(
      size: area.size, bitDepth: header.bitDepth, colorType: header.colorType, isInterlaced: false)
    passes = PNGPass.all(of: plain)
    let height = area.size.height
    let bandBytes = Self.bandHeight * (plain.rowBytes(width: area.size.width) + 1)
    let count = min(max(1, byteCount / bandBytes), max(1, height / Self.bandHeight))
    bands = (0..<count).map { ((2 * $0 + 1) * max(0, height - Self.bandHeight)) / (2 * count) }
  }

  /// Bytes of the longest row with its filter type.
  private var rowLength: Int { samples.header.rowBytes(width: area.size.width) + 1 }

  /// Bytes of all rows with their filter types.
  ///
  /// - Throws: `outOfMemory` if the number overflows.
  var byteCount: Int {
    get throws(ImagingError) {
      guard let bands else { return try samples.header.inflatedBytes(passes) }
      return bands.count * min(Self.bandHeight, area.size.height) * rowLength
    }
  }

  /// Calls `body` with all filtered rows in turn, one or several at a time. Checks for cancellation every 256 KiB.
  ///
  /// - Returns: The facts about rows that are filtered in bands; `nil` for other ways.
  @discardableResult
  func forEach(
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) -> PNGBandFilter.Facts? {
    // Two rows of samples, the filtered row, one for trials, and the source pixels of a pass with a byte for each.
    let scratchBytes = area.size.width * (samples.bytesPerPixel + 1)
    let byteCount = 4 * rowLength + scratchBytes
    guard let memory = malloc(byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    defer { free(memory) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    let rows = Rows(
      current: bytes, previous: bytes + rowLength, filtered: bytes + 2 * rowLength,
      trial: bytes + 3 * rowLength, scratch: bytes + 4 * rowLength)
    let bandFilter = filter == .bands ? try PNGBandFilter(rowLength: rowLength) : nil
    try samples.withPixels { base throws(ImagingError) in
      if let bands {
        let height = min(Self.bandHeight, area.size.height)
        for band in bands { try filter(passes[0], rows: band..<band + height, base, rows, bandFilter, body) }
      } else {
        for pass in passes { try filter(pass, rows: 0..<pass.size.height, base, rows, bandFilter, body) }
      }
    }
    return bandFilter?.facts
  }

  private struct Rows {
    var current, previous, filtered, trial, scratch: UnsafeMutablePointer<UInt8>
  }

  private func filter(
    _ pass: PNGPass, rows range: Range<Int>, _ base: UnsafePointer<UInt8>, _ rows: Rows,
    _ bandFilter: PNGBandFilter?,
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    var rows = rows
    let rowBytes = samples.header.rowBytes(width: pass.size.width)
    let step = CInt(max(1, samples.header.bitsPerPixel / 8))
    let level = cpx_best_level()
    let rowsBetweenChecks = max(1, (256 << 10) / rowLength)
    let pixelBytes = samples.bytesPerPixel
    func write(_ y: Int, to target: UnsafeMutablePointer<UInt8>) {
      let row = area.y + pass.y + y * pass.dy
      let first = row * samples.header.size.width + area.x + pass.x
      samples.write(
        base + first * pixelBytes, step: pass.dx, count: pass.size.width, to: target, scratch: rows.scratch)
    }
    // The row above a band is known.
    if range.lowerBound > 0 { write(range.lowerBound - 1, to: rows.previous) }
    for y in range {
      if y % rowsBetweenChecks == 0 && Task.isCancelled { throw .cancelled }
      write(y, to: rows.current)
      let above = y > 0 ? rows.previous : nil
      switch filter {
      case .bands:
        try bandFilter?.add(
          rows.current, above: above, rowBytes: rowBytes, step: step, trial: rows.trial, body)
      case .none:
        rows.filtered[0] = 0
        memcpy(rows.filtered + 1, rows.current, rowBytes)
      case .leastSum:
        cpng_filter(rows.current, above, rowBytes, step, rows.filtered, rows.trial, level)
      case .fewestPairs: cpng_filter_pairs(rows.current, above, rowBytes, step, rows.filtered, rows.trial)
      }
      // A band is handed on when its last row is there.
      if bandFilter == nil { try body(UnsafeRawBufferPointer(start: rows.filtered, count: rowBytes + 1)) }
      (rows.current, rows.previous) = (rows.previous, rows.current)
    }
    try bandFilter?.finishPass(rowBytes: rowBytes, body)
  }
}
