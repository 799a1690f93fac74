extension Clock<Duration> {
  /// Returns a function that measures the time since this call.
  package var stopwatch: @Sendable () -> Duration {
    let start = now
    return { start.duration(to: self.now) }
  }
}
