import Calotype
import CalotypeImaging

/// The frames of one animation in a pool, and what those who play it want of it. Touched under the lock of the pool only.
final class FrameCache {
  let id: Int
  let source: any FrameSource
  let keyFrames: [Int]
  /// As far as it is known.
  var frameByteCount: Int?
  var frames: [Int: Image] = [:]
  /// Those that could not be decoded: only tried again when somebody waits for them.
  var failed: Set<Int> = []
  var claims: [Int: FrameCacheRequest] = [:]
  /// What is being decoded, if something is.
  var running: FrameRequest?
  /// Who decodes.
  var task: Task<Void, Never>?

  init(id: Int, source: any FrameSource) {
    self.id = id
    self.source = source
    keyFrames = source.keyFrames
    frameByteCount = source.frameByteCount
  }

  /// How many frames a player may count on that may count on so many bytes.
  func share(of bytes: Int) -> Int {
    source.share(of: bytes, frameByteCount: frameByteCount)
  }

  /// Whether somebody who may count on so many bytes will show the frame soon.
  func isWanted(_ index: Int, in bytes: Int) -> Bool {
    let share = share(of: bytes)
    return claims.values.contains { $0.wants(index, share: share) }
  }
}

extension FrameSource {
  /// How many frames a player may count on that may count on so many bytes: one, while nobody knows what one takes.
  func share(of bytes: Int, frameByteCount known: Int? = nil) -> Int {
    guard let byteCount = known ?? frameByteCount, byteCount > 0 else { return 1 }
    return bytes / byteCount
  }
}

/// What one player wants of a shelf.
struct FrameCacheRequest {
  /// In the order in which they are shown. How many of them it may count on changes with the number of players: who
  /// stands still does not ask again.
  var wanted: [PlaybackPath.Upcoming] = [] {
    didSet {
      places = Dictionary(wanted.enumerated().map { ($1.index, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }
  /// Where in that order each frame is.
  private var places: [Int: Int] = [:]
  /// What is decoded for it in one go, next first.
  var batch: ArraySlice<Int> = []
  /// The frame it waits for.
  var awaited: (index: Int, waiter: FrameWaiter)?

  /// Whether the frame is among the next `share` ones.
  func wants(_ index: Int, share: Int) -> Bool {
    places[index].map { $0 < share } ?? false
  }

  /// Begins a batch, if it is time: when somebody waits, or half of what is wanted is used up. Not earlier, because what is
  /// shown backwards costs as much for one frame as for all that are decoded on the way to it.
  ///
  /// - Parameters:
  ///   - shelf: Where it is.
  ///   - share: How many frames it may count on.
  mutating func refill(_ shelf: FrameCache, share: Int) {
    // Behind one that has failed the others have their turn: each is tried once, and fails by itself.
    func isMissing(_ index: Int) -> Bool { shelf.frames[index] == nil && !shelf.failed.contains(index) }
    while let first = batch.first, !wants(first, share: share) || !isMissing(first) { batch.removeFirst() }
    let isUrgent = awaited.map { !batch.contains($0.index) } ?? false
    guard batch.isEmpty || isUrgent else { return }
    let wanted = wanted.prefix(share)
    let missing = wanted.filter { isMissing($0.index) }
    guard isUrgent || (wanted.count - missing.count) * 2 <= wanted.count else { return }
    batch = FrameRequestQueue.order(of: missing, keyFrames: shelf.keyFrames)[...]
  }
}

/// A frame to decode.
struct FrameRequest: Sendable {
  let shelf: Int
  let source: any FrameSource
  let index: Int
  /// Bytes of the budget that are kept free for it; 0 if there is no room, and it is handed over only.
  let reserved: Int
}
