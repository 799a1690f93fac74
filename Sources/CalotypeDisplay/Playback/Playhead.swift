import Calotype

/// Where a player stands, and what it has to do now. Pure: time is handed in.
struct Playhead: Sendable {
  /// The next step.
  enum Action: Sendable {
    /// Get this frame and show it.
    case show(PlaybackPath)
    /// Wait until then, or for a change.
    case wait(until: Duration?)
    /// There is nothing more.
    case end
    /// There is nothing more, for this reason.
    case fail(any Error)
  }

  private enum Phase {
    /// The frame at `path` is to be shown, and should have been at this time; `nil` as soon as it is there.
    case due(Duration?)
    /// The frame at `path` is shown, and had been for `elapsed` of its time at `since`.
    case shown(since: Duration, elapsed: Duration)
    case ended
  }

  var loopPolicy = LoopPolicy.fromFile
  var lateFrames = LateFramePolicy.keep
  private(set) var mode = PlaybackMode.normal
  private(set) var rate = 1.0
  private(set) var isPaused = false
  private(set) var isActive = true
  /// `nil` before the first frame.
  private(set) var path: PlaybackPath?
  /// Whether what is there has been played, and more is to come.
  private(set) var isStalled = false
  /// Changes with everything that makes another frame the next one.
  private(set) var version = 0
  private var phase = Phase.due(nil)
  /// On the time line of what is played.
  private var presentationTime = Duration.zero
  private var dropped = 0

  /// Whether time passes.
  var isRunning: Bool { !isPaused && isActive && rate > 0 }

  var isEnded: Bool { if case .ended = phase { true } else { false } }

  func rules(_ timeline: AnimationTimeline) -> PlaybackPath.Rules {
    let loops = timeline.isStill ? 1 : loopPolicy.loops(of: timeline.loopCount)
    return PlaybackPath.Rules(
      mode: mode, count: timeline.count, isComplete: timeline.isComplete, loops: loops)
  }

  // MARK: Playing

  mutating func step(_ timeline: AnimationTimeline, now: Duration) -> Action {
    guard isActive else { return .wait(until: nil) }
    switch phase {
    case .ended: return .end
    case .due: return showDue(timeline)
    case .shown(let since, let elapsed):
      guard isRunning, let path else { return .wait(until: nil) }
      let deadline = since + atRate(timeline.duration(of: path.index) - elapsed)
      guard now >= deadline else {
        isStalled = false
        return .wait(until: deadline)
      }
      return goOn(from: path, timeline, deadline: deadline, now: now)
    }
  }

  private mutating func showDue(_ timeline: AnimationTimeline) -> Action {
    let rules = rules(timeline)
    if path == nil { path = PlaybackPath(rules: rules) }
    if var path, rules.count > 0 {
      isStalled = false
      path.index = min(path.index, rules.count - 1)
      self.path = path
      return .show(path)
    }
    if let failure = timeline.failure { return .fail(failure) }
    if timeline.isComplete { return .end }
    isStalled = true
    return .wait(until: nil)
  }

  private mutating func goOn(
    from path: PlaybackPath, _ timeline: AnimationTimeline, deadline: Duration, now: Duration
  ) -> Action {
    let rules = rules(timeline)
    switch path.next(rules) {
    case .stall:
      if let failure = timeline.failure { return .fail(failure) }
      isStalled = true
      return .wait(until: nil)
    case .end:
      phase = .ended
      return .end
    case .frame(let next):
      presentationTime += timeline.duration(of: path.index)
      self.path = next
      // A frame that had to be waited for is not late.
      var due = isStalled ? now : deadline
      isStalled = false
      if lateFrames == .drop { due = drop(rules, timeline, due: due, now: now) }
      phase = .due(due)
      return self.path.map { .show($0) } ?? .end
    }
  }

