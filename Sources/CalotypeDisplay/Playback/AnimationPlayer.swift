import Calotype
public import CalotypeImaging
import CalotypeSupport

/// Plays an animation by delivering each frame when it is due.
///
/// ```swift
/// var request = ImageRequest(url: url)
/// request.frames = .all
/// let player = AnimationPlayer(try await pipeline.response(for: request))
/// for try await frame in player.frames() { show(frame.bitmap) }
/// ```
///
/// A player may be controlled from any thread during playback; changes take effect at once. Frames are
/// decoded ahead of time on threads of the ``FramePool``, and shared with other players of the same image.
/// Decoding takes place only while a task takes frames, or waits for ``preload(budget:)``.
public final class AnimationPlayer: Sendable {
  /// The activity of a player.
  public enum State: Hashable, Sendable {
    /// No task takes frames.
    case idle
    /// Playback advances.
    case playing
    /// Playback is paused, by ``AnimationPlayer/pause()`` or a rate of 0.
    case paused
    /// The player is not visible: ``AnimationPlayer/isActive`` is false.
    case inactive
    /// The player waits for frames to arrive. The associated value is the last available frame, if any.
    case stalled(at: Int?)
    /// All loops have been played.
    case ended
  }

  private struct Status {
    var playhead = Playhead()
    /// The session that takes frames at present.
    weak var session: PlaybackSession?
    /// Keeps the preloaded frames.
    var preload: FrameClaim?
  }

  let source: any FrameSource
  let clock: PlaybackClock
  let pool: FramePool
  /// The identifier of the player in the pool.
  let owner: Int
  private let status: Lock<Status>

  /// Creates a player of an animation.
  ///
  /// - Parameters:
  ///   - image: The image to play. A still image is an animation of one frame, which is shown once.
  ///   - transforms: The transforms applied to each frame. Steps that depend on pixels use those of the
  ///     first frame.
  ///   - pool: The pool that keeps decoded frames.
  ///   - clock: The clock of the playback.
  public convenience init(
    _ image: AnimatedImage, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(source: CompleteFrames(image), transforms: transforms, pool: pool, clock: clock)
  }

  /// Creates a player of an animation that is still arriving.
  ///
  /// Playback modes that begin with the last frame wait for it; all others begin with the first and wait at
  /// the last available one.
  ///
  /// - Parameters:
  ///   - animation: The animation to play.
  ///   - transforms: The transforms applied to each frame.
  ///   - pool: The pool that keeps decoded frames.
  ///   - clock: The clock of the playback.
  public convenience init(
    _ animation: ProgressiveAnimation, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(source: animation, transforms: transforms, pool: pool, clock: clock)
  }

  /// Creates a player of a still image, which is shown once.
  public convenience init(_ still: Image, transforms: TransformChain = [], pool: FramePool = .shared) {
    self.init(source: SingleFrame(still), transforms: transforms, pool: pool, clock: ContinuousClock())
  }

  init(
    source: any FrameSource, transforms: TransformChain, pool: FramePool, clock: any Clock<Duration>
  ) {
    self.source = transforms.isEmpty ? source : TransformedFrames(source, transforms)
    self.clock = PlaybackClock(clock)
    self.pool = pool
    owner = pool.makeOwner()
    status = Lock(Status())
  }

  // MARK: Contents

  /// The number of available frames.
  public var frameCount: Int { source.timeline.count }

  /// The duration of one pass over all available frames at the rate 1.
  public var duration: Duration { source.timeline.startTime(of: .max) }

  /// The frame that is shown, or will be next; `nil` before the first.
  public var currentIndex: Int? { status.withLock { $0.playhead.path?.index } }

  /// The current loop, from 0 on.
  public var currentLoop: Int { status.withLock { $0.playhead.path?.loop ?? 0 } }

  /// The activity of the player.
  public var state: State {
    status.withLock { status in
      let playhead = status.playhead
      if playhead.isEnded { return .ended }
      if status.session == nil { return .idle }
      if !playhead.isActive { return .inactive }
      if !playhead.isRunning { return .paused }
      return playhead.isStalled ? .stalled(at: playhead.path?.index) : .playing
    }
  }

  // MARK: Controls

  /// The playback rate: 1 is the speed of the file, 2 twice as fast. A rate of 0 or less pauses; infinity
  /// delivers each frame as soon as it is decoded.
  public var rate: Double {
    get { status.withLock { $0.playhead.rate } }
    set { change { $0.setRate(newValue, now: $1) } }
  }

  /// The order of the frames. The next frame follows the new order from the current position.
  public var mode: PlaybackMode {
    get { status.withLock { $0.playhead.mode } }
    set { change { playhead, _ in playhead.setMode(newValue) } }
  }

  /// The number of loops. Evaluated at the end of each loop.
  public var loops: LoopPolicy {
    get { status.withLock { $0.playhead.loopPolicy } }
    set { change { playhead, _ in playhead.loopPolicy = newValue } }
  }

  /// The treatment of late frames. They are kept by default.
  public var lateFrames: LateFramePolicy {
    get { status.withLock { $0.playhead.lateFrames } }
    set { change { playhead, _ in playhead.lateFrames = newValue } }
  }

  /// Whether the player is visible. While it is not, playback is paused, nothing is decoded, and decoded
  /// frames are released, also preloaded ones; then it continues from the same position.
  public var isActive: Bool {
    get { status.withLock { $0.playhead.isActive } }
    set {
      let now = clock.now()
      let (session, preload) = status.withLock { status in
        status.playhead.setActive(newValue, now: now)
        return (status.session, newValue ? nil : status.preload.take())
      }
      preload?.deactivate()
      if let session { update(session) }
    }
  }

