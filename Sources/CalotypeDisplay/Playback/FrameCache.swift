import Calotype
import CalotypeImaging

/// The frames of one animation in a pool, and the requests of its players. Accessed under the lock of the pool only.
final class FrameCache {
  let id: Int
  let source: any FrameSource
  let keyFrames: [Int]
  /// The number of bytes of a frame; `nil` while unknown.
  var frameByteCount: Int?
  var frames: [Int: Image] = [:]
  /// The frames that could not be decoded. They are tried again only when a player waits for them.
  var failed: Set<Int> = []
  var requests: [Int: FrameCacheRequest] = [:]
  /// The frame that is being decoded.
  var running: FrameRequest?
  /// The task that decodes.
  var task: Task<Void, Never>?

  init(id: Int, source: any FrameSource) {
    self.id = id
    self.source = source
    keyFrames = source.keyFrames
    frameByteCount = source.frameByteCount
  }

  /// Returns the number of frames in a player's share of `bytes`.
  func share(of bytes: Int) -> Int {
    source.share(of: bytes, frameByteCount: frameByteCount)
  }

  /// Returns whether a player with a share of `bytes` will show the frame soon, or has it preloaded.
  func isWanted(_ index: Int, in bytes: Int) -> Bool {
    let share = share(of: bytes)
    return requests.values.contains { $0.wants(index, share: room(for: $0, share: share)) }
  }

  /// Returns the number of frames of a request that are kept, of a player with a share of `share` frames.
  ///
  /// A preload keeps what its budget allows and the frames that its player shows next leave, so that both
  /// together never exceed the share.
  func room(for request: FrameCacheRequest, share: Int) -> Int {
    guard let budget = request.budget else { return share }
    let shown = requests.values.reduce(0) { sum, other in
      guard other.budget == nil, other.owner == request.owner else { return sum }
      return sum + min(share, other.wanted.count)
    }
    return max(0, min(share - shown, self.share(of: budget)))
  }
}

extension FrameSource {
  /// Returns the number of frames in a player's share of `bytes`: one, while the size of a frame is not known.
  func share(of bytes: Int, frameByteCount known: Int? = nil) -> Int {
    guard let byteCount = known ?? frameByteCount, byteCount > 0 else { return 1 }
    return bytes / byteCount
  }
}

/// The request of one claim to a cache of frames.
struct FrameCacheRequest {
  /// The player.
  let owner: Int
  /// The number of bytes to preload; `nil` for the frames that are shown next.
  let budget: Int?
  /// Whether the request is for frames that are loaded in advance.
  var isPreload: Bool { budget != nil }
  /// The frames that come next, in the order in which they are shown. The share changes with the number of
  /// players, and a paused player does not ask again.
  var wanted: [PlaybackPath.Upcoming] = [] {
    didSet {
      places = Dictionary(wanted.enumerated().map { ($1.index, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }
  /// The place of each frame in that order.
  private var places: [Int: Int] = [:]
  /// The frames that are decoded for the player as one batch, the next first.
  var batch: ArraySlice<Int> = []
  /// The frame that the player waits for.
  var awaited: (index: Int, waiter: FrameWaiter)?

  init(owner: Int, budget: Int?) {
    self.owner = owner
    self.budget = budget
  }

  /// Returns whether the frame is among the next `share` ones.
  func wants(_ index: Int, share: Int) -> Bool {
    places[index].map { $0 < share } ?? false
  }

  /// Begins a batch when the player waits, or when half of its frames are used up. Not earlier: backwards,
  /// one frame costs as much as all those that are decoded on the way to it.
  ///
  /// - Parameters:
  ///   - cache: The cache of the frames.
  ///   - share: The number of frames that are kept for the request.
  mutating func refill(_ cache: FrameCache, share: Int) {
    // A frame that has failed does not hold up the others: each is tried once.
    func isMissing(_ index: Int) -> Bool { cache.frames[index] == nil && !cache.failed.contains(index) }
    while let first = batch.first, !wants(first, share: share) || !isMissing(first) { batch.removeFirst() }
    let isUrgent = awaited.map { !batch.contains($0.index) } ?? false
    guard batch.isEmpty || isUrgent else { return }
    let wanted = wanted.prefix(share)
    let missing = wanted.filter { isMissing($0.index) }
    guard isUrgent || (wanted.count - missing.count) * 2 <= wanted.count else { return }
    batch = FrameRequestQueue.order(of: missing, keyFrames: cache.keyFrames)[...]
  }
}

/// A frame to decode.
struct FrameRequest: Sendable {
  let cache: Int
  let source: any FrameSource
  let index: Int
  /// The number of bytes reserved for the frame; 0 if there is no room, so that the frame is delivered and
  /// not kept.
  let reserved: Int
}
