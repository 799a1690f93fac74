import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

/// What the command tells of images that it does not load.
@Suite("Command: headers and explanations", .timeLimit(.minutes(2)))
struct HeaderTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
  }

  private func serve(_ data: Data) {
    server.route("/a") {
      .resource(data, etag: "\"1\"", for: $0, headers: [("Cache-Control", "max-age=100")])
    }
  }

  private var url: String { server.url("/a").absoluteString }

  @Test("of a remote photo, the first 64 KiB are loaded, and the whole only where it is asked for")
  func info() throws {
    let photo = try Photos.data("stream.jpg")
    serve(photo)
    let line = try Tool.run("info", "--json", url).jsonLines()[0]
    #expect(line.loadedBytes == 64 << 10 && line.bytes == photo.count && line.hasAllFrames == true)
    let local = try Tool.run("info", "--json", Photos.path("stream.jpg")).jsonLines()[0]
    #expect(line.width == local.width && line.height == local.height && line.orientation == local.orientation)
    #expect(local.loadedBytes == photo.count)
    for option in ["--whole", "--strict", "--hash", "--facts"] {
      #expect(try Tool.run("info", "--json", option, url).jsonLines()[0].loadedBytes == photo.count)
    }
    #expect(try Tool.run("info", url).output.contains("jpeg"))
  }

  @Test("the frames of a remote animation are a lower limit, unless it is loaded as a whole")
  func frames() throws {
    serve(try Photos.data("pan.gif"))
    let line = try Tool.run("info", "--json", url).jsonLines()[0]
    #expect(line.hasAllFrames == false && line.frames ?? 99 < 14 && line.frames ?? 0 >= 1)
    #expect(try Tool.run("info", url).output.contains("or more"))
    let whole = try Tool.run("info", "--json", "--whole", url).jsonLines()[0]
    #expect(whole.hasAllFrames == true && whole.frames == 14)
  }

  @Test("--explain loads and writes nothing, and tells what the next call would do")
  func explain() throws {
    serve(try Photos.data("dogs.webp"))
    let arguments = [
      "get", url, "--thumbnail", "50x50", "--cache-dir", folder.file("cache"), "-o", folder.file("out/"),
    ]
    func outcomes() throws -> [String] {
      let run = try Tool.run(arguments + ["--explain", "--json"])
      #expect(run.status == 0 && run.errors.isEmpty)
      return try run.jsonLines()[0].steps?.map { "\($0.place) \($0.outcome)" } ?? []
    }
    #expect(try outcomes() == ["memory notAsked", "disk absent", "originals absent", "loader asked"])
    #expect(server.requests.isEmpty && !FileManager.default.fileExists(atPath: folder.file("out")))
    #expect(try Tool.run(arguments).status == 0)
    #expect(try outcomes() == ["memory notAsked", "disk used"])
    let text = try Tool.run(arguments + ["--explain"])
    #expect(text.output.contains("disk: used") && text.output.contains("  image: "))
    #expect(server.requests.count == 1)
  }
}
