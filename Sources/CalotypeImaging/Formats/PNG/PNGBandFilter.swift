import CPixels
import Glibc

/// A filter that leaves each band of rows either as it is or filters its rows by the least sum, as an estimate promises fewer
/// bits: pictures that mix drawings and photographs need both.
///
/// Rows are handed on a band at a time.
final class PNGBandFilter {
  /// The most rows of a band, and the bytes that it may take unless one row is longer.
  private static let height = 64
  private static let largestBand = 256 << 10
  /// The share of rows that settle a clear case: photographs need no look at all of their rows.
  private static let firstShare = 4
  /// Rows that repeat much do so more than the estimate finds; of others, no filter needs to be clearly better.
  private static let bias = 1.04
  /// The most bits for a byte of rows that repeat much.
  private static let repeating = 2.0
  /// The advantage of filtered rows in the first part of a band that settles the case.
  private static let clear = 0.8

  /// The rows of a band behind those of the band before, which the estimate looks back to.
  private struct Version {
    let bytes: UnsafeMutablePointer<UInt8>
    let matches: UnsafeMutablePointer<cpng_matches>
  }

  private let memory: UnsafeMutableRawPointer
  private let rowLength: Int
  private let capacity: Int
  private let plain: Version
  private let summed: Version
  /// Rows of the band, and of the band before.
  private var count = 0
  private var earlier = 0
  /// The facts about the bands so far.
  private(set) var facts = Facts()

  /// How many bytes there are, with those that were filtered, and about how many bits they need.
  struct Facts: Hashable {
    var byteCount = 0
    var filteredBytes = 0
    var bits = 0.0

    /// A Boolean value that indicates whether most bytes are filtered.
    var isFiltered: Bool { 2 * filteredBytes > byteCount }
    /// A Boolean value that indicates whether little is left of the bytes, as of drawings of flat areas.
    var isRepetitive: Bool { bits < 0.25 * Double(byteCount) }
  }

  /// Creates a filter of rows of `rowLength` bytes with their filter types.
  ///
  /// - Throws: `outOfMemory`.
  init(rowLength: Int) throws(ImagingError) {
    self.rowLength = rowLength
    capacity = min(max(1, Self.largestBand / rowLength), Self.height)
    let band = 2 * capacity * rowLength
    let table = MemoryLayout<cpng_matches>.stride
    guard let memory = calloc(1, 2 * (band + table)) else {
      throw .outOfMemory(byteCount: 2 * (band + table))
    }
    self.memory = memory
    let bytes = (memory + 2 * table).assumingMemoryBound(to: UInt8.self)
    plain = Version(bytes: bytes, matches: memory.assumingMemoryBound(to: cpng_matches.self))
    summed = Version(
      bytes: bytes + band, matches: (memory + table).assumingMemoryBound(to: cpng_matches.self))
  }

  deinit { free(memory) }

  /// Adds a row of `rowBytes` bytes, at most `rowLength - 1`, and calls `body` with the rows of the band if it is complete.
  func add(
    _ row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>?, rowBytes: Int, step: CInt,
    trial: UnsafeMutablePointer<UInt8>,
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    let offset = (earlier + count) * (rowBytes + 1)
    plain.bytes[offset] = 0
    memcpy(plain.bytes + offset + 1, row, rowBytes)
    cpng_filter(row, above, rowBytes, step, summed.bytes + offset, trial, cpx_best_level())
    count += 1
    if count == capacity { try finishBand(rowBytes: rowBytes, body) }
  }

  /// Calls `body` with the rows of the last band of a pass.
  func finishPass(
    rowBytes: Int, _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    if count > 0 { try finishBand(rowBytes: rowBytes, body) }
    // The next pass has rows of another length.
    earlier = 0
  }

  private func finishBand(
    rowBytes: Int, _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    let length = rowBytes + 1
    let first = (count + Self.firstShare - 1) / Self.firstShare
    let history = earlier * length
    var plainBits = cpng_cost(plain.matches, plain.bytes + history, history, first * length)
    var summedBits = cpng_cost(summed.matches, summed.bytes + history, history, first * length)
    let rest = (count - first) * length
    if summedBits < plainBits * Self.clear {
      for version in [plain, summed] { cpng_skip(version.matches, rest) }
      let scale = Double(count) / Double(first)
      (plainBits, summedBits) = (plainBits * scale, summedBits * scale)
    } else {
      let known = history + first * length
      plainBits += cpng_cost(plain.matches, plain.bytes + known, known, rest)
      summedBits += cpng_cost(summed.matches, summed.bytes + known, known, rest)
    }
    let repeats = plainBits < Self.repeating * Double(count * length)
    let isFiltered = plainBits > summedBits * (repeats ? Self.bias : 1 / Self.bias)
    let chosen = isFiltered ? summed : plain
    facts.byteCount += count * length
    if isFiltered { facts.filteredBytes += count * length }
    facts.bits += isFiltered ? summedBits : plainBits
    try body(UnsafeRawBufferPointer(start: chosen.bytes + history, count: count * length))
    for version in [plain, summed] { memmove(version.bytes, version.bytes + history, count * length) }
    (earlier, count) = (count, 0)
  }
}
