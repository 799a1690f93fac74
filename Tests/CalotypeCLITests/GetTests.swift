import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

@Suite("Command: get")
struct GetTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    for name in ["stream.jpg", "brushes.png", "dogs.webp", "pan.gif"] {
      server.route("/" + name, .body(try Photos.data(name)))
    }
  }

  private func get(_ arguments: String...) throws -> Tool.Run { try get(arguments) }

  private func get(_ arguments: [String]) throws -> Tool.Run {
    try Tool.run(["get", "--cache-dir", folder.file("cache")] + arguments)
  }

  @Test("thumbnails come from the network, then from the disk cache, byte for byte the same")
  func twice() throws {
    let urls = ["/stream.jpg", "/brushes.png", "/dogs.webp", "/pan.gif"].map { server.url($0).absoluteString }
    let arguments = urls + ["--thumbnail", "100x100", "--json", "--cache-dir", folder.file("cache")]
    let first = try Tool.run(["get"] + arguments + ["-o", folder.file("one")])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.isEmpty)
    let lines = try first.jsonLines()
    #expect(Set(lines.map(\.source)) == Set(urls))
    #expect(lines.allSatisfy { $0.from == "loader" && max($0.width ?? 0, $0.height ?? 0) == 100 })
    #expect(Set(lines.compactMap(\.sourceBytes)).count == 4)

    let second = try Tool.run(["get"] + arguments + ["-o", folder.file("two")])
    #expect(try second.jsonLines().map(\.from) == ["disk", "disk", "disk", "disk"])
    #expect(server.requests.count == 4)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("one")).sorted()
    #expect(names == ["brushes.png", "dogs.webp", "pan.gif", "stream.jpg"])
    for name in names {
      let one = try Data(contentsOf: URL(filePath: folder.file("one/" + name)))
      #expect(try one == Data(contentsOf: URL(filePath: folder.file("two/" + name))))
    }
    #expect(
      try Tool.run("cache", "stats", "--json", "--cache-dir", folder.file("cache")).jsonLines()[0].records
        == 8)
    #expect(
      try Tool.run("cache", "clear", "--json", "--cache-dir", folder.file("cache")).jsonLines()[0]
        .removedRecords == 8)
    #expect(
      try Tool.run("cache", "stats", "--json", "--cache-dir", folder.file("cache")).jsonLines()[0].records
        == 0)
  }

  @Test(
    "a cached animation whose later frame is broken is loaded again",
    arguments: [["--format", "webp"], ["--format", "webp", "--thumbnail", "20x20"]])
  func brokenLater(options: [String]) throws {
    let whole = try brokenAnimation(isBroken: false)
    server.route(
      "/a.png", .body(try brokenAnimation(isBroken: true), headers: [("Cache-Control", "max-age=1000")]))
    let url = server.url("/a.png").absoluteString
    // The first frame is sound: the original is kept.
    let first = try get([
      url, "--first-frame", "--thumbnail", "8x8", "-o", folder.file("still.png"), "--json",
    ])
    #expect(try first.jsonLines()[0].isDamaged == false)
    let broken = try get([url, "-o", folder.file("a.webp")] + options)
    #expect(broken.status == 1 && broken.errors.contains("CRC"), "\(broken)")
    _ = try get([url, "--first-frame", "--thumbnail", "8x8", "-o", folder.file("still.png"), "--json"])
    server.route("/a.png", .body(whole, headers: [("Cache-Control", "max-age=1000")]))
    let mended = try get([url, "-o", folder.file("a.webp"), "--json"] + options)
    #expect(mended.status == 0, "\(mended)")
    #expect(try Tool.run("info", "--json", folder.file("a.webp")).jsonLines()[0].frames ?? 0 > 1)
  }

  /// An APNG, the CRC of whose last frame may be wrong.
  private func brokenAnimation(isBroken: Bool) throws -> Data {
    var data = try Data(contentsOf: URL(filePath: Photos.fixture("apng/generated/loop-1.png")))
    try #require(data.suffix(12).prefix(8).elementsEqual([0, 0, 0, 0] + Array("IEND".utf8)))
    if isBroken { data[data.count - 13] ^= 1 }
    return data
  }

  @Test("a link is followed for a file that was named, and replaced where the name follows from the URL")
  func links() throws {
    let victim = folder.file("victim")
    for destination in ["out/stream.jpg", "out/pan.gif", "named.jpg"] {
      let path = folder.file(destination)
      try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
      try Data("precious".utf8).write(to: URL(filePath: victim))
      #expect(symlink(victim, path) == 0)
      let output = destination == "named.jpg" ? path : folder.file("out/")
      let name = destination.hasSuffix("pan.gif") ? "pan.gif" : "stream.jpg"
      let run = try get(server.url("/" + name).absoluteString, "-o", output, "--no-cache")
      #expect(run.status == 0, "\(run.errors)")
      var status = stat()
      #expect(lstat(path, &status) == 0)
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      let isPrecious = try Data(contentsOf: URL(filePath: victim)) == Data("precious".utf8)
      #expect(isLink == (destination == "named.jpg") && isPrecious == (destination != "named.jpg"))
      #expect(try Data(contentsOf: URL(filePath: path)) == Photos.data(name))
    }
    #expect(folder.names.allSatisfy { !$0.contains("calotype-") })
  }

  @Test("frames that a format cannot hold are told")
  func droppedFrames() throws {
    let options = ["--format", "jpeg", "-o", folder.file("out/")]
    let run = try get(
      [server.url("/pan.gif").absoluteString, server.url("/stream.jpg").absoluteString] + options)
    #expect(run.status == 0 && run.errors.split(separator: "\n").count == 1)
    #expect(run.errors.contains("only the first of 14 frames was written"))
    #expect(try get([server.url("/pan.gif").absoluteString, "--quiet"] + options).errors.isEmpty)
  }

  @Test("without pixel options the file is what the server sent")
  func verbatim() throws {
    let run = try get(server.url("/stream.jpg").absoluteString, "-o", folder.file("a.jpg"), "--no-cache")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.jpg"))) == Photos.data("stream.jpg"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("cache")))
  }

  @Test("each failure is told with its code, nothing else is lost, nothing half-written is left")
  func failures() throws {
    let photo = try Photos.data("stream.jpg")
    server.route("/500", .status(500))
    server.route("/empty", .body(Data()))
    server.route("/page", .body(Data("<html><body>Sign in</body></html>".utf8)))
    server.route("/cut", .truncated(photo.prefix(1000), declared: photo.count))
    server.route("/short", .body(photo.prefix(photo.count / 2)))
    server.route("/slow", .hang)
    let refused = try ScriptedHTTPServer()
    let closed = refused.url("/").absoluteString
    refused.stop()
    let cases = [
      ("http://no-such-host.invalid/a.jpg", "hostNotFound"),
      (closed, "connectionFailed"),
      (server.url("/404").absoluteString, "httpStatus"),
      (server.url("/500").absoluteString, "httpStatus"),
      (server.url("/slow").absoluteString, "timedOut"),
      (server.url("/empty").absoluteString, "emptyBody"),
      (server.url("/page").absoluteString, "unrecognizedFormat"),
      (server.url("/cut").absoluteString, "truncatedBody"),
      (server.url("/short").absoluteString, "truncated"),
      (folder.file("missing.jpg"), "fileNotFound"),
      ("ftp://127.0.0.1/a.jpg", "unsupportedScheme"),
      ("data:image/png;base64,!!!!", "invalidDataURL"),
    ]
    let good = [server.url("/stream.jpg").absoluteString, Photos.path("dogs.webp")]
    let run = try get(
      arguments: [good[0]] + cases.map(\.0) + [good[1]]
        + ["--thumbnail", "50x50", "--timeout", "1.5", "--json", "-o", folder.file("out")])
    #expect(run.status == 1)
    var codes: [String: String] = [:]
    var written: Set<String> = []
    for line in try run.jsonLines() {
      let source = try #require(line.source)
      if let error = line.error {
        codes[source] = error.code
        #expect(!error.message.isEmpty)
      } else {
        written.insert(source)
      }
    }
    for (source, code) in cases { #expect(codes[source] == code, "\(source)") }
    #expect(written == Set(good))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted() == [
        "dogs.webp", "stream.jpg",
      ])
  }

  private func get(arguments: [String]) throws -> Tool.Run {
    try Tool.run(["get", "--cache-dir", folder.file("cache")] + arguments)
  }

  @Test("an unwritable folder or file is told, with status 1")
  func unwritable() throws {
    let url = server.url("/stream.jpg").absoluteString
    for output in ["/proc/none/", "/proc/none/a.jpg"] {
      let run = try get(url, "-o", output, "--json")
      #expect(run.status == 1)
      #expect(try run.jsonLines().map { $0.error?.code } == ["unwritableOutput"])
    }
  }

  @Test("a source is never overwritten by what is made of it, and a device is written to, not replaced")
  func keepsItsHands() throws {
    let original = try Photos.data("stream.jpg")
    try original.write(to: URL(filePath: folder.file("stream.jpg")))
    let run = try get(folder.file("stream.jpg"), "--thumbnail", "10x10", "-o", folder.path, "--json")
    #expect(run.status == 1)
    #expect(try run.jsonLines()[0].error?.code == "unwritableOutput")
    #expect(try Data(contentsOf: URL(filePath: folder.file("stream.jpg"))) == original)

    #expect(symlink("/dev/null", folder.file("link.jpg")) == 0)
    #expect(
      try get(Photos.path("stream.jpg"), "--thumbnail", "10x10", "-o", folder.file("link.jpg")).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.jpg")) == "/dev/null")
  }

  @Test("one malformed URL does not stop the others")
  func malformed() throws {
    let run = try get(
      "http://[::1/a b", Photos.path("dogs.webp"), "--thumbnail", "10x10", "-o", folder.file("out"), "--json")
    #expect(run.status == 1)
    #expect(Set(try run.jsonLines().map { $0.error?.code }) == ["invalidURL", nil])
  }

  @Test("the report for people says sizes, bytes, places and the sum; --quiet says nothing")
  func report() throws {
    let url = server.url("/stream.jpg").absoluteString
    let run = try get(url, "--thumbnail", "100x", "-o", folder.file("a.jpg"))
    #expect(run.output.contains("1731×1151 → 100×66"))
    #expect(run.output.contains("network"))
    #expect(run.output.contains("1 image · 1 from network"))
    #expect(run.output.contains("saved"))
    #expect(run.errors.isEmpty)
    let again = try get(url, "--thumbnail", "100x", "-o", folder.file("a.jpg"))
    #expect(again.output.contains("disk cache"))
    let quiet = try get(url, "--thumbnail", "100x", "-o", folder.file("a.jpg"), "--quiet")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
  }

  @Test("^C ends with status 130, closes the connection and leaves no file behind")
  func interrupt() async throws {
    let begun = Gate()
    let photo = try Photos.data("stream.jpg")
    server.route(
      "/slow.jpg",
      ScriptedReply([
        .head(200, [("Content-Length", "\(photo.count)")]), .bytes(photo.prefix(5000)), .signal(begun), .hang,
      ]))
    let child = try Tool.start([
      "get", server.url("/slow.jpg").absoluteString, "-o", folder.file("out/"), "--cache-dir",
      folder.file("cache"),
    ])
    // Not by `await`: on a busy machine the turn after it may come when the command has given up.
    begun.waitBlocking()
    child.send(SIGINT)
    let run = try child.wait()
    #expect(run.status == 130, "\(run)")
    try await server.waitForDisconnects("/slow.jpg")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).isEmpty)
  }

  @Test("sources of one name get files of their own")
  func equalNames() throws {
    let run = try get(
      Photos.path("stream.jpg"), server.url("/stream.jpg").absoluteString, "--thumbnail", "10x10", "-o",
      folder.file("out"))
    #expect(run.status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
        == ["stream-2.jpg", "stream.jpg"])
  }
}