  /// Leaves frames out whose time is over. Returns when the one that remains is due.
  private mutating func drop(
    _ rules: PlaybackPath.Rules, _ timeline: AnimationTimeline, due: Duration, now: Duration
  ) -> Duration {
    guard rate < .infinity else { return due }
    var due = due
    var count = 0
    while let path {
      let duration = timeline.duration(of: path.index)
      guard due + atRate(duration) <= now, case .frame(let next) = path.next(rules) else { return due }
      // More than a whole loop, there and back: not worth catching up.
      guard count < 2 * rules.count else { return now }
      due += atRate(duration)
      presentationTime += duration
      self.path = next
      count += 1
      dropped += 1
    }
    return due
  }

  /// The frame that is due is handed over now. Returns what is known of it.
  mutating func show(_ timeline: AnimationTimeline, now: Duration) -> Showing? {
    guard case .due(let due) = phase, let path else { return nil }
    let duration = timeline.duration(of: path.index)
    let lateness = due.map { max(.zero, now - $0) } ?? .zero
    // Late by more than its own time: what goes beyond that is lost, unless frames are dropped for it.
    let since = lateFrames == .keep ? max(due ?? now, now - atRate(duration)) : due ?? now
    phase = .shown(since: isRunning ? since : now, elapsed: .zero)
    defer { dropped = 0 }
    return Showing(
      path: path, presentationTime: presentationTime, duration: duration, lateness: lateness,
      dropped: dropped)
  }

  /// The facts of a frame at the time it is shown.
  struct Showing: Sendable {
    let path: PlaybackPath
    let presentationTime: Duration
    let duration: Duration
    let lateness: Duration
    let dropped: Int
  }

  // MARK: Controls

  mutating func setRate(_ rate: Double, now: Duration) {
    settle(now)
    self.rate = rate.isNaN ? 0 : max(0, rate)
  }

  mutating func setPaused(_ isPaused: Bool, now: Duration) {
    settle(now)
    self.isPaused = isPaused
  }

  mutating func setActive(_ isActive: Bool, now: Duration) {
    guard isActive != self.isActive else { return }
    settle(now)
    // A frame that was being fetched is due when it is there.
    if case .due = phase { phase = .due(nil) }
    self.isActive = isActive
    version += 1
  }

  mutating func setMode(_ mode: PlaybackMode) {
    guard mode != self.mode else { return }
    self.mode = mode
    version += 1
    switch mode {
    case .normal: path?.isBackward = false
    case .reverse: path?.isBackward = true
    case .bounce, .reversedBounce: break
    }
  }

  mutating func seek(to index: Int, loop: Int?, _ timeline: AnimationTimeline) {
    let index = max(0, min(index, timeline.count - 1))
    let isBackward = path?.isBackward ?? mode.beginsAtEnd
    path = PlaybackPath(index: index, isBackward: isBackward, loop: max(0, loop ?? path?.loop ?? 0))
    phase = .due(nil)
    dropped = 0
    version += 1
  }

  /// Back to before the first frame.
  mutating func rewind() {
    path = nil
    phase = .due(nil)
    presentationTime = .zero
    isStalled = false
    dropped = 0
    version += 1
  }

  /// Hands the playhead to another session at this time, which begins with the frame that is shown now.
  mutating func reopen() {
    if isEnded { rewind() }
    phase = .due(nil)
  }

  /// Takes the time that has passed as it was, before it is changed how it passes.
  private mutating func settle(_ now: Duration) {
    switch phase {
    case .shown(let since, let elapsed):
      phase = .shown(since: now, elapsed: elapsed + (isRunning ? played(in: now - since) : .zero))
    case .due, .ended: break
    }
  }

  /// How long something takes at the rate of now.
  private func atRate(_ duration: Duration) -> Duration {
    guard rate < .infinity, duration > .zero else { return .zero }
    // Durations of years are cut off, so that sums do not overflow.
    return rate == 1 ? duration : .milliseconds(min(duration / .milliseconds(1) / rate, 1e12))
  }

  /// How much is played in a time at the rate of now.
  private func played(in time: Duration) -> Duration {
    guard time > .zero else { return .zero }
    return rate == 1 ? time : .milliseconds(min(time / .milliseconds(1) * rate, 1e12))
  }
}
