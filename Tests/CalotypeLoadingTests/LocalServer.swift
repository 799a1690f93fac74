import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HelperPrograms

/// A real HTTP server in a process of its own, serving a temporary folder.
final class LocalServer {
  let folder: URL
  let port: Int
  private let process: pid_t

  /// Where `name` is installed, if it is.
  static func path(of name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (folders + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(name)" }.first {
      access($0, X_OK) == 0
    }
  }

  /// A folder of its own for a server.
  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Starts `command` and waits until `port` accepts connections.
  init(_ command: [String], folder: URL, port: Int) throws {
    self.folder = folder
    self.port = port
    process = try Child.startSilently(command[0], Array(command.dropFirst()))
    // It may take its time to start; a connection is refused at once until it listens.
    for _ in 0..<2_000 {
      if Self.connects(to: port) { return }
      usleep(5_000)  // A program that is not ours has no gate to open, and does not tell that it listens.
    }
    throw LocalServerError(description: "\(command[0]) does not listen on port \(port)")
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Runs `command` to its end. True if it succeeded.
  static func run(_ command: [String]) throws -> Bool {
    var status: Int32 = 0
    waitpid(try Child.startSilently(command[0], Array(command.dropFirst())), &status, 0)
    return status == 0
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
    guard isBound else { throw LocalServerError(description: "no free port") }
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
}

/// Why a server could not be started.
struct LocalServerError: Error, CustomStringConvertible {
  let description: String
}
