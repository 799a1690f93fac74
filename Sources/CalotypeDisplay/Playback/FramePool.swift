import Calotype
public import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

/// A pool of decoded animation frames, shared by all players of an image, within a budget of bytes.
///
/// Frames are decoded ahead of the players on threads of the pool, once for all players of the same image
/// with the same transforms. Each player is guaranteed an equal part of the budget; the rest holds frames
/// that were shown, evicted by least recent use. For a player without memory, each frame is decoded when it
/// is due and not kept. When the last player of an image is released, or becomes inactive, its frames are
/// removed.
///
/// The budget does not include frames delivered by a player, the encoded bytes of images, and the state
/// that each decoder needs to continue with the next frame: a canvas, and a backup of it where the file
/// requires one. There is one decoder for each image that is played, rarely a second one; it is released
/// with the last player. An arriving animation keeps its decoder.
public final class FramePool: MemoryPressureFollowing {
  /// The pool of players without a pool of their own, one for the process.
  public static let shared = FramePool()

  /// The default budget: an eighth of the memory that the process may use, at most 256 MiB.
  public static let defaultByteLimit = SystemMemory.defaultCacheLimit / 2

  /// The contents and counters of a pool.
  public struct Statistics: Hashable, Sendable {
    /// The bytes of pixels held, including those of frames that are being decoded.
    public internal(set) var bytes = 0
    /// The peak number of bytes held.
    public internal(set) var peakBytes = 0
    /// The number of frames held.
    public internal(set) var frames = 0
    /// The number of decoded frames.
    public internal(set) var decodes = 0
    /// The number of frames that were available when a player requested them.
    public internal(set) var hits = 0
    /// The number of active players.
    public internal(set) var players = 0
  }

  /// The maximum number of bytes of pixels to hold.
  public let byteLimit: Int
  private let workers = WorkerExecutor.playback
  private let state: Lock<FramePoolState>
  /// The animations that are being loaded to be played in this pool.
  let arriving = LoadingAnimations()

  /// Creates a pool.
  ///
  /// - Parameter byteLimit: The maximum number of bytes of pixels to hold; 0 holds nothing.
  public init(byteLimit: Int = FramePool.defaultByteLimit) {
    self.byteLimit = max(0, byteLimit)
    state = Lock(FramePoolState(byteLimit: byteLimit))
  }

  /// The contents and counters of the pool.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Removes all frames, to free memory. Frames that are still wanted are decoded again.
  public func removeAll() {
    withState { $0.removeAll() }
  }

  /// Responds to memory pressure from a source until the task is cancelled or the source ends.
  ///
  /// At `MemoryPressure.Level.warning` the limit falls to half of ``byteLimit``, at
  /// `MemoryPressure.Level.critical` to a quarter, and all frames are removed. Follow one source at a time:
  /// of two, the latest report applies. The ``shared`` pool follows the source of pipelines that run as
  /// services.
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

  /// Returns the identifier of a player.
  func makeOwner() -> Int { withState { $0.makeID() } }

  /// Returns a claim for a player.
  ///
  /// - Parameters:
  ///   - source: The frames.
  ///   - owner: The player. All its claims together have one share of the budget.
  ///   - budget: The bytes to preload; `nil` for the frames that are shown next.
  func makeClaim(on source: any FrameSource, owner: Int, budget: Int? = nil) -> FrameClaim {
    FrameClaim(pool: self, id: withState { $0.makeID() }, owner: owner, budget: budget, source: source)
  }

  /// Returns the number of frames held of a source.
  func count(of source: any FrameSource) -> Int { withState { $0.count(of: source) } }

  /// Removes the frames of a source that no player shows soon or has preloaded.
  func removeUnwanted(of source: any FrameSource) { withState { $0.removeUnwanted(of: source) } }

  /// The bytes of all frames held, counted one by one, to verify the statistics.
  var countedBytes: Int { state.withLock { $0.countedBytes } }

  // MARK: For requests

  func activate(_ claim: FrameClaim) {
    withState { $0.activate(claim.id, owner: claim.owner, budget: claim.budget) }
  }

  func deactivate(_ claim: Int) {
    let ending = withState { $0.deactivate(claim) }
    ending.task?.cancel()
    ending.waiter?.end(.interrupted)
    ending.source?.rest()
  }

  func share(of source: any FrameSource) -> Int {
    withState { $0.share(of: source) }
  }

  func room(for claim: Int) -> Int {
    withState { $0.room(for: claim) }
  }

  func request(
    _ index: Int?, wanted: [PlaybackPath.Upcoming]?, of source: any FrameSource, for claim: Int
  ) -> FramePoolState.Answer {
    withState { pool in
      let answer = pool.request(index, wanted: wanted, of: source, for: claim)
      if let (cache, order) = pool.start(for: claim) {
        // Created under the lock, so that it is known before it can end.
        cache.task = Task(priority: ImageRequest.Priority.high.taskPriority) { @concurrent in
          await self.run(order)
        }
      }
      return answer
    }
  }

  /// Decodes for one animation, until there is nothing left to decode for it.
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
      // The last player may have been released meanwhile.
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
    // Memory is released outside the lock.
    withExtendedLifetime(garbage) {}
    return result
  }
}

/// A claim of a player on a pool, given up with the last reference: for the frames that it shows next, or for
/// frames that it has preloaded.
final class FrameClaim: Sendable {
  let id: Int
  /// The player.
  let owner: Int
  /// The bytes to preload; `nil` for the frames that are shown next.
  let budget: Int?
  private let pool: FramePool
  private let source: any FrameSource
  /// The waiter of the pending request, or of the last one.
  private let current = Lock(FrameWaiter?.none)

  init(pool: FramePool, id: Int, owner: Int, budget: Int?, source: any FrameSource) {
    self.pool = pool
    self.id = id
    self.owner = owner
    self.budget = budget
    self.source = source
  }

  deinit { deactivate() }

  /// Enables decoding for the player.
  func activate() { pool.activate(self) }

  /// Disables decoding for the player, and releases its frames.
  func deactivate() { pool.deactivate(id) }

  /// The number of frames that the player is guaranteed.
  var share: Int { pool.share(of: source) }

  /// Requests that frames are decoded ahead.
  func want(_ wanted: [PlaybackPath.Upcoming]) {
    _ = pool.request(nil, wanted: wanted, of: source, for: id)
  }

  /// The number of frames that a preload may hold, besides those that its player shows next.
  var room: Int { pool.room(for: id) }

  /// Requests a frame that is needed now, and those that come after it.
  ///
  /// - Parameter wanted: The frames from this one on; `nil` for those of the last request.
  func ask(for index: Int, wanted: [PlaybackPath.Upcoming]?) -> FramePoolState.Answer {
    let answer = pool.request(index, wanted: wanted, of: source, for: id)
    if case .waits(let waiter) = answer { current.withLock { $0 = waiter } }
    return answer
  }

  /// Ends the wait for a frame, because another one is wanted.
  func interrupt() {
    current.withLock { $0 }?.end(.interrupted)
  }
}