  /// Whether playback is paused. Decoded frames are kept.
  public var isPaused: Bool { status.withLock { $0.playhead.isPaused } }

  /// Pauses playback. A seek still shows its frame.
  public func pause() { change { $0.setPaused(true, now: $1) } }

  /// Resumes playback.
  public func resume() { change { $0.setPaused(false, now: $1) } }

  /// Continues with a frame, which is shown as soon as it is decoded, for its whole duration.
  ///
  /// - Parameters:
  ///   - index: The frame; the nearest available one if it does not exist.
  ///   - loop: The loop that it belongs to from now on; the present one by default.
  public func seek(toFrame index: Int, loop: Int? = nil) {
    let timeline = source.timeline
    change { playhead, _ in playhead.seek(to: index, loop: loop, timeline) }
  }

  /// Continues with the frame at a time of the animation, as ``seek(toFrame:loop:)``.
  public func seek(to time: Duration, loop: Int? = nil) {
    let timeline = source.timeline
    change { playhead, _ in playhead.seek(to: timeline.index(at: time), loop: loop, timeline) }
  }

  /// Ends ``frames()``, and releases the decoded frames, also preloaded ones. A later iteration continues from
  /// the same position, or restarts.
  ///
  /// - Parameter rewinds: Whether to restart from the beginning.
  public func stop(rewinds: Bool = false) {
    let (session, preload) = status.withLock { status in
      if rewinds { status.playhead.rewind() }
      defer { status.session = nil }
      return (status.session, status.preload.take())
    }
    preload?.deactivate()
    if let session { update(session) }
  }

  /// Changes the playhead, and wakes the session.
  private func change(_ body: (inout Playhead, _ now: Duration) -> Void) {
    let now = clock.now()
    let (session, isOther) = status.withLock { status -> (PlaybackSession?, Bool) in
      let version = status.playhead.version
      body(&status.playhead, now)
      return (status.session, version != status.playhead.version)
    }
    if isOther { session?.interrupt() } else { session?.signal.raise() }
  }

  /// Makes a session re-evaluate its next step, after updating its claim.
  private func update(_ session: PlaybackSession) {
    follow(session)
    session.interrupt()
  }

  /// Updates the request of a session. Concurrent calls are safe.
  private func follow(_ session: PlaybackSession) {
    func isWanted() -> Bool { status.withLock { $0.session === session && $0.playhead.isActive } }
    while true {
      let wanted = isWanted()
      session.setActive(wanted)
      if wanted == isWanted() { return }
    }
  }

  // MARK: For preloads

  /// The position from which frames are preloaded: the frame that is shown, or will be next.
  var position: PlaybackPath {
    let last = source.timeline.count - 1
    return status.withLock { status in
      let beginsAtEnd = status.playhead.mode.beginsAtEnd
      return status.playhead.path
        ?? PlaybackPath(index: beginsAtEnd ? last : 0, isBackward: beginsAtEnd, loop: 0)
    }
  }

  /// Keeps a preload in place of an earlier one.
  ///
  /// - Returns: Whether the player is active.
  func keep(_ claim: FrameClaim) -> Bool {
    let (isActive, previous) = status.withLock { status -> (Bool, FrameClaim?) in
      guard status.playhead.isActive else { return (false, nil) }
      defer { status.preload = claim }
      return (true, status.preload)
    }
    (isActive ? previous : claim)?.deactivate()
    return isActive
  }

  /// Returns the claim of the preload, which is kept no longer.
  func takePreload() -> FrameClaim? { status.withLock { $0.preload.take() } }

  // MARK: For sessions

  /// Begins a session, ending the previous one.
  func open() -> PlaybackSession {
    let session = PlaybackSession(self, claim: pool.makeClaim(on: source, owner: owner))
    let before = status.withLock { status -> PlaybackSession? in
      defer { status.session = session }
      status.playhead.reopen()
      return status.session
    }
    if let before { update(before) }
    source.observe(with: session.signal)
    follow(session)
    return session
  }

  /// Returns the next step of a session; `nil` if another session has replaced it.
  func step(for session: PlaybackSession) -> PlaybackStep? {
    let timeline = source.timeline
    let now = clock.now()
    return status.withLock { status in
      guard status.session === session else { return nil }
      let action = status.playhead.step(timeline, now: now)
      return PlaybackStep(
        action: action, version: status.playhead.version, path: status.playhead.path,
        rules: status.playhead.rules(timeline))
    }
  }

  /// Returns whether a step of a session is still valid.
  func holds(_ step: PlaybackStep, for session: PlaybackSession) -> Bool {
    status.withLock { $0.session === session && $0.playhead.version == step.version }
  }

  /// Returns the frame as it is shown now; `nil` if another one has become the next since.
  func show(_ image: Image, version: Int, for session: PlaybackSession) -> AnimationFrame? {
    let timeline = source.timeline
    let now = clock.now()
    let showing = status.withLock { status -> Playhead.Showing? in
      guard status.session === session, status.playhead.version == version else { return nil }
      return status.playhead.show(timeline, now: now)
    }
    guard let showing else { return nil }
    return AnimationFrame(
      image: image, index: showing.path.index, loop: showing.path.loop,
      startTime: timeline.startTime(of: showing.path.index), presentationTime: showing.presentationTime,
      duration: showing.duration, lateness: showing.lateness, droppedBefore: showing.dropped)
  }
}
