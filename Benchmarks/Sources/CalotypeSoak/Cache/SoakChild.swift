import FoundationEssentials
import Glibc

/// A process of ours whose output is read to its end.
final class SoakChild {
  let pid: pid_t
  private let output: CInt

  /// Starts a program with its path in front of the arguments.
  init(_ command: [String]) throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw WrongRecord(description: "no pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let status = posix_spawn(&pid, command[0], &actions, nil, &words, environ)
    close(ends[1])
    guard status == 0 else {
      close(ends[0])
      throw WrongRecord(description: "\(command[0]) does not start: \(status)")
    }
    (self.pid, output) = (pid, ends[0])
  }

  deinit { close(output) }

  /// All lines it writes until it ends.
  func lines() -> [Substring] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = read(output, &block, block.count)
      if count > 0 { bytes += block[..<count] } else if count == 0 || errno != EINTR { break }
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Waits for its end, or for it to stop when that is asked for; the status of `waitpid`.
  @discardableResult
  func wait(untilStopped: Bool = false) -> CInt {
    var status: CInt = 0
    while waitpid(pid, &status, untilStopped ? WUNTRACED : 0) < 0, errno == EINTR {}
    return status
  }

  /// Writes a line to standard output at one go.
  static func say(_ line: String) {
    var line = line + "\n"
    _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// The path of this program.
  static var own: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  }
}
