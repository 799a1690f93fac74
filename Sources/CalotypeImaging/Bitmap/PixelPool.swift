import CalotypeSupport
import Glibc

/// A pool of pixel buffers that are kept for the next image instead of being returned to the system.
///
/// Touching fresh pages costs a third of a JPEG decode; a reused buffer costs nothing. Released buffers are kept up to
/// ``byteLimit`` for about a second; others are freed. Large buffers have pages of their own, which return to the
/// system as soon as they are freed.
///
/// Contents are normally not cleared: the user of a buffer writes all of it. A pool that is shared by tenants who must
/// not see each other's pictures clears released buffers (``zeroOnReturn()``); pipelines enable that for ``shared``
/// with the first request that has a partition.
public final class PixelPool: Sendable {
  /// The default pool of decoders and transforms. It keeps at most 128 MiB, or a sixteenth of the memory that the
  /// process may use if that is less.
  public static let shared = PixelPool(byteLimit: min(128 << 20, SystemMemory.availableToThisProcess / 16))

  /// The contents and counters of a pool.
  public struct Statistics: Hashable, Sendable {
    /// Bytes of buffers in use.
    public var bytesInUse = 0
    /// Bytes of buffers kept for reuse.
    public var bytesIdle = 0
    /// The number of reused buffers.
    public var hits = 0
    /// The number of allocated buffers.
    public var misses = 0
  }

  /// A buffer that is kept for its next use.
  fileprivate struct IdleBuffer {
    /// The address; `UInt` because raw pointers are not `Sendable`.
    let address: UInt
    /// The round of the reclaimer in which it was released.
    let round: Int
  }

  fileprivate struct State {
    var byteLimit: Int
    /// Idle buffers by capacity, the oldest first.
    var idle: [Int: [IdleBuffer]] = [:]
    var statistics = Statistics()
    var round = 0
    /// A Boolean value that indicates whether released buffers are cleared.
    var zeroes = false
    /// A Boolean value that indicates whether the reclaimer knows that there are idle buffers.
    var isWatched = false
    /// Memory to take buffers from first; in sandboxed processes only.
    var arena: PixelArena?
    /// A Boolean value that indicates whether new buffers come from the arena.
    var usesArena = false
  }

  /// A buffer to free.
  fileprivate typealias Freed = (address: UInt, capacity: Int)

  private let state: Lock<State>
  private let reclaimer: IdleReclaimer
  /// The fill byte of new, exactly sized buffers; `nil`, the normal case, disables both.
  private let fill: UInt8?

  /// Creates a pool.
  ///
  /// - Parameters:
  ///   - byteLimit: The largest number of bytes of idle buffers.
  ///   - zeroesOnReturn: Pass true to clear released buffers, so that no error of a decoder can show pixels of another
  ///     image: for programs whose tenants must not see each other's pictures. Costs about 0.1 ms per megabyte.
  public convenience init(byteLimit: Int, zeroesOnReturn: Bool = false) {
    self.init(byteLimit: byteLimit, zeroesOnReturn: zeroesOnReturn, reclaimer: .shared)
  }

  init(
    byteLimit: Int, zeroesOnReturn: Bool = false, reclaimer: IdleReclaimer, fill: UInt8? = MemoryFill.byte
  ) {
    self.fill = fill
    state = Lock(State(byteLimit: max(0, byteLimit), zeroes: zeroesOnReturn))
    self.reclaimer = reclaimer
  }

  deinit {
    trim()
  }

  /// The largest number of idle bytes.
  public var byteLimit: Int { state.withLock { $0.byteLimit } }

  /// Changes the limit and frees the excess.
  public func setByteLimit(_ byteLimit: Int) {
    free(
      state.withLock { state in
        state.byteLimit = max(0, byteLimit)
        return state.makeRoom(for: 0)
      })
  }

  /// A Boolean value that indicates whether released buffers are cleared.
  public var zeroesOnReturn: Bool { state.withLock { $0.zeroes } }

