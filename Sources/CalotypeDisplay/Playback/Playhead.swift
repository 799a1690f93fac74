import Calotype

/// The position of a player, and its next action. Pure: the time is passed in.
struct Playhead: Sendable {
  /// The next step.
  enum Action: Sendable {
    /// Fetch this frame and show it.
    case show(PlaybackPath)
    /// Wait until this time, or for a change.
    case wait(until: Duration?)
    /// End: there are no more frames.
    case end
    /// End with this error.
    case fail(any Error)
  }

  private enum Phase {
    /// The frame at `path` is due, since this time; with `nil`, as soon as it is available.
    case due(Duration?)
    /// The frame at `path` is shown; at `since`, it had been shown for `elapsed` of its duration.
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
  /// Whether all available frames have been played, and more are to come.
  private(set) var isStalled = false
  /// Changes whenever another frame becomes the next one.
  private(set) var version = 0
  private var phase = Phase.due(nil)
  /// The position on the presentation timeline.
  private var presentationTime = Duration.zero
  private var dropped = 0

  /// Whether playback advances.
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
      // A frame that was waited for is not late.
      var due = isStalled ? now : deadline
      isStalled = false
      if lateFrames == .drop { due = drop(rules, timeline, due: due, now: now) }
      phase = .due(due)
      return self.path.map { .show($0) } ?? .end
    }
  }

  /// Skips frames whose time is over. Returns the time at which the remaining one is due.
  private mutating func drop(
    _ rules: PlaybackPath.Rules, _ timeline: AnimationTimeline, due: Duration, now: Duration
  ) -> Duration {
    guard rate < .infinity else { return due }
    var due = due
    var count = 0
    while let path {
      let duration = timeline.duration(of: path.index)
      guard due + atRate(duration) <= now, case .frame(let next) = path.next(rules) else { return due }
      // More than a whole loop, forwards and backwards: not worth catching up.
      guard count < 2 * rules.count else { return now }
      due += atRate(duration)
      presentationTime += duration
      self.path = next
      count += 1
      dropped += 1
    }
    return due
  }

  /// Records that the due frame is delivered now, and returns its facts.
  mutating func show(_ timeline: AnimationTimeline, now: Duration) -> Showing? {
    guard case .due(let due) = phase, let path else { return nil }
    let duration = timeline.duration(of: path.index)
    let lateness = due.map { max(.zero, now - $0) } ?? .zero
    // The frame is late by more than its own duration: the excess is lost, unless frames are dropped for
    // it.
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
    // A frame that was being fetched is due when it is available.
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

  /// Returns to the position before the first frame.
  mutating func rewind() {
    path = nil
    phase = .due(nil)
    presentationTime = .zero
    isStalled = false
    dropped = 0
    version += 1
  }

  /// Hands the playhead over to another session, which begins with the frame that is shown now.
  mutating func reopen() {
    if isEnded { rewind() }
    phase = .due(nil)
  }

  /// Accounts for the elapsed time before the flow of time changes.
  private mutating func settle(_ now: Duration) {
    switch phase {
    case .shown(let since, let elapsed):
      phase = .shown(since: now, elapsed: elapsed + (isRunning ? played(in: now - since) : .zero))
    case .due, .ended: break
    }
  }

  /// Returns the real time of a duration at the current rate.
  private func atRate(_ duration: Duration) -> Duration {
    guard rate < .infinity, duration > .zero else { return .zero }
    // Durations of years are cut off, so that sums do not overflow.
    return rate == 1 ? duration : .milliseconds(min(duration / .milliseconds(1) / rate, 1e12))
  }

  /// Returns the presentation time of a real duration at the current rate.
  private func played(in time: Duration) -> Duration {
    guard time > .zero else { return .zero }
    return rate == 1 ? time : .milliseconds(min(time / .milliseconds(1) * rate, 1e12))
  }
}
