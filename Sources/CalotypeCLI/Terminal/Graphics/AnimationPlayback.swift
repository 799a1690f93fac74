import Calotype

/// Plays an animation: shows each frame for its time.
enum AnimationPlayback {
  /// Returns when it has played so many times; the last frame is shown then. Frames whose time is over before they could be
  /// shown are left out, so that slow terminals are not late.
  ///
  /// - Parameters:
  ///   - durations: Milliseconds of each frame.
  ///   - plays: How many times: 0 for ever.
  ///   - clock: Tells the time.
  ///   - show: Shows a frame of this index.
  /// - Throws: what `show` throws; `CancellationError` when the task is cancelled.
  static func play<C: Clock<Duration>>(
    frames durations: [Int], plays: Int, clock: C, show: (Int) async throws -> Void
  ) async throws {
    let timeline = FrameTimeline(durations: durations, plays: plays)
    let start = clock.now
    var shown: Int?
    var time = Duration.zero
    while let frame = timeline.frame(at: time) {
      if frame.index != shown { try await show(frame.index) }
      shown = frame.index
      try await clock.sleep(until: start.advanced(by: frame.end), tolerance: nil)
      time = max(frame.end, start.duration(to: clock.now))
    }
    if let shown, shown != durations.count - 1 { try await show(durations.count - 1) }
  }
}
