import CalotypeSupport
import FoundationEssentials
import Glibc

@testable import CalotypeCaching

extension DiskCache {
  /// Does all upkeep that is scheduled.
  func finishUpkeep() {
    while isUpkeepScheduled { keepUp() }
  }
}

/// True for the first who asks.
final class Once: Sendable {
  private let taken = Lock(false)

  func take() -> Bool {
    taken.withLock { taken in
      defer { taken = true }
      return !taken
    }
  }
}

/// Holds threads until it is opened, and tells when the first has arrived.
final class Gate: Sendable {
  private let arrivals = AsyncStream<Void>.makeStream()
  private let isOpen = Lock(false)
  private let pipeEnds: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    pipeEnds = (ends[0], ends[1])
  }

  deinit {
    close(pipeEnds.read)
    if !isOpen.withLock({ $0 }) { close(pipeEnds.write) }
  }

  func wait() {
    arrivals.continuation.yield()
    var byte: UInt8 = 0
    // Reads the end of the pipe once it is open, as often as one likes.
    _ = read(pipeEnds.read, &byte, 1)
  }

  func reached() async {
    for await _ in arrivals.stream { return }
  }

  func open() {
    isOpen.withLock { $0 = true }
    close(pipeEnds.write)
  }
}

func truncateFile(_ path: String, to length: Int) {
  truncate(path, off_t(length))
}

/// A process whose standard output we hold.
final class Child: Sendable {
  let pid: pid_t
  let output: Int32

  init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var pid = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    argv.append(nil)
    let code = posix_spawn(&pid, program, &actions, nil, argv, environ)
    for argument in argv { free(argument) }
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Failure(code: code)
    }
    self.pid = pid
    output = ends[0]
  }

  deinit { close(output) }

  struct Failure: Error { let code: Int32 }

  /// Reads until something has come or the process has closed its output.
  func read(upTo count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = bytes.withUnsafeMutableBytes { Glibc.read(output, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, length)))
  }

  func kill() {
    Glibc.kill(pid, SIGKILL)
  }

  /// - Returns: The signal that ended it, 0 for none.
  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F
  }
}

/// The helper program `CacheWriter`, built beside the tests.
var cacheWriter: String? {
  let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  let places = [own] + CommandLine.arguments
  return places.lazy
    .compactMap { place in place.lastIndex(of: "/").map { place[..<$0] + "/CacheWriter" } }
    .map { String($0) }
    .first { access($0, X_OK) == 0 }
}
