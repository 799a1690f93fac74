import FoundationEssentials
import Glibc

/// Runs the built `calotype` command and collects what it writes.
struct Tool {
  /// One line of `--json`: the fields of all commands.
  struct Line: Decodable {
    struct Facts: Decodable {
      struct Dominant: Decodable {
        let color: String
        let share: Double
      }

      let averageColor: String
      let dominantColors: [Dominant]
      let hasTransparency: Bool
      let blurHash: String
      let thumbHash: String
    }

    struct Failure: Decodable {
      let code: String
      let message: String
      let status: Int?
      let retryAfter: Int?
    }

    struct Step: Decodable {
      let place: String
      let outcome: String
    }

    let source: String?
    let error: Failure?
    let output: String?
    let format: String?
    let width: Int?
    let height: Int?
    let bytes: Int?
    let sourceBytes: Int?
    let droppedFrames: Int?
    let droppedPages: Int?
    let unchanged: Bool?
    let from: String?
    let frames: Int?
    let hasAllFrames: Bool?
    let loadedBytes: Int?
    let steps: [Step]?
    let loopCount: Int?
    let durations: [Int]?
    let hasAlpha: Bool?
    let bitDepth: Int?
    let colorProfile: String?
    let isDamaged: Bool?
    let orientation: Int?
    let pixelsSHA256: [String]?
    let facts: Facts?
    let name: String?
    let arguments: String?
    let path: String?
    let records: Int?
    let removedRecords: Int?
    let parts: Int?
    let partBytes: Int?
    let removedParts: Int?
    let exported: Int?
    let imported: Int?
    let known: Int?
    let expired: Int?
    let omitted: Int?
    let refused: Int?
    let damaged: [String]?
    let line: Int?
    let outcome: String?
    let event: String?
    let received: Int?
    let expected: Int?
    let stages: [String: Double]?
    let `protocol`: String?
    let columns: Int?
    let rows: Int?
    let plays: Int?
    let previews: Int?
  }

  struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output as JSON objects.
    func jsonLines() throws -> [Line] {
      try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
  }

  /// A folder of its own for each test, removed with it.
  final class Folder {
    let path: String

    init() throws {
      path = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  }

  struct POSIXFailure: Error { let errno: Int32 }

  /// A Boolean value that indicates whether the command is built with ThreadSanitizer, which holds back the signals
  /// that handlers send.
  static let delaysSignals = getenv("TSAN_OPTIONS") != nil

  /// Next to the bundle of the tests.
  static let path: String = {
    let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: test).deletingLastPathComponent().appending(path: "calotype").path
  }()

  static func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Run {
    try run(arguments, environment: environment)
  }

  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Run {
    let child = try start(arguments, environment: environment)
    return try child.wait()
  }

  final class Child {
    let pid: pid_t
    private let folder: Folder

    init(pid: pid_t, folder: Folder) {
      self.pid = pid
      self.folder = folder
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Waits until it is stopped by a signal.
    func waitUntilStopped() throws {
      var raw: Int32 = 0
      while waitpid(pid, &raw, WUNTRACED) < 0 {
        guard errno == EINTR else { throw POSIXFailure(errno: errno) }
      }
      guard raw & 0xff == 0x7f else { throw POSIXFailure(errno: ESRCH) }
    }

    /// Whether one of its threads waits for a terminal that does not read.
    func isWriting() throws -> Bool {
      let tasks = "/proc/\(pid)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
        // The number of `write`, its arguments: https://man7.org/linux/man-pages/man5/proc_pid_syscall.5.html
        let call = try? String(contentsOfFile: "\(tasks)/\(task)/syscall", encoding: .utf8)
        #if arch(arm64)
        return call?.hasPrefix("64 ") == true
        #else
        return call?.hasPrefix("1 ") == true
        #endif
      }
    }

    /// Sends a signal until it has ended.
    func end(by signal: Int32) throws -> Run {
      try wait {
        self.send(signal)
        sched_yield()
      }
    }

    /// Exit status; 1000 plus the signal for a crash.
    ///
    /// - Parameter nudge: What to do while it has not ended.
    func wait(nudge: (() -> Void)? = nil) throws -> Run {
      var raw: Int32 = 0
      while true {
        let ended = waitpid(pid, &raw, nudge == nil ? 0 : WNOHANG)
        if ended > 0 { break }
        guard ended == 0 || errno == EINTR else { throw POSIXFailure(errno: errno) }
        nudge?()
      }
      let status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 1000 + (raw & 0x7f)
      return Run(
        status: status, output: try String(contentsOfFile: folder.file("out"), encoding: .utf8),
        errors: try String(contentsOfFile: folder.file("err"), encoding: .utf8))
    }
  }

  /// - Parameters:
  ///   - program: What is run; the command by default.
  ///   - arguments: What follows its name.
  ///   - environment: What differs from ours.
  ///   - input: Descriptor of standard input; nothing by default.
  ///   - output: Descriptor of standard output; a file by default.
  ///   - errors: Descriptor of standard error; a file by default.
  static func start(
    program: String = path, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil,
    output: Int32? = nil, errors: Int32? = nil
  ) throws -> Child {
    let folder = try Folder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 1, folder.file("out"), O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder.file("err"), O_WRONLY | O_CREAT, 0o600)
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of the test runner may block signals; the command must start with none blocked.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // Those that a shell ignores in the background.
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for signal in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    // A job of its own, as shells start them. The group of the tests may be an orphaned one, whose processes cannot be stopped.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var argv = ([program] + arguments).map { strdup($0) }
    argv.append(nil)
    let merged = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    var envp = merged.map { strdup("\($0.key)=\($0.value)") }
    envp.append(nil)
    defer { (argv + envp).forEach { free($0) } }
    var pid = pid_t()
    let error = posix_spawn(&pid, program, &actions, &attributes, argv, envp)
    guard error == 0 else { throw POSIXFailure(errno: error) }
    return Child(pid: pid, folder: folder)
  }
}
