import CDeflate
import CPixels
import FoundationEssentials
import Glibc

/// A compressor of filtered rows: in one call by libdeflate, which makes a smaller file in a quarter of the time, or by
/// zlib if the filtered rows are larger than 64 MiB.
enum PNGDeflater {
  private static let wholeLimit = 64 << 20

  /// Returns the zlib stream of an area of a picture.
  ///
  /// - Throws: `outOfMemory`, `cancelled`, `encodingFailed`.
  static func stream(
    _ samples: PNGSamples, area: PixelRectangle, effort: EncodeOptions.Effort
  ) throws(ImagingError) -> Data {
    let rows = try PNGFilteredRows(samples, area: area)
    let byteCount = try rows.byteCount
    if byteCount <= wholeLimit { return try whole(rows, byteCount: byteCount, effort) }
    return try streamed(rows, effort)
  }

  /// Returns the zlib stream of some bytes.
  static func stream(_ bytes: Data) throws(ImagingError) -> Data {
    guard let compressor = libdeflate_alloc_compressor(9) else { throw .outOfMemory(byteCount: 0) }
    defer { libdeflate_free_compressor(compressor) }
    var result = [UInt8](repeating: 0, count: libdeflate_zlib_compress_bound(compressor, bytes.count))
    let count = bytes.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        libdeflate_zlib_compress(
          compressor, source.baseAddress, source.count, target.baseAddress, target.count)
      }
    }
    return Data(result[..<count])
  }

  private static func level(_ effort: EncodeOptions.Effort) -> CInt {
    switch effort {
    case .fast: 1
    case .balanced: 6
    case .small: 9
    }
  }

  private static func whole(
    _ rows: PNGFilteredRows, byteCount: Int, _ effort: EncodeOptions.Effort
  ) throws(ImagingError) -> Data {
    let pool = PixelPool.shared
    guard let compressor = libdeflate_alloc_compressor(level(effort)) else {
      throw .outOfMemory(byteCount: 0)
    }
    defer { libdeflate_free_compressor(compressor) }
    let bound = libdeflate_zlib_compress_bound(compressor, byteCount)
    guard let filtered = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    defer { pool.giveBack(filtered) }
    guard let result = pool.take(byteCount: bound) else { throw .outOfMemory(byteCount: bound) }
    defer { pool.giveBack(result) }
    var offset = 0
    try rows.forEach { row throws(ImagingError) in
      UnsafeMutableRawBufferPointer(rebasing: filtered[offset...]).copyMemory(from: row)
      offset += row.count
    }
    if Task.isCancelled { throw .cancelled }
    let count = libdeflate_zlib_compress(
      compressor, filtered.baseAddress, byteCount, result.baseAddress, result.count)
    guard count > 0 else { throw .encodingFailed(.png, reason: "libdeflate made nothing of the rows") }
    return Data(result[..<count])
  }

  private static func streamed(
    _ rows: PNGFilteredRows, _ effort: EncodeOptions.Effort
  ) throws(ImagingError) -> Data {
    // zlib keeps the address of the stream: it must not move.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard deflateInit_(stream, level(effort), ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .outOfMemory(byteCount: 0)
    }
    defer { deflateEnd(stream) }
    var result = Data()
    var block = [UInt8](repeating: 0, count: 256 << 10)
    let run = { (flush: CInt) throws(ImagingError) in
      while true {
        let (status, made) = block.withUnsafeMutableBufferPointer { block in
          stream.pointee.next_out = block.baseAddress
          stream.pointee.avail_out = uInt(block.count)
          let status = deflate(stream, flush)
          return (status, block.count - Int(stream.pointee.avail_out))
        }
        result.append(contentsOf: block[..<made])
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
          throw ImagingError.encodingFailed(.png, reason: "zlib error \(status)")
        }
        if made < block.count { return }
      }
    }
    try rows.forEach { row throws(ImagingError) in
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: row.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = uInt(row.count)
      try run(Z_NO_FLUSH)
    }
    try run(Z_FINISH)
    return result
  }
}

/// The rows of a picture, or of its passes, each with the filter that promises the smallest result (12.7).
struct PNGFilteredRows {
  private let samples: PNGSamples
  private let area: PixelRectangle
  private let passes: [PNGPass]

  /// Creates the rows of an area; with interlacing, it is the whole picture.
  init(_ samples: PNGSamples, area: PixelRectangle) throws(ImagingError) {
    self.samples = samples
    self.area = area
    passes = PNGPass.all(of: samples.header.resized(to: area.size))
  }

  /// Bytes of the longest row with its filter type.
  private var rowLength: Int { samples.header.rowBytes(width: area.size.width) + 1 }

  /// Bytes of all rows with their filter types.
  ///
  /// - Throws: `outOfMemory` if the number overflows.
  var byteCount: Int {
    get throws(ImagingError) { try samples.header.inflatedBytes(passes) }
  }

  /// Calls `body` with each filtered row. Checks for cancellation every 256 KiB.
  func forEach(
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    // Two rows of samples, the filtered row, one for trials, and a row of which a pass takes a part.
    guard let memory = malloc(5 * rowLength) else { throw .outOfMemory(byteCount: 5 * rowLength) }
    defer { free(memory) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var (current, previous) = (bytes, bytes + rowLength)
    let (filtered, scratch, whole) = (bytes + 2 * rowLength, bytes + 3 * rowLength, bytes + 4 * rowLength)
    let step = CInt(max(1, samples.header.bitsPerPixel / 8))
    let level = cpx_best_level()
    let rowsBetweenChecks = max(1, (256 << 10) / rowLength)
    try samples.bitmap.withUnsafeBytes { pixels throws(ImagingError) in
      guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for pass in passes {
        let rowBytes = samples.header.rowBytes(width: pass.size.width)
        for y in 0..<pass.size.height {
          if y % rowsBetweenChecks == 0 && Task.isCancelled { throw .cancelled }
          if samples.header.isInterlaced {
            samples.write(row: y, of: pass, base, to: current, scratch: whole)
          } else {
            samples.write(row: y, of: area, base, to: current)
          }
          if samples.filters {
            cpng_filter(current, y > 0 ? previous : nil, rowBytes, step, filtered, scratch, level)
          } else {
            filtered[0] = 0
            memcpy(filtered + 1, current, rowBytes)
          }
          try body(UnsafeRawBufferPointer(start: filtered, count: rowBytes + 1))
          swap(&current, &previous)
        }
      }
    }
  }
}
