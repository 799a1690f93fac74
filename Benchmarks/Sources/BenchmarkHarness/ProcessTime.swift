import Glibc

/// What a program that runs once takes: start, work and end.
public struct ProcessTime: Hashable, Sendable {
  /// CPU time, user and system, all threads.
  public let milliseconds: Double
  /// From before its start until its end was seen.
  public let wallMilliseconds: Double
  /// Most bytes resident at a time, of the program or, where that is more, of one that it started. Never less than what
  /// this program has when it starts the other.
  public let peakBytes: Int

  /// Runs a program to its end, its output thrown away.
  ///
  /// - Throws: ``ChildProcessError`` when it does not start or does not succeed, ``Skipped`` when it is not there.
  public static func run(_ path: String, _ arguments: [String]) throws -> ProcessTime {
    guard access(path, X_OK) == 0 else { throw Skipped(reason: "\(path) is not installed") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // What this program once had would count as the other's.
    PeakMemory.reset()
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let start = ContinuousClock.now
    let started = posix_spawn(&identifier, path, &actions, nil, &words, environ)
    guard started == 0 else {
      throw ChildProcessError(description: "\(path) does not start: \(String(cString: strerror(started)))")
    }
    var status: CInt = 0
    var usage = rusage()
    guard wait4(identifier, &status, 0, &usage) == identifier, status == 0 else {
      throw ChildProcessError(description: "\(path) \(arguments.joined(separator: " ")) ended with \(status)")
    }
    let wall = start.duration(to: .now)
    func milliseconds(_ time: timeval) -> Double {
      Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
    }
    return ProcessTime(
      milliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      wallMilliseconds: wall / .milliseconds(1),
      peakBytes: usage.ru_maxrss * 1024)
  }
}
