import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

/// `--coders libraries` of all commands that decode: told from the standard coders by a GIF that only those accept.
@Suite("Command option: coders", .timeLimit(.minutes(5)))
struct CoderOptionTests {
  let folder: Tool.Folder

  init() throws { folder = try Tool.Folder() }

  /// A GIF with a byte between two records, which giflib refuses and browsers skip.
  private func odd() throws -> Data {
    var data = try Photos.data("pan.gif")
    data.insert(0, at: data.index(before: data.endIndex))
    return data
  }

  private func file(_ name: String, _ data: Data) throws -> String {
    try data.write(to: URL(filePath: folder.file(name)))
    return folder.file(name)
  }

  @Test("info: the same pixels by both, frame by frame")
  func info() throws {
    let photos = ["dandelion.jpg", "brushes.png", "pan.gif", "sunset.webp"].map(Photos.path)
    let animated = Photos.fixture("apng/animated/over_background.apng")
    let standard = try Tool.run(["info", "--json", "--hash"] + photos + [animated])
    let libraries = try Tool.run(["info", "--json", "--hash", "--coders", "libraries"] + photos + [animated])
    #expect(libraries.status == 0, "\(libraries.errors)")
    #expect(libraries.output == standard.output)
    #expect(try libraries.jsonLines().allSatisfy { $0.pixelsSHA256?.isEmpty == false })
    let odd = try file("odd.gif", odd())
    #expect(try Tool.run("info", "--json", "--hash", odd).status == 0)
    for options in [["--hash"], ["--facts"], ["--hash", "--chunk", "1000"], ["--hash", "--first-frame"]] {
      let run = try Tool.run(["info", "--json", "--coders", "libraries", odd] + options)
      #expect(try run.jsonLines()[0].error?.code == "corrupt", "\(options): \(run)")
    }
  }

  @Test("get and prefetch: results of other coders are not taken from the cache")
  func caches() throws {
    let server = try ScriptedHTTPServer()
    server.route("/odd.gif", .body(try odd(), headers: [("Cache-Control", "max-age=100")]))
    server.route(
      "/brushes.png", .body(try Photos.data("brushes.png"), headers: [("Cache-Control", "max-age=100")]))
    func get(_ path: String, _ arguments: String...) throws -> Tool.Line {
      let arguments = ["--thumbnail", "50x50", "--first-frame"] + arguments
      return try Tool.run(
        ["get", server.url(path).absoluteString, "--json", "--cache-dir", folder.file("cache")] + arguments
          + ["-o", folder.file("out/")]
      ).jsonLines()[0]
    }
    #expect(try get("/brushes.png").from == "loader")
    #expect(try get("/brushes.png").from == "disk")
    #expect(try get("/brushes.png", "--coders", "libraries").from == "diskOriginal")
    #expect(try get("/brushes.png", "--coders", "libraries").from == "disk")
    #expect(try get("/odd.gif").error == nil)
    #expect(try get("/odd.gif", "--coders", "libraries").error?.code == "corrupt")

    let list = try file("list", Data(server.url("/odd.gif").absoluteString.utf8))
    let prefetch = [
      "prefetch", list, "--decode", "--thumbnail", "40x40", "--json", "--cache-dir", folder.file("cache"),
    ]
    #expect(try Tool.run(prefetch).status == 0)
    let refused = try Tool.run(prefetch + ["--coders", "libraries"])
    #expect(try refused.status == 1 && refused.jsonLines()[0].error?.code == "corrupt", "\(refused)")
  }

  @Test("convert and show")
  func pictures() throws {
    let odd = try file("odd.gif", odd())
    for options in [["--thumbnail", "50x50"], ["--as-stored"], []] {
      let arguments = ["convert", odd, folder.file("out.webp"), "--json"] + options
      #expect(try Tool.run(arguments).status == 0, "\(options)")
      let refused = try Tool.run(arguments + ["--coders", "libraries"])
      #expect(try refused.jsonLines()[0].error?.code == "corrupt", "\(options)")
    }
    for (coders, status) in [("standard", 0), ("libraries", 1)] {
      let terminal = try PictureTerminal(.plain)
      let child = try terminal.show(["--no-cache", "--first-frame", "--coders", coders, odd])
      #expect(try terminal.finish(child).status == Int32(status), "\(coders)")
    }
    #expect(try Tool.run("info", "--coders", "none", odd).status == 2)
  }
}
