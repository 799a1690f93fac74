import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: --accept", .timeLimit(.minutes(2)))
struct AcceptTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    for name in ["stream.jpg", "brushes.png", "pan.gif"] {
      server.route("/" + name, .body(try Photos.data(name), headers: [("Cache-Control", "max-age=100")]))
    }
  }

  private func get(_ name: String, _ accept: String, _ options: String...) throws -> Tool.Run {
    try Tool.run(
      [
        "get", server.url("/" + name).absoluteString, "--accept", accept, "--json", "--thumbnail", "40x40",
        "--cache-dir", folder.file("cache"), "-o", folder.file("out/"),
      ] + options)
  }

  @Test(
    "the format suits the field and the image, and names the file",
    arguments: [
      ("stream.jpg", "image/webp,*/*;q=0.8", "webp"), ("stream.jpg", "image/jpeg", "jpeg"),
      ("stream.jpg", "image/png;q=0.4, image/jpeg;q=0.5", "jpeg"),
      ("brushes.png", "image/jpeg;q=0.5, image/png;q=0.5", "png"), ("pan.gif", "image/gif", "gif"),
      ("pan.gif", "image/apng, image/png", "apng"), ("pan.gif", "*/*", "webp"),
      ("stream.jpg", "text/html", "jpeg"),
    ])
  func outcome(name: String, accept: String, format: String) throws {
    let fileExtension = ["jpeg": "jpg", "apng": "png"][format] ?? format
    let stem = String(name.prefix { $0 != "." })
    for options in [[], ["--no-cache"]] {
      let run = try Tool.run(
        [
          "get", server.url("/" + name).absoluteString, "--accept", accept, "--json", "--thumbnail", "40x40",
          "-o", folder.file("out/"), "--cache-dir", folder.file("cache"),
        ] + options)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
      let line = try run.jsonLines()[0]
      #expect(line.format == format && line.output == folder.file("out/\(stem).\(fileExtension)"))
      let info = try Tool.run("info", "--json", line.output ?? "").jsonLines()[0]
      #expect(info.format == format && max(info.width ?? 0, info.height ?? 0) == 40)
      #expect((info.frames ?? 0 > 1) == (name == "pan.gif"))
    }
    let converted = try Tool.run(
      "convert", Photos.path(name), folder.file("converted"), "--accept", accept, "--json", "--thumbnail",
      "40x40")
    #expect(try converted.jsonLines()[0].output == folder.file("converted.\(fileExtension)"))
    #expect(FileManager.default.fileExists(atPath: folder.file("converted.\(fileExtension)")))
  }

  #if AVIF
  @Test(
    "AVIF and JPEG XL are chosen only if the field names them",
    .enabled(if: AVIFEncoder().refusal == nil))
  func recentFormats() throws {
    func format(_ accept: String) throws -> String? {
      try get("stream.jpg", accept, "--no-cache").jsonLines()[0].format
    }
    #expect(try format("image/avif,image/webp,*/*;q=0.8") == "avif")
    #expect(try format("image/avif;q=0,image/webp,*/*;q=0.8") == "webp")
    #expect(try format("image/*") == "webp")
    #if JXL
    if JXLEncoder().refusal == nil { #expect(try format("image/jxl,*/*;q=0.8") == "jxl") }
    #endif
  }
  #endif

  @Test("the form is found in the disk cache the next time")
  func cached() throws {
    #expect(try get("stream.jpg", "image/webp").jsonLines()[0].from == "loader")
    #expect(try get("stream.jpg", "image/webp").jsonLines()[0].from == "disk")
    #expect(server.requests.count == 1)
  }

  @Test("frames that the outcome cannot hold are told, and --expect holds")
  func frames() throws {
    for options in [[], ["--no-cache"]] {
      let run = try Tool.run(
        [
          "get", server.url("/pan.gif").absoluteString, "--accept", "image/jpeg", "--json", "-o",
          folder.file("out/"), "--cache-dir", folder.file("cache"),
        ] + options)
      #expect(try run.jsonLines()[0].droppedFrames == 13)
      #expect(run.errors.contains("only the first of 14 frames was written"), "\(run)")
    }
    let first = try get("pan.gif", "image/jpeg", "--first-frame")
    #expect(try first.jsonLines()[0].droppedFrames == nil && first.errors.isEmpty)
    #expect(
      try get("pan.gif", "image/webp", "--expect", "still").jsonLines()[0].error?.code == "unexpectedKind")
    #expect(try get("pan.gif", "image/webp", "--expect", "animated").status == 0)
  }

  @Test("quality and losslessness apply to the outcome")
  func encoding() throws {
    func bytes(_ options: String...) throws -> Int {
      let run = try Tool.run(
        [
          "convert", Photos.path("stream.jpg"), folder.file("a"), "--accept", "image/webp", "--json",
          "--thumbnail",
          "200x",
        ] + options)
      return try #require(try run.jsonLines()[0].bytes)
    }
    #expect(try bytes("--quality", "10") < bytes("--quality", "90"))
    #expect(try bytes("--quality", "90") < bytes("--lossless"))
  }

  @Test(
    "contradictions are told",
    arguments: [
      (["--accept", "webp"], "no media type"), (["--accept", "image/webp", "--format", "png"], "--format"),
      (["--accept", "image/webp", "--as-stored"], "--as-stored"),
    ])
  func contradictions(options: [String], mentions: String) throws {
    for command in [["get", "x.jpg"], ["convert", "x.jpg", "y"]] {
      let run = try Tool.run(command + options)
      #expect(run.status == 2 && run.errors.contains(mentions), "\(run)")
    }
    #expect(try Tool.run("convert", "x.jpg", "y.webp", "--accept", "image/webp").status == 2)
    #expect(try Tool.run("get", "x.jpg", "-o", "y.webp", "--accept", "image/webp").status == 2)
  }
}
