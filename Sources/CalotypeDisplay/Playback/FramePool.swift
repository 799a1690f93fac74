import Calotype
public import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

/// Decoded frames of animations that are being played: shared by all players of an image, within one budget of bytes.
///
/// Frames are decoded ahead of the players on threads of the pool, each once for all who play the same image with the
/// same transforms. Each player may count on an equal part of the budget; what is left holds frames that were shown, those
/// of the longest ago go first. A player that gets no room has its frames decoded when they are due, and nothing of them
/// is kept. When the last player of an image goes, or is inactive, its frames go.
///
/// Not counted are frames that were handed out by a player, the encoded bytes of images, and what their
/// decoders need to go on with the next frame: a canvas, and a backup of it where the file asks for one, for each decoder.
/// There is one of them for each image that is played, and rarely a second one; with the last player they go. What is
/// arriving keeps its decoder.
public final class FramePool: MemoryPressureFollowing {
  /// The pool of players that are given no other: one for the process.
  public static let shared = FramePool()

  /// An eighth of the memory that the process may use, at most 256 MiB.
  public static let defaultByteLimit = SystemMemory.defaultCacheLimit / 2

  /// The contents and counters of a pool.
  public struct Statistics: Hashable, Sendable {
    /// Bytes of pixels that are held, those of frames that are being decoded included.
    public internal(set) var bytes = 0
    /// The most that it was.
    public internal(set) var peakBytes = 0
    /// Frames that are held.
    public internal(set) var frames = 0
    /// Frames that were decoded.
    public internal(set) var decodes = 0
    /// Frames that were there when a player asked.
    public internal(set) var hits = 0
    /// Players that are active.
    public internal(set) var players = 0
  }

  /// Bytes of pixels to hold at most.
  public let byteLimit: Int
  private let workers = WorkerExecutor.playback
  private let state: Lock<FramePoolState>
  /// The animations that are being loaded to be played in this pool.
  let arriving = LoadingAnimations()

  /// Creates a pool.
  ///
  /// - Parameter byteLimit: Bytes of pixels to hold at most; 0 holds nothing.
  public init(byteLimit: Int = FramePool.defaultByteLimit) {
    self.byteLimit = max(0, byteLimit)
    state = Lock(FramePoolState(byteLimit: byteLimit))
  }

  /// The contents and counters of the pool.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Throws out all frames, for when memory is short. Those that are wanted are decoded again.
  public func removeAll() {
    withState { $0.removeAll() }
  }

  /// Gives way while memory is short: does what a source says until the task is cancelled or the source ends.
  ///
  /// At `MemoryPressure.Level.warning` half of ``byteLimit`` may be held, at `MemoryPressure.Level.critical` a quarter,
  /// and all that is held is thrown out. One source at a time: of two, the last word counts. Pipelines that are run as
  /// services have the ``shared`` pool follow theirs.
  public func follow(_ source: any MemoryPressureProviding) async {
    for await pressure in source.pressures() { apply(pressure.level) }
    apply(.normal)
  }

  private func apply(_ level: MemoryPressure.Level) {
    withState { pool in
      if level == .critical { pool.removeAll() }
      pool.setByteLimit(level == .normal ? byteLimit : level == .warning ? byteLimit / 2 : byteLimit / 4)
    }
  }

  /// A place for a player.
  func makeClaim(on source: any FrameSource) -> FrameClaim {
    FrameClaim(pool: self, id: withState { $0.makeID() }, source: source)
  }

  /// Bytes of the frames that are there, counted one by one: what the statistics have to say.
  var countedBytes: Int { state.withLock { $0.countedBytes } }

  // MARK: For requests

  func activate(_ player: Int) {
    withState { $0.activate(player) }
  }

  func deactivate(_ player: Int) {
    let ending = withState { $0.deactivate(player) }
    ending.task?.cancel()
    ending.waiter?.end(.interrupted)
    ending.source?.rest()
  }

  func share(of source: any FrameSource) -> Int {
    withState { $0.share(of: source) }
  }

  func request(
    _ index: Int?, wanted: [PlaybackPath.Upcoming], of source: any FrameSource, for player: Int
  ) -> FramePoolState.Answer {
    withState { pool in
      let answer = pool.request(index, wanted: wanted, of: source, for: player)
      if let (cache, order) = pool.start(for: player) {
        // Made under the lock, so that it is known before it can end.
        cache.task = Task(priority: ImageRequest.Priority.high.taskPriority) { @concurrent in
          await self.run(order)
        }
      }
      return answer
    }
  }

  /// Decodes for one animation, until there is nothing more to decode for it.
  private func run(_ first: FrameRequest) async {
    var next = Optional(first)
    while let order = next {
      let result = await decode(order)
      let (waiters, following, isPlayed) = withState { pool in
        let (waiters, following) = pool.finish(order, result)
        return (waiters, following, pool.isPlayed(order.source))
      }
      for waiter in waiters {
        switch result {
        case .success(let image): waiter.end(.image(image))
        case .failure(let error): waiter.end(.failed(error))
        }
      }
      // The last player may have gone meanwhile.
      if !isPlayed { order.source.rest() }
      next = following
    }
  }

  private func decode(_ order: FrameRequest) async -> Result<Image, any Error> {
    do {
      return .success(try await order.source.frame(at: order.index, on: workers))
    } catch {
      return .failure(error)
    }
  }

  private func withState<Result: Sendable>(_ body: (inout FramePoolState) -> Result) -> Result {
    let (result, garbage) = state.withLock { pool -> (Result, [Image]) in
      let result = body(&pool)
      return (result, pool.takeGarbage())
    }
    // Memory is given back outside the lock.
    withExtendedLifetime(garbage) {}
    return result
  }
}

/// The place of one player in a pool, given up with the last reference.
final class FrameClaim: Sendable {
  private let pool: FramePool
  private let id: Int
  private let source: any FrameSource
  /// The waiter of the request that is under way, or was the last.
  private let current = Lock(FrameWaiter?.none)

  init(pool: FramePool, id: Int, source: any FrameSource) {
    self.pool = pool
    self.id = id
    self.source = source
  }

  deinit { deactivate() }

  /// From now on frames are decoded for it.
  func activate() { pool.activate(id) }

  /// Nothing more is decoded for it, and what was is given back.
  func deactivate() { pool.deactivate(id) }

  /// How many frames it may count on.
  var share: Int { pool.share(of: source) }

  /// Has these frames decoded ahead.
  func want(_ wanted: [PlaybackPath.Upcoming]) {
    _ = pool.request(nil, wanted: wanted, of: source, for: id)
  }

  /// A frame that is shown now, and those that come after it.
  func ask(for index: Int, wanted: [PlaybackPath.Upcoming]) -> FramePoolState.Answer {
    let answer = pool.request(index, wanted: wanted, of: source, for: id)
    if case .waits(let waiter) = answer { current.withLock { $0 = waiter } }
    return answer
  }

  /// Ends the wait for a frame, because another one is wanted.
  func interrupt() {
    current.withLock { $0 }?.end(.interrupted)
  }
}
