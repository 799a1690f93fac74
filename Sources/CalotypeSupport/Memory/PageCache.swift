import Glibc

/// Recycles the pages of released buffers: touching fresh pages costs half a millisecond per megabyte.
///
/// Unused pages return to the system after about a second.
package final class PageCache: Sendable {
  /// The shared cache: at most 32 MiB, or 1/32 of the memory that the process may use if that is less.
  package static let shared = PageCache(byteLimit: min(32 << 20, SystemMemory.availableToThisProcess / 32))

  private struct Pages {
    /// `UInt` because raw pointers are not `Sendable`.
    let address: UInt
    let capacity: Int
    /// The round of the reclaimer in which they were returned.
    let round: Int
  }

  private struct State {
    /// Oldest first.
    var idle: [Pages] = []
    var byteCount = 0
    var round = 0
    var isWatched = false

    mutating func remove(at index: Int) -> Pages {
      let pages = idle.remove(at: index)
      byteCount -= pages.capacity
      return pages
    }
  }

  /// The rounds of the reclaimer after which idle pages are unmapped: 1 to 1.5 seconds.
  static let idleRounds = 3

  private let byteLimit: Int
  private let reclaimer: IdleReclaimer
  private let state = Lock(State())

  package init(byteLimit: Int, reclaimer: IdleReclaimer = .shared) {
    self.byteLimit = byteLimit
    self.reclaimer = reclaimer
  }

  deinit {
    for pages in state.withLock({ $0.idle }) { Self.unmap(pages) }
  }

  /// The bytes in the cache.
  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// Unmaps all cached pages now.
  package func trim() {
    let idle = state.withLock { state in
      defer { (state.idle, state.byteCount) = ([], 0) }
      return state.idle
    }
    for pages in idle { Self.unmap(pages) }
  }

  /// Takes pages of about `wanted` bytes, possibly fewer; `nil` when none fit. Their contents are undefined.
  func take(capacity wanted: Int) -> (start: UnsafeMutableRawPointer, capacity: Int)? {
    let pages = state.withLock { state -> Pages? in
      // The newest that suffice and are not far too large, or else the largest smaller ones.
      let fitting = state.idle.lastIndex { $0.capacity >= wanted && $0.capacity / 4 <= wanted }
      let smaller = state.idle.indices.filter { state.idle[$0].capacity < wanted }
        .max { state.idle[$0].capacity < state.idle[$1].capacity }
      return (fitting ?? smaller).map { state.remove(at: $0) }
    }
    guard let pages, let start = UnsafeMutableRawPointer(bitPattern: pages.address) else { return nil }
    return (start, pages.capacity)
  }

  /// Keeps pages for the next buffer, or unmaps them when the cache is full.
  func giveBack(_ start: UnsafeMutableRawPointer, capacity: Int) {
    let (isKept, mustBeWatched) = state.withLock { state -> (Bool, Bool) in
      guard state.byteCount + capacity <= byteLimit else { return (false, false) }
      state.idle.append(Pages(address: UInt(bitPattern: start), capacity: capacity, round: state.round))
      state.byteCount += capacity
      defer { state.isWatched = true }
      return (true, !state.isWatched)
    }
    if !isKept { PageMemory.deallocate(start, byteCount: capacity) }
    if mustBeWatched { reclaimer.watch(self) }
  }

  private static func unmap(_ pages: Pages) {
    guard let start = UnsafeMutableRawPointer(bitPattern: pages.address) else { return }
    PageMemory.deallocate(start, byteCount: pages.capacity)
  }
}

extension PageCache: IdleReclaiming {
  package func reclaimIdle() -> Bool {
    let (expired, isWatched) = state.withLock { state -> ([Pages], Bool) in
      state.round += 1
      let count = state.idle.prefix { $0.round <= state.round - Self.idleRounds }.count
      let expired = (0..<count).map { _ in state.remove(at: 0) }
      state.isWatched = !state.idle.isEmpty
      return (expired, state.isWatched)
    }
    for pages in expired { Self.unmap(pages) }
    return isWatched
  }
}
