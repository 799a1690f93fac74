import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

/// A second call into the same folder.
@Suite("Command: get, again", .timeLimit(.minutes(2)))
struct UnchangedTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer
  let first: Data
  let second: Data

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    (first, second) = (try Photos.data("dogs.webp"), try Photos.data("sunset.webp"))
  }

  private func serve(_ data: Data, _ tag: String, lifetime: Int) {
    server.route("/a.webp") { request in
      .resource(data, etag: tag, for: request, headers: [("Cache-Control", "max-age=\(lifetime)")])
    }
  }

  private func get(_ options: String...) throws -> Tool.Line {
    let run = try Tool.run(
      [
        "get", server.url("/a.webp").absoluteString, "--json", "--cache-dir", folder.file("cache"), "-o",
        folder.file("out/"),
      ] + options)
    #expect(run.status == 0, "\(run)")
    return try run.jsonLines()[0]
  }

  private var path: String { folder.file("out/a.webp") }

  /// The identity of the file: another one has another inode or time.
  private func identity() -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  @Test(
    "a stale image is asked for by its entity tag, and its file is not written again",
    arguments: [[], ["--thumbnail", "20x"]])
  func conditional(pixels: [String]) throws {
    serve(first, "\"1\"", lifetime: 0)
    func get() throws -> Tool.Line {
      try Tool.run(
        [
          "get", server.url("/a.webp").absoluteString, "--json", "--cache-dir", folder.file("cache"), "-o",
          folder.file("out/"),
        ]
          + pixels
      ).jsonLines()[0]
    }
    #expect(try get().unchanged == nil)
    let written = identity()
    #expect(try get().unchanged == true)
    #expect(identity() == written && !written.isEmpty)
    #expect(server.requests.map { $0[header: "If-None-Match"] } == [nil, "\"1\""])
    // Another version replaces it.
    serve(second, "\"2\"", lifetime: 0)
    #expect(try get().unchanged == nil)
    #expect(identity() != written)
    #expect(server.requests.count == 3)
  }

  @Test("a fresh image is not asked for, but with --revalidate")
  func revalidation() throws {
    serve(first, "\"1\"", lifetime: 1000)
    _ = try get()
    #expect(try get().unchanged == true)
    #expect(server.requests.count == 1)
    #expect(try get("--revalidate").unchanged == true)
    #expect(server.requests.map { $0[header: "If-None-Match"] } == [nil, "\"1\""])
    serve(second, "\"2\"", lifetime: 1000)
    #expect(try get("--revalidate").unchanged == nil)
    #expect(try Data(contentsOf: URL(filePath: path)) == second)
    // Stored under the key of calls without the option.
    #expect(try get().unchanged == true)
    #expect(server.requests.count == 3)
  }

  @Test("a file that was changed or removed is written again, without a request")
  func repaired() throws {
    serve(first, "\"1\"", lifetime: 1000)
    _ = try get()
    var damaged = first
    damaged[damaged.count - 1] ^= 1
    for contents in [damaged, Data(first.dropLast()), nil] {
      try contents?.write(to: URL(filePath: path))
      if contents == nil { try FileManager.default.removeItem(atPath: path) }
      #expect(try get().unchanged == nil)
      #expect(try Data(contentsOf: URL(filePath: path)) == first)
    }
    #expect(server.requests.count == 1)
  }

  @Test("a link of that contents is replaced all the same")
  func link() throws {
    serve(first, "\"1\"", lifetime: 1000)
    _ = try get()
    let elsewhere = folder.file("elsewhere")
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    #expect(symlink(elsewhere, path) == 0)
    #expect(try get().unchanged == nil)
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil)
  }

  @Test("no output replaces a local file that is a source of the same call")
  func otherSource() throws {
    try FileManager.default.createDirectory(atPath: folder.file("old"), withIntermediateDirectories: true)
    for (name, data) in [("old/a.webp", first), ("a.webp", second)] {
      try data.write(to: URL(filePath: folder.file(name)))
    }
    let run = try Tool.run(
      "get", folder.file("old/a.webp"), folder.file("a.webp"), "--thumbnail", "20x20", "--json", "--no-cache",
      "-o",
      folder.path)
    #expect(run.status == 1)
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.webp"))) == second)
    #expect(try run.jsonLines().compactMap(\.error?.code) == ["unwritableOutput"])
  }

  @Test("people are told, and unchanged files count as not written")
  func report() throws {
    serve(first, "\"1\"", lifetime: 0)
    let arguments = [
      "get", server.url("/a.webp").absoluteString, "--cache-dir", folder.file("cache"), "-o",
      folder.file("out/"),
    ]
    _ = try Tool.run(arguments)
    let run = try Tool.run(arguments)
    #expect(run.output.contains(", unchanged"))
    #expect(
      run.output.contains("1 image · 1 unchanged · ") && run.output.contains(" · 0 B written"), "\(run)")
  }
}
