/// The time that work takes on its thread.
///
/// The wait for a turn does not count. The wait for a process that decodes in the place of the thread does: it is the time for
/// which later work has to wait.
enum WorkTime {
  /// Performs work, and returns its result and its time.
  static func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, time: Duration) {
    let start = ContinuousClock.now
    let result = try work()
    return (result, ContinuousClock.now - start)
  }
}