  /// Clears released buffers from now on, including those in use, and frees the idle ones, so that no error of a
  /// decoder can show pixels of another image. Costs about 0.1 ms per megabyte; it cannot be turned off again.
  public func zeroOnReturn() {
    let isNew = state.withLock { state in
      defer { state.zeroes = true }
      return !state.zeroes
    }
    if isNew { trim(clearing: true) }
  }

  /// A snapshot of the counters.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Frees all idle buffers immediately.
  public func trim() { trim(clearing: false) }

  private func trim(clearing: Bool) {
    let idle = state.withLock { state in
      defer { state.idle = [:] }
      state.statistics.bytesIdle = 0
      return state.idle
    }
    for (capacity, buffers) in idle {
      for buffer in buffers {
        // malloc reuses freed memory for other purposes.
        if clearing { Self.clear(buffer.address, capacity: capacity) }
        Self.deallocate(buffer.address, capacity: capacity)
      }
    }
  }

  /// Takes a buffer of at least `byteCount` bytes, aligned to 64; returns `nil` if the system is out of memory.
  func take(byteCount: Int) -> UnsafeMutableRawBufferPointer? {
    if let fill { return takeExactly(byteCount, filledWith: fill) }
    let capacity = Self.capacity(for: byteCount)
    var arenaCount: Int?
    let reused = state.withLock { state -> UInt? in
      if state.usesArena, let buffer = state.arena?.take(byteCount: byteCount) {
        state.statistics.bytesInUse += buffer.byteCount
        state.statistics.hits += 1
        arenaCount = buffer.byteCount
        return buffer.address
      }
      state.statistics.bytesInUse += capacity
      if let buffer = state.idle[capacity]?.popLast() {
        if state.idle[capacity]?.isEmpty ?? false { state.idle[capacity] = nil }
        state.statistics.bytesIdle -= capacity
        state.statistics.hits += 1
        return buffer.address
      }
      state.statistics.misses += 1
      return nil
    }
    let address = reused ?? Self.allocate(capacity: capacity)
    guard let address, let base = UnsafeMutableRawPointer(bitPattern: address) else {
      state.withLock { $0.statistics.bytesInUse -= capacity }
      return nil
    }
    return UnsafeMutableRawBufferPointer(start: base, count: arenaCount ?? capacity)
  }

  /// Releases a buffer that came from ``take(byteCount:)``.
  func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let base = buffer.baseAddress else { return }
    if fill != nil {
      state.withLock { $0.statistics.bytesInUse -= buffer.count }
      return Glibc.free(base)
    }
    let isCleared = zeroesOnReturn
    let capacity = buffer.count
    let address = UInt(bitPattern: base)
    if isCleared { Self.clear(address, capacity: capacity) }
    let (freed, mustBeWatched) = state.withLock { state -> ([Freed], Bool) in
      state.statistics.bytesInUse -= capacity
      if let arena = state.arena, arena.contains(address) {
        state.arena?.giveBack(address, byteCount: capacity)
        return ([], false)
      }
      // If clearing has just been enabled, a buffer that was not cleared must not be kept.
      guard capacity <= state.byteLimit, isCleared || !state.zeroes else {
        return ([(address, capacity)], false)
      }
      // The newest buffer is the likeliest to be reused: buffers of other sizes, the largest first, make room.
      let freed = state.makeRoom(for: capacity)
      guard state.statistics.bytesIdle + capacity <= state.byteLimit else {
        return (freed + [(address, capacity)], false)
      }
      state.idle[capacity, default: []].append(IdleBuffer(address: address, round: state.round))
      state.statistics.bytesIdle += capacity
      defer { state.isWatched = true }
      return (freed, !state.isWatched)
    }
    if !isCleared, zeroesOnReturn, freed.contains(where: { $0.address == address }) {
      Self.clear(address, capacity: capacity)
    }
    free(freed)
    if mustBeWatched { reclaimer.watch(self) }
  }

  /// Allocates a separate buffer for each use by malloc, so that sanitizers know its end.
  private func takeExactly(_ byteCount: Int, filledWith byte: UInt8) -> UnsafeMutableRawBufferPointer? {
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, 64, max(1, byteCount)) == 0, let pointer else { return nil }
    memset(pointer, Int32(byte), max(1, byteCount))
    state.withLock { state in
      state.statistics.bytesInUse += byteCount
      state.statistics.misses += 1
    }
    return UnsafeMutableRawBufferPointer(start: pointer, count: byteCount)
  }

  private func free(_ buffers: [Freed]) {
    for buffer in buffers { Self.deallocate(buffer.address, capacity: buffer.capacity) }
  }
}

