public import FoundationEssentials
import Glibc

/// A web server in a process of its own, on a free port of the loopback interface, serving a temporary folder.
///
/// Both end with this object.
///
/// ```swift
/// let server = try LocalServer.nginx()
/// try server.serve("small.bin", byteCount: 50_000)
/// // "\(server.address)/small.bin"
/// ```
public final class LocalServer: Sendable {
  /// What it serves.
  public let folder: URL
  /// Scheme, host and port.
  public let address: String
  /// The certificate to trust, of a server that speaks TLS.
  public let caFile: String?
  private let process: pid_t

  /// Starts a program and waits until the port accepts connections.
  ///
  /// - Throws: ``ChildProcessError``.
  init(_ command: [String], folder: URL, port: Int, caFile: String? = nil) throws {
    self.folder = folder
    self.caFile = caFile
    address = "\(caFile == nil ? "http" : "https")://127.0.0.1:\(port)"
    process = try Self.spawn(command)
    for _ in 0..<2_000 {
      if Self.connects(to: port) { return }
      // A program that is not ours does not tell that it listens.
      usleep(5_000)
    }
    throw ChildProcessError(description: "\(command[0]) does not listen on port \(port)")
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Makes a file to be served: of bytes that do not compress, or a hole, whose pages cost nobody any reading.
  public func serve(_ name: String, byteCount: Int, isHole: Bool = false) throws {
    let file = folder.appending(path: name)
    if isHole {
      try Data().write(to: file)
      guard truncate(file.path, byteCount) == 0 else {
        throw ChildProcessError(description: "\(file.path): \(String(cString: strerror(errno)))")
      }
    } else {
      try Self.bytes(byteCount).write(to: file)
    }
  }

  /// The bytes of a served file.
  public static func bytes(_ byteCount: Int) -> Data {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let words = (0..<(byteCount + 7) / 8).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    return words.withUnsafeBytes { Data($0.prefix(byteCount)) }
  }

  /// A folder of its own for a server.
  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// A port that is free now: bound, never listened on, and given back before this returns.
  static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = loopback(port: 0)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw ChildProcessError(description: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private static func connects(to port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Runs a program to its end.
  static func run(_ command: [String]) throws {
    var status: CInt = 0
    guard waitpid(try spawn(command), &status, 0) > 0, status == 0 else {
      throw ChildProcessError(description: "\(command.joined(separator: " ")) ended with \(status)")
    }
  }

  /// Starts a program, its output thrown away.
  private static func spawn(_ command: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let status = posix_spawn(&process, command[0], &actions, nil, &words, environ)
    guard status == 0 else {
      throw ChildProcessError(description: "\(command[0]): \(String(cString: strerror(status)))")
    }
    return process
  }
}
