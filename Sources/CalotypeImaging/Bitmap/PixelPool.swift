import CalotypeSupport
import Glibc

/// Buffers for pixels, kept for the next image instead of being given back to the system.
///
/// Touching fresh pages costs a third of a JPEG decode; a buffer that was used before costs nothing. Released
/// buffers are kept up to ``byteLimit``; beyond it others are freed. Contents are never cleared: whoever
/// takes a buffer writes all of it.
public final class PixelPool: Sendable {
  /// The pool that decoders and transforms use unless told otherwise: keeps at most 128 MiB.
  public static let shared = PixelPool(byteLimit: 128 << 20)

  /// What a pool holds and has done.
  public struct Statistics: Hashable, Sendable {
    /// Bytes of buffers in use.
    public var bytesInUse = 0
    /// Bytes of buffers kept for reuse.
    public var bytesIdle = 0
    /// Buffers taken that were used before.
    public var hits = 0
    /// Buffers taken that had to be allocated.
    public var misses = 0
  }

  /// Idle bytes kept at most.
  public let byteLimit: Int

  private struct State {
    /// Idle buffers by capacity. `UInt` because raw pointers are not `Sendable`.
    var idle: [Int: [UInt]] = [:]
    var statistics = Statistics()
  }

  private let state = Lock(State())

  /// Creates a pool that keeps at most `byteLimit` bytes of idle buffers.
  public init(byteLimit: Int) {
    self.byteLimit = max(0, byteLimit)
  }

  deinit {
    trim()
  }

  /// A snapshot of the counters.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Frees all idle buffers.
  public func trim() {
    let freed = state.withLock { state in
      let idle = state.idle
      state.idle = [:]
      state.statistics.bytesIdle = 0
      return idle
    }
    for addresses in freed.values {
      for address in addresses { Self.deallocate(address) }
    }
  }

  /// A buffer of at least `byteCount` bytes, aligned to 64, or `nil` when the system has no memory left.
  func take(byteCount: Int) -> UnsafeMutableRawBufferPointer? {
    let capacity = Self.capacity(for: byteCount)
    let reused = state.withLock { state -> UInt? in
      state.statistics.bytesInUse += capacity
      if let address = state.idle[capacity]?.popLast() {
        if state.idle[capacity]?.isEmpty ?? false { state.idle[capacity] = nil }
        state.statistics.bytesIdle -= capacity
        state.statistics.hits += 1
        return address
      }
      state.statistics.misses += 1
      return nil
    }
    let address = reused ?? Self.allocate(capacity: capacity)
    guard let address, let base = UnsafeMutableRawPointer(bitPattern: address) else {
      state.withLock { $0.statistics.bytesInUse -= capacity }
      return nil
    }
    return UnsafeMutableRawBufferPointer(start: base, count: capacity)
  }

  /// Gives back a buffer that came from ``take(byteCount:)``.
  func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let base = buffer.baseAddress else { return }
    let capacity = buffer.count
    let address = UInt(bitPattern: base)
    let freed = state.withLock { state -> [UInt] in
      state.statistics.bytesInUse -= capacity
      guard capacity <= byteLimit else { return [address] }
      // The newest is the likeliest to be asked for again: buffers of other sizes, the largest first, make room.
      var freed: [UInt] = []
      while state.statistics.bytesIdle + capacity > byteLimit {
        guard let size = state.idle.keys.filter({ $0 != capacity }).max(),
          let old = state.idle[size]?.popLast()
        else { return freed + [address] }
        if state.idle[size]?.isEmpty ?? true { state.idle[size] = nil }
        state.statistics.bytesIdle -= size
        freed.append(old)
      }
      state.idle[capacity, default: []].append(address)
      state.statistics.bytesIdle += capacity
      return freed
    }
    for address in freed { Self.deallocate(address) }
  }

  /// Rounds up to one of four sizes per power of two, so that images of about one size share buffers.
  static func capacity(for byteCount: Int) -> Int {
    let wanted = max(byteCount, 256)
    let step = max(64, (1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)) >> 2)
    return (wanted + step - 1) / step * step
  }

  private static let hugePage = 2 << 20

  private static func allocate(capacity: Int) -> UInt? {
    var pointer: UnsafeMutableRawPointer?
    // Large buffers start at a huge page, so that the kernel can back them with few, large pages.
    let isLarge = capacity >= 2 * hugePage
    guard posix_memalign(&pointer, isLarge ? hugePage : 64, capacity) == 0, let pointer else { return nil }
    if isLarge { madvise(pointer, capacity, MADV_HUGEPAGE) }
    return UInt(bitPattern: pointer)
  }

  private static func deallocate(_ address: UInt) {
    free(UnsafeMutableRawPointer(bitPattern: address))
  }
}
