import Glibc

/// The processor time of the calling thread.
enum ProcessorTime {
  /// The time since the start of the thread.
  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Performs work, and returns its result and the processor time that the thread has spent on it: neither waits nor the work
  /// of other threads count.
  static func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, time: Duration) {
    let start = now
    let result = try work()
    return (result, now - start)
  }
}
