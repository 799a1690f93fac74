import Glibc
import HelperPrograms
import Testing

/// A real `redis-server` on a port of its own; killed when it is released.
final class RedisServer {
  let port: Int
  private let options: [String]
  private(set) var process: pid_t = -1

  /// Where Debian installs it.
  static let program = "/usr/bin/redis-server"
  /// Whether the tests against Redis can run. `.ci/install test` installs it.
  static let isInstalled = access(program, X_OK) == 0

  /// Starts a server.
  ///
  /// - Parameter options: Further settings.
  init(_ options: [String] = [], port: Int? = nil) throws {
    self.port = try port ?? LoopbackSocket.freePort()
    self.options = options
    try start()
  }

  deinit { kill() }

  /// Starts it, again after ``kill()``, and returns when it accepts connections.
  func start() throws {
    process = try Child.startSilently(
      Self.program,
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp",
      ] + options)
    for _ in 0..<1_000 {
      if let socket = LoopbackSocket(connectingTo: port) {
        socket.close()
        return
      }
      usleep(10_000)  // A program that is not ours has no gate to open, and does not tell that it listens.
    }
    throw StartFailure()
  }

  struct StartFailure: Error {}

  /// Ends it at once, with all that it knows.
  func kill() {
    guard process > 0 else { return }
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    process = -1
  }

  /// Stops it from answering; connections are still accepted by the kernel.
  func freeze() { Glibc.kill(process, SIGSTOP) }
  /// Lets it go on.
  func thaw() { Glibc.kill(process, SIGCONT) }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests where there is no Redis.
  static var needsRedis: Self {
    .enabled(if: RedisServer.isInstalled, "needs \(RedisServer.program): .ci/install test installs it")
  }
}

/// A TCP socket on loopback.
struct LoopbackSocket {
  let descriptor: Int32

  /// A connection; `nil` when nobody listens.
  init?(connectingTo port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let number = descriptor
    let isConnected = Self.withAddress(port) { connect(number, $0, $1) } == 0
    if !isConnected {
      Glibc.close(descriptor)
      return nil
    }
  }

  /// A listener on a free port.
  init?() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let number = descriptor
    guard Self.withAddress(0, { bind(number, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
  }

  var port: Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  func close() { Glibc.close(descriptor) }

  static func freePort() throws -> Int {
    guard let listener = LoopbackSocket() else { throw RedisServer.StartFailure() }
    defer { listener.close() }
    return listener.port
  }

  private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
  {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
