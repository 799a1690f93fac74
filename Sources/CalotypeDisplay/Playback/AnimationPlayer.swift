import Calotype
public import CalotypeImaging
import CalotypeSupport

/// Plays an animation: hands over its frames when it is time to show them.
///
/// ```swift
/// let response = try await pipeline.response(for: ImageRequest(url: url, frames: .all))
/// let player = AnimationPlayer(response)
/// for try await frame in player.frames() { show(frame.bitmap) }
/// ```
///
/// It may be controlled from anywhere while it plays; changes take effect at once. Frames are decoded ahead of time on
/// threads of the ``FramePool``, and shared with other players of the same image. Nothing is decoded before somebody
/// takes frames, nor after they have stopped.
public final class AnimationPlayer: Sendable {
  /// The activity of a player.
  public enum State: Hashable, Sendable {
    /// No task takes frames.
    case idle
    /// Time passes.
    case playing
    /// It stands still, by ``AnimationPlayer/pause()`` or a rate of 0.
    case paused
    /// The player is not visible: ``AnimationPlayer/isActive`` is false.
    case inactive
    /// It waits for frames to arrive. The last one that is there, if there is one.
    case stalled(at: Int?)
    /// All loops were played.
    case ended
  }

  private struct Status {
    var playhead = Playhead()
    /// The session that takes frames at present.
    weak var session: PlaybackSession?
  }

  let source: any FrameSource
  let clock: PlaybackClock
  private let pool: FramePool
  private let status: Lock<Status>

  /// A player of an animation.
  ///
  /// - Parameters:
  ///   - image: What to play. A still image is an animation of one frame, which is shown once.
  ///   - transforms: What becomes of each frame. Where a step looks at pixels, those of the first frame decide.
  ///   - pool: Where decoded frames are kept.
  ///   - clock: Tells the time.
  public convenience init(
    _ image: AnimatedImage, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(source: CompleteFrames(image), transforms: transforms, pool: pool, clock: clock)
  }

  /// A player of an animation that is still arriving.
  ///
  /// What begins with the last frame waits for it; everything else begins with the first and waits at the last one that is
  /// there.
  ///
  /// - Parameters:
  ///   - animation: What to play.
  ///   - transforms: What becomes of each frame.
  ///   - pool: Where decoded frames are kept.
  ///   - clock: Tells the time.
  public convenience init(
    _ animation: ProgressiveAnimation, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(source: animation, transforms: transforms, pool: pool, clock: clock)
  }

  /// A player of a picture that does not move: shows it once.
  public convenience init(_ still: Image, transforms: TransformChain = [], pool: FramePool = .shared) {
    self.init(source: SingleFrame(still), transforms: transforms, pool: pool, clock: ContinuousClock())
  }

  init(
    source: any FrameSource, transforms: TransformChain, pool: FramePool, clock: any Clock<Duration>
  ) {
    self.source = transforms.isEmpty ? source : TransformedFrames(source, transforms)
    self.clock = PlaybackClock(clock)
    self.pool = pool
    status = Lock(Status())
  }

  // MARK: What there is

  /// Frames that there are, until now if it is still arriving.
  public var frameCount: Int { source.timeline.count }

  /// The time that one pass over all frames takes at the rate 1, of those that are there.
  public var duration: Duration { source.timeline.startTime(of: .max) }

  /// The frame that is shown, or will be next; `nil` before the first.
  public var currentIndex: Int? { status.withLock { $0.playhead.path?.index } }

  /// The loop it is in, from 0 on.
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

  /// How fast it plays: 1 as the file says, 2 twice as fast. 0, or less, stands still; infinite hands over each frame as
  /// soon as it is decoded.
  public var rate: Double {
    get { status.withLock { $0.playhead.rate } }
    set { change { $0.setRate(newValue, now: $1) } }
  }

  /// In which order frames are shown. The next one follows the new order, from where it stands.
  public var mode: PlaybackMode {
    get { status.withLock { $0.playhead.mode } }
    set { change { playhead, _ in playhead.setMode(newValue) } }
  }

  /// How often it is played. Looked at when a loop ends.
  public var loops: LoopPolicy {
    get { status.withLock { $0.playhead.loopPolicy } }
    set { change { playhead, _ in playhead.loopPolicy = newValue } }
  }

  /// The treatment of late frames. They are kept by default.
  public var lateFrames: LateFramePolicy {
    get { status.withLock { $0.playhead.lateFrames } }
    set { change { playhead, _ in playhead.lateFrames = newValue } }
  }

  /// Whether anybody can see it. While it is off time stands still, nothing is decoded, and decoded frames are given back;
  /// then it goes on where it stood.
  public var isActive: Bool {
    get { status.withLock { $0.playhead.isActive } }
    set {
      let now = clock.now()
      let session = status.withLock { status in
        status.playhead.setActive(newValue, now: now)
        return status.session
      }
      if let session { update(session) }
    }
  }

  /// Whether it stands still. Frames that were decoded stay.
  public var isPaused: Bool { status.withLock { $0.playhead.isPaused } }

  /// Lets time stand still. A seek still shows its frame.
  public func pause() { change { $0.setPaused(true, now: $1) } }

  /// Lets time go on.
  public func resume() { change { $0.setPaused(false, now: $1) } }

  /// Goes on with this frame, which is shown as soon as it is decoded, for its whole duration.
  ///
  /// - Parameters:
  ///   - index: The frame; the nearest that is there if there is no such frame.
  ///   - loop: The loop that it belongs to from now on; the present one by default.
  public func seek(toFrame index: Int, loop: Int? = nil) {
    let timeline = source.timeline
    change { playhead, _ in playhead.seek(to: index, loop: loop, timeline) }
  }

  /// Goes on with the frame that is shown at this time of the animation, as ``seek(toFrame:loop:)``.
  public func seek(to time: Duration, loop: Int? = nil) {
    let timeline = source.timeline
    change { playhead, _ in playhead.seek(to: timeline.index(at: time), loop: loop, timeline) }
  }

  /// Ends ``frames()``, and gives the decoded frames back. Who takes frames again goes on where it stood, or begins anew.
  ///
  /// - Parameter rewinds: Whether to begin anew.
  public func stop(rewinds: Bool = false) {
    let session = status.withLock { status -> PlaybackSession? in
      if rewinds { status.playhead.rewind() }
      defer { status.session = nil }
      return status.session
    }
    if let session { update(session) }
  }

  /// Changes where it stands, and has those who wait look again.
  private func change(_ body: (inout Playhead, _ now: Duration) -> Void) {
    let now = clock.now()
    let (session, isOther) = status.withLock { status -> (PlaybackSession?, Bool) in
      let version = status.playhead.version
      body(&status.playhead, now)
      return (status.session, version != status.playhead.version)
    }
    if isOther { session?.interrupt() } else { session?.signal.raise() }
  }

  /// Has a session look again, with its claim as the player says.
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

  // MARK: For sessions

  /// Begins a session. The one before ends.
  func open() -> PlaybackSession {
    let session = PlaybackSession(self, claim: pool.makeClaim(on: source))
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

  /// Whether what a session was told to do is still to be done.
  func holds(_ step: PlaybackStep, for session: PlaybackSession) -> Bool {
    status.withLock { $0.session === session && $0.playhead.version == step.version }
  }

  /// The frame as it is shown now; `nil` if another one has become the next since.
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
