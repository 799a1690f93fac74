/// A region of memory that a ``PixelPool`` takes buffers from before it asks the system: shared memory, so that results need
/// no copy to be seen by another process.
///
/// First fit, over a list of free ranges in ascending order; neighbours are merged.
struct PixelArena {
  private struct Range {
    var start: Int
    var end: Int
  }

  private let base: UInt
  private(set) var byteCount: Int
  private var free: [Range]
  /// Bytes of buffers in use.
  private(set) var bytesInUse = 0

  /// Takes over memory that lives as long as the process.
  init(_ memory: UnsafeMutableRawBufferPointer) {
    base = UInt(bitPattern: memory.baseAddress)
    byteCount = memory.count
    free = memory.count > 0 ? [Range(start: 0, end: memory.count)] : []
  }

  /// Adds memory behind the end.
  mutating func grow(to count: Int) {
    guard count > byteCount else { return }
    release(byteCount..<count)
    byteCount = count
  }

  /// Returns true if the address lies within the region.
  func contains(_ address: UInt) -> Bool { address >= base && address - base < UInt(byteCount) }

  /// Returns the address and size of a buffer, aligned to 64; `nil` if there is no room.
  mutating func take(byteCount wanted: Int) -> (address: UInt, byteCount: Int)? {
    guard wanted <= byteCount else { return nil }
    let count = max(64, (wanted + 63) & ~63)
    guard let index = free.firstIndex(where: { $0.end - $0.start >= count }) else { return nil }
    let start = free[index].start
    free[index].start += count
    if free[index].start == free[index].end { free.remove(at: index) }
    bytesInUse += count
    return (base + UInt(start), count)
  }

  /// Takes back a buffer.
  mutating func giveBack(_ address: UInt, byteCount count: Int) {
    let start = Int(address - base)
    bytesInUse -= count
    release(start..<start + count)
  }

  private mutating func release(_ range: Swift.Range<Int>) {
    let index = free.firstIndex { $0.start >= range.lowerBound } ?? free.count
    let joinsNext = index < free.count && free[index].start == range.upperBound
    let joinsLast = index > 0 && free[index - 1].end == range.lowerBound
    switch (joinsLast, joinsNext) {
    case (true, true):
      free[index - 1].end = free[index].end
      free.remove(at: index)
    case (true, false): free[index - 1].end = range.upperBound
    case (false, true): free[index].start = range.lowerBound
    case (false, false): free.insert(Range(start: range.lowerBound, end: range.upperBound), at: index)
    }
  }
}