extension PixelPool {
  /// Takes over memory that lives as long as the process, for the buffers of ``usingArena(_:)``; a larger one at the same
  /// address extends it. Idle buffers are no longer kept, so that no thread is needed to free them.
  package func setArena(_ memory: UnsafeMutableRawBufferPointer) {
    setByteLimit(0)
    state.withLock { state in
      if state.arena == nil { state.arena = PixelArena(memory) } else { state.arena?.grow(to: memory.count) }
    }
  }

  /// Takes new buffers from the arena during a call, as long as there is room.
  package func usingArena<Result>(_ body: () throws(ImagingError) -> Result) throws(ImagingError) -> Result {
    state.withLock { $0.usesArena = true }
    defer { state.withLock { $0.usesArena = false } }
    return try body()
  }

  /// Bytes of buffers of the arena in use.
  package var arenaBytesInUse: Int { state.withLock { $0.arena?.bytesInUse ?? 0 } }
}

extension PixelPool: IdleReclaiming {
  /// The number of rounds of the reclaimer before an idle buffer is freed: 1 to 1.5 seconds.
  static let idleRounds = 3

  /// Frees the buffers that were not used in the last rounds, even if others of their size are in use.
  package func reclaimIdle() -> Bool {
    let (freed, isWatched) = state.withLock { state -> ([Freed], Bool) in
      state.round += 1
      let freed = state.takeIdle(since: state.round - Self.idleRounds)
      state.isWatched = !state.idle.isEmpty
      return (freed, state.isWatched)
    }
    free(freed)
    return isWatched
  }
}

extension PixelPool.State {
  /// Removes buffers until `capacity` bytes may be added: buffers of other sizes first, the largest before others.
  fileprivate mutating func makeRoom(for capacity: Int) -> [PixelPool.Freed] {
    var freed: [PixelPool.Freed] = []
    while statistics.bytesIdle + capacity > byteLimit {
      guard let size = idle.keys.filter({ $0 != capacity }).max(), let old = idle[size]?.popLast() else {
        break
      }
      if idle[size]?.isEmpty ?? true { idle[size] = nil }
      statistics.bytesIdle -= size
      freed.append((old.address, size))
    }
    return freed
  }

  /// Removes the buffers that were released in that round or before.
  fileprivate mutating func takeIdle(since round: Int) -> [PixelPool.Freed] {
    var freed: [PixelPool.Freed] = []
    for (size, buffers) in idle {
      let expired = buffers.prefix { $0.round <= round }
      guard !expired.isEmpty else { continue }
      freed += expired.map { ($0.address, size) }
      statistics.bytesIdle -= expired.count * size
      idle[size] = expired.count == buffers.count ? nil : Array(buffers[expired.count...])
    }
    return freed
  }
}

extension PixelPool {
  /// Rounds up to one of four sizes per power of two, so that images of about one size share buffers.
  static func capacity(for byteCount: Int) -> Int {
    let wanted = max(byteCount, 256)
    let step = max(64, (1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)) >> 2)
    return (wanted + step - 1) / step * step
  }

  private static func allocate(capacity: Int) -> UInt? {
    if capacity >= PageMemory.threshold {
      return PageMemory.allocate(byteCount: capacity, prefersHugePages: true).map { UInt(bitPattern: $0) }
    }
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, 64, capacity) == 0, let pointer else { return nil }
    return UInt(bitPattern: pointer)
  }

  private static func clear(_ address: UInt, capacity: Int) {
    if let pointer = UnsafeMutableRawPointer(bitPattern: address) { memset(pointer, 0, capacity) }
  }

  private static func deallocate(_ address: UInt, capacity: Int) {
    guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else { return }
    if capacity >= PageMemory.threshold {
      PageMemory.deallocate(pointer, byteCount: capacity)
    } else {
      Glibc.free(pointer)
    }
  }
}
