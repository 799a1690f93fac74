import BenchmarkHarness
import FoundationEssentials

/// 500 JPEGs from a server on loopback to thumbnails in files, by the command and by what people would use instead: each a
/// process, or a script of processes, from its start to its end.
struct BatchPeers {
  /// Someone who makes the thumbnails.
  struct Peer: Sendable {
    let name: String
    /// Program and arguments; `Skipped` when it is not there.
    let command: @Sendable (BatchPeers) throws -> [String]
  }

  private let server: LocalServer
  private let names: [String]
  /// In memory where there is such a folder: the disk is not what is measured.
  private let folder: URL
  private var output: URL { folder.appending(path: "out") }
  private var downloads: URL { folder.appending(path: "downloads") }
  private var list: URL { folder.appending(path: "urls") }
  private var configuration: URL { folder.appending(path: "curl.conf") }

  var count: Int { names.count }

  /// Starts the server; makes what it serves, if that is not there yet.
  init() throws {
    let source = try Peers.file("batch")
    names = try FileManager.default.contentsOfDirectory(atPath: source).sorted()
    let server = try LocalServer.nginx()
    self.server = server
    try FileManager.default.createSymbolicLink(
      atPath: server.folder.appending(path: "batch").path, withDestinationPath: source)
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let parent = FileManager.default.isWritableFile(atPath: memory.path) ? memory : server.folder
    folder = parent.appending(path: "calotype-batch-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(urls.joined(separator: "\n").utf8).write(to: list)
    let entries = zip(urls, names).map { url, name in
      "url = \"\(url)\"\noutput = \"\(downloads.appending(path: name).path)\""
    }
    try Data(entries.joined(separator: "\n").utf8).write(to: configuration)
  }

  /// Removes what was written.
  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  private var urls: [String] { names.map { "\(server.address)/batch/\($0)" } }

  /// Runs a command with folders that are empty, and looks whether all thumbnails are there.
  ///
  /// - Throws: ``Skipped``, ``ChildProcessError``.
  func run(_ command: [String]) throws -> ProcessTime {
    for folder in [output, downloads] {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let time = try ProcessTime.run(command[0], Array(command.dropFirst()))
    let files = try FileManager.default.contentsOfDirectory(atPath: output.path)
    guard files.sorted() == names else {
      throw ChildProcessError(description: "\(command[0]) made \(files.count) thumbnails of \(count)")
    }
    return time
  }

  /// The command, with as many images under way as it is told.
  static func calotype(concurrency: Int) -> Peer {
    Peer(name: "calotype get --concurrency \(concurrency)") { peers in
      guard FileManager.default.isExecutableFile(atPath: Peers.command) else {
        throw Skipped(reason: "there is no command: run make build")
      }
      return [Peers.command, "get"] + peers.urls + [
        "--output", peers.output.path, "--thumbnail", "320x320", "--fit", "--format", "jpeg", "--quality",
        "80",
        "--no-cache", "--quiet", "--concurrency", "\(concurrency)",
      ]
    }
  }

  /// `Peers/batch.py`.
  static func python(threads: Int) -> Peer {
    Peer(name: "pyvips + pycurl, \(threads) threads") { peers in
      let python = try Peers.python()
      do {
        _ = try ProcessTime.run(python, ["-c", "import pycurl, pyvips"])
      } catch is ChildProcessError {
        throw Skipped(reason: "pycurl or pyvips is not installed: run .ci/install bench")
      }
      let script = Peers.folder.appending(path: "batch.py").path
      return [python, script, "\(threads)", peers.list.path, peers.output.path]
    }
  }

  /// The commands of curl and libvips, one after the other; of the second, one for each of two processors.
  static var commands: Peer {
    Peer(name: "curl --parallel, vipsthumbnail") { peers in
      let (curl, vipsthumbnail) = (try Program.path(of: "curl"), try Program.path(of: "vipsthumbnail"))
      let script = """
        \(curl) -q --no-progress-meter --fail --parallel --parallel-max 8 --config \(peers.configuration.path) &&
        ls \(peers.downloads.path)/*.jpg | VIPS_CONCURRENCY=1 xargs -P 2 -n 50 sh -c '
          \(vipsthumbnail) "$@" --size 320x320 -o "\(peers.output.path)/%s.jpg[Q=80,strip]"' _
        """
      return ["/bin/sh", "-c", script]
    }
  }
}
