import Foundation
import Testing

/// A real `redis-server` on a port of its own, ended when it is released.
final class RedisProgram {
  /// Where Debian installs it.
  static let path = "/usr/bin/redis-server"
  static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

  let socket: URL
  let port: Int
  private let process = Process()

  /// Starts a server, and returns when it accepts connections.
  init() async throws {
    socket = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString).redis")
    // A port that is in use ends the program: another one is tried.
    port = Int.random(in: 20_000..<32_000)
    process.executableURL = URL(filePath: Self.path)
    process.arguments = [
      "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp",
      "--unixsocket", socket.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Its socket is there when it listens.
    while !FileManager.default.fileExists(atPath: socket.path) {
      try #require(process.isRunning)
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  deinit { kill() }

  /// Ends it at once.
  func kill() {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: socket)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests where there is no Redis.
  static var needsRedis: Self {
    .enabled(if: RedisProgram.isInstalled, "needs \(RedisProgram.path): .ci/install test installs it")
  }
}
