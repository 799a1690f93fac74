import Glibc

/// Pages of buffers that were released a moment ago, for the next ones: touching fresh pages costs half a millisecond a
/// megabyte.
///
/// What nobody asks for goes back to the system after about a second.
package final class PageCache: Sendable {
  /// The one that everybody shares: at most 32 MiB.
  package static let shared = PageCache(byteLimit: 32 << 20)

  private struct Pages {
    /// `UInt` because raw pointers are not `Sendable`.
    let address: UInt
    let capacity: Int
    /// The round of the reclaimer before which they were given back.
    let round: Int
  }

  private struct State {
    /// Those that have waited longest first.
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

  /// Rounds of the reclaimer that pages stay idle before they are unmapped: 1 to 1.5 seconds.
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

  /// Bytes that are kept.
  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// Unmaps all that is kept, now.
  package func trim() {
    let idle = state.withLock { state in
      defer { (state.idle, state.byteCount) = ([], 0) }
      return state.idle
    }
    for pages in idle { Self.unmap(pages) }
  }

  /// Pages for about so many bytes, maybe fewer; `nil` when none fit. They hold anything.
  func take(capacity wanted: Int) -> (start: UnsafeMutableRawPointer, capacity: Int)? {
    let pages = state.withLock { state -> Pages? in
      // The newest that suffice, if they are not far too many, or else the most.
      let fitting = state.idle.lastIndex { $0.capacity >= wanted && $0.capacity / 4 <= wanted }
      let smaller = state.idle.indices.filter { state.idle[$0].capacity < wanted }
        .max { state.idle[$0].capacity < state.idle[$1].capacity }
      return (fitting ?? smaller).map { state.remove(at: $0) }
    }
    guard let pages, let start = UnsafeMutableRawPointer(bitPattern: pages.address) else { return nil }
    return (start, pages.capacity)
  }

  /// Keeps pages for the next buffer, or unmaps them when there are enough.
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
