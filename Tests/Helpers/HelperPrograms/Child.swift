import FoundationEssentials
package import Glibc

/// A process whose standard output we hold.
package final class Child: Sendable {
  package let pid: pid_t
  package let output: Int32

  package init(_ program: String, _ arguments: [String]) throws {
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

  /// Starts a program of others, such as a server: it inherits no descriptors and no blocked signals, and its output is dropped.
  ///
  /// - Returns: Its number.
  package static func startSilently(_ program: String, _ arguments: [String]) throws -> pid_t {
    let argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Not the sockets of other tests, whose ends would not be seen then.
    for descriptor: Int32 in 3..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    // Threads of the pool block signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pid = pid_t()
    let code = posix_spawn(&pid, program, &actions, &attributes, argv, environ)
    guard code == 0 else { throw Failure(code: code) }
    return pid
  }

  package struct Failure: Error { package let code: Int32 }

  /// Reads until something has come or the process has closed its output.
  package func read(upTo count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = bytes.withUnsafeMutableBytes { Glibc.read(output, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, length)))
  }

  package func kill() {
    Glibc.kill(pid, SIGKILL)
  }

  /// - Returns: The signal that ended it, 0 for none.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F
  }
}

/// Returns the path of a helper program, built beside the tests.
package func helperProgram(_ name: String) -> String? {
  let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  let places = [own] + CommandLine.arguments
  return places.lazy
    .compactMap { place in place.lastIndex(of: "/").map { place[..<$0] + "/" + name } }
    .map { String($0) }
    .first { access($0, X_OK) == 0 }
}
