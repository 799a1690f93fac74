import CalotypeImaging

/// The frames of one animation in a pool, and what those who play it want of it. Touched under the lock of the pool only.
final class FrameShelf {
  let id: Int
  let source: any FrameSource
  let keyFrames: [Int]
  /// As far as it is known.
  var frameByteCount: Int?
  var frames: [Int: Image] = [:]
  /// Those that could not be decoded: only tried again when somebody waits for them.
  var failed: Set<Int> = []
  var claims: [Int: FrameDemand] = [:]
  /// What is being decoded, if something is.
  var running: FrameOrder?
  /// Who decodes.
  var task: Task<Void, Never>?

  init(id: Int, source: any FrameSource) {
    self.id = id
    self.source = source
    keyFrames = source.keyFrames
    frameByteCount = source.frameByteCount
  }

  /// Whether somebody will show the frame soon.
  func isWanted(_ index: Int) -> Bool {
    claims.values.contains { $0.wantedSet.contains(index) }
  }
}

/// What one player wants of a shelf.
struct FrameDemand {
  /// In the order in which they are shown.
  var wanted: [PlaybackPath.Upcoming] = [] {
    didSet { wantedSet = Set(wanted.map(\.index)) }
  }
  private(set) var wantedSet: Set<Int> = []
  /// What is decoded for it in one go, next first.
  var batch: ArraySlice<Int> = []
  /// The frame it waits for.
  var awaited: (index: Int, waiter: FrameWaiter)?

  /// Begins a batch, if it is time: when somebody waits, or half of what is wanted is used up. Not earlier, because what is
  /// shown backwards costs as much for one frame as for all that are decoded on the way to it.
  mutating func refill(_ shelf: FrameShelf) {
    while let first = batch.first, !wantedSet.contains(first) || shelf.frames[first] != nil {
      batch.removeFirst()
    }
    let isUrgent = awaited.map { !batch.contains($0.index) } ?? false
    guard batch.isEmpty || isUrgent else { return }
    let missing = wanted.filter { shelf.frames[$0.index] == nil && !shelf.failed.contains($0.index) }
    guard isUrgent || (wanted.count - missing.count) * 2 <= wanted.count else { return }
    batch = FrameOrders.order(of: missing, keyFrames: shelf.keyFrames)[...]
  }
}

/// A frame to decode.
struct FrameOrder: Sendable {
  let shelf: Int
  let source: any FrameSource
  let index: Int
  /// Bytes of the budget that are kept free for it; 0 if there is no room, and it is handed over only.
  let reserved: Int
}
