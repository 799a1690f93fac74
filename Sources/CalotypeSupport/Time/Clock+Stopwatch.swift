extension Clock<Duration> {
  /// Returns a function that tells the time since now.
  package var stopwatch: @Sendable () -> Duration {
    let start = now
    return { start.duration(to: self.now) }
  }
}
