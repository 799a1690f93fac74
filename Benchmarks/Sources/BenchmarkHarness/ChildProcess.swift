import Glibc

/// A program that reads lines and answers each by a line.
///
/// It ends when its standard input does, at the latest when this object goes.
public final class ChildProcess {
  private let identifier: pid_t
  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>

  /// Starts a program, found by its path, with this process's environment and standard error.
  ///
  /// - Throws: ``ChildProcessError``.
  public init(_ path: String, arguments: [String]) throws {
    // Who writes to a child that has ended shall get an error, not a signal.
    signal(SIGPIPE, SIG_IGN)
    let toChild = try Pipe()
    let fromChild = try Pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild.writing, STDOUT_FILENO)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let status = posix_spawn(&identifier, path, &actions, nil, &words, environ)
    close(toChild.reading)
    close(fromChild.writing)
    guard status == 0, let input = fdopen(toChild.writing, "w"), let output = fdopen(fromChild.reading, "r")
    else {
      throw ChildProcessError(description: "\(path) does not start: \(String(cString: strerror(status)))")
    }
    self.identifier = identifier
    self.input = input
    self.output = output
  }

  deinit {
    fclose(input)
    fclose(output)
    waitpid(identifier, nil, 0)
  }

  /// Sends a line, which has no line break of its own.
  ///
  /// - Throws: ``ChildProcessError`` when the child has ended.
  public func write(_ line: String) throws {
    guard fputs(line + "\n", input) >= 0, fflush(input) == 0 else {
      throw ChildProcessError(description: "the child process has ended")
    }
  }

  /// Waits for the next line; without its line break.
  ///
  /// - Throws: ``ChildProcessError`` when the child ends without one.
  public func read() throws -> String {
    var bytes: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(bytes) }
    let count = getline(&bytes, &capacity, output)
    guard count > 0, let bytes else {
      throw ChildProcessError(description: "the child process has ended without an answer")
    }
    return String(cString: bytes).split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Two ends that no other child gets.
  private struct Pipe {
    let reading: CInt
    let writing: CInt

    init() throws {
      var ends: [CInt] = [0, 0]
      guard pipe(&ends) == 0 else { throw ChildProcessError(description: "no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }
  }
}

/// Why a child process is of no use.
public struct ChildProcessError: Error, CustomStringConvertible {
  /// What happened.
  public let description: String

  /// Creates the error.
  public init(description: String) {
    self.description = description
  }
}
