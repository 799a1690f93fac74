import BenchmarkHarness
import FoundationEssentials

/// The same transfers by Calotype, by curl, and by AsyncHTTPClient: each a process from its start to its end.
struct LoadingPeers {
  let server: LocalServer
  let file: String
  let byteCount: Int
  let transfers: Int
  let concurrency: Int
  /// A folder for files; without it bytes are dropped.
  var target: URL?
  /// Bodies are taken chunk by chunk instead of whole.
  var isStreaming = false

  /// Makes the file that is served.
  init(_ server: LocalServer, file: String, byteCount: Int, transfers: Int, concurrency: Int) throws {
    self.server = server
    self.file = file
    self.byteCount = byteCount
    self.transfers = transfers
    self.concurrency = concurrency
    try server.serve(file, byteCount: byteCount)
  }

  /// The program that has only the loader, beside this one.
  static func child() throws(Skipped) -> String {
    let program = Peers.product("calotype-transfers")
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Skipped(reason: "calotype-transfers is not built: run make bench NAME=loading")
    }
    return program
  }

  /// The library, in that program.
  func calotype() throws -> ProcessTime {
    var arguments = words
    if let target { arguments += ["--to", target.path] }
    if let caFile = server.caFile { arguments += ["--ca", caFile] }
    return try run(Self.child(), arguments + ["\(server.address)/\(file)"])
  }

  /// AsyncHTTPClient, in the package that `Peers` holds for it.
  func asyncHTTPClient() throws -> ProcessTime {
    let program = Peers.folder.appending(path: "AsyncHTTPClient/.build/release/async-http-client-transfers")
      .path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Skipped(reason: "AsyncHTTPClient is not built: run make bench NAME=loading")
    }
    return try run(program, words + ["\(server.address)/\(file)"])
  }

  /// The command of curl, which writes bodies as they come or not at all.
  func curl() throws -> ProcessTime {
    let program = try Program.path(of: "curl")
    let configuration = server.folder.appending(path: "curl.conf")
    // Read by curl as part of its work, as our child makes its URLs; writing it here is not measured.
    let lines = (0..<transfers).map { number in
      """
      url = "\(server.address)/\(file)?\(number)"
      output = "\(target?.appending(path: "\(number)").path ?? "/dev/null")"
      """
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: configuration)
    var arguments = ["-q", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", "\(concurrency)"]
    if let caFile = server.caFile {
      arguments += ["--http2", "--cacert", caFile]
    } else {
      // A connection each at once; over HTTP/2 all are to share one.
      arguments.append("--parallel-immediate")
    }
    return try run(program, arguments + ["--config", configuration.path])
  }

  private var words: [String] {
    ["--transfers", "\(transfers)", "--concurrency", "\(concurrency)", "--bytes", "\(byteCount)"]
      + (isStreaming ? ["--stream"] : [])
  }

  /// Files of the run before are not there any more: to make room in them would be work of its own.
  private func run(_ program: String, _ arguments: [String]) throws -> ProcessTime {
    if let target {
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    }
    return try ProcessTime.run(program, arguments)
  }
}
