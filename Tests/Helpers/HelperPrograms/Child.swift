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
