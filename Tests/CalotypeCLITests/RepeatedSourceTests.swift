import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

@testable import CalotypeCLI
@testable import CalotypeTerminal

@Suite("Command: sources that are named twice", .timeLimit(.minutes(2)))
struct RepeatedSourceTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    // No cache may keep them: a second load would be a second request.
    for name in ["dogs.webp", "brushes.png"] {
      server.route("/" + name, .body(try Photos.data(name), headers: [("Cache-Control", "no-store")]))
    }
  }

  private func url(_ path: String) -> String { server.url(path).absoluteString }

  @Test(
    "get loads them once, and writes and reports each",
    arguments: [[], ["--thumbnail", "20x20"], ["--accept", "image/png"]])
  func get(pixels: [String]) throws {
    let sources = ["/dogs.webp", "/brushes.png", "/dogs.webp", "/dogs.webp"].map { url($0) }
    let run = try Tool.run(
      ["get", "--no-cache", "--concurrency", "1", "--json", "-o", folder.file("out")] + sources + pixels)
    #expect(run.status == 0, "\(run)")
    let lines = try run.jsonLines()
    #expect(lines.compactMap(\.source).sorted() == sources.sorted())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
    let format = pixels.isEmpty || pixels[0] == "--thumbnail" ? "webp" : "png"
    #expect(names == ["brushes.png", "dogs-2.\(format)", "dogs-3.\(format)", "dogs.\(format)"])
    #expect(
      Set(lines.compactMap(\.output)) == Set(names.map { folder.file("out/" + $0) }))
    let contents = try names.dropFirst().map { try Data(contentsOf: URL(filePath: folder.file("out/" + $0))) }
    #expect(Set(contents).count == 1)
    #expect(server.requests(for: "/dogs.webp").count == 1)
    #expect(server.requests(for: "/brushes.png").count == 1)
  }

  @Test("events are told for each")
  func events() throws {
    let run = try Tool.run(
      "get", "--no-cache", "--json", "--events", "-o", folder.file("out"), url("/dogs.webp"),
      url("/dogs.webp"))
    let responses = try run.jsonLines().filter { $0.event == "response" }
    #expect(responses.map(\.source) == [url("/dogs.webp"), url("/dogs.webp")])
  }

  @Test("a file that cannot be written does not keep the others from being written")
  func unwritable() throws {
    let out = folder.file("out")
    try FileManager.default.createDirectory(
      atPath: out + "/dogs.webp/full", withIntermediateDirectories: true)
    let run = try Tool.run(
      "get", "--no-cache", "--json", "-o", out, url("/dogs.webp"), url("/dogs.webp"))
    #expect(run.status == 1)
    #expect(try run.jsonLines().map { $0.error?.code } == ["unwritableOutput", nil])
    #expect(FileManager.default.fileExists(atPath: out + "/dogs-2.webp"))
  }

  @Test("info loads them once, and reports each in its place")
  func info() throws {
    let sources = ["/dogs.webp", "/none.webp", "/brushes.png", "/dogs.webp", "/none.webp"].map { url($0) }
    let run = try Tool.run(["info", "--json"] + sources)
    #expect(run.status == 1)
    let lines = try run.jsonLines()
    #expect(lines.map(\.source) == sources)
    #expect(lines.map(\.format) == ["webp", nil, "png", "webp", nil])
    #expect(server.requests.count == 3)
  }

  @Test("prefetch loads equal lines once, and reports each with its number", arguments: [1, 3])
  func prefetch(concurrency: Int) throws {
    let list = ["/dogs.webp", "/none.webp", "/dogs.webp", "/none.webp", "/dogs.webp"].map { url($0) }
    server.route("/dogs.webp", .body(try Photos.data("dogs.webp"), headers: [("Cache-Control", "max-age=0")]))
    try Data(list.joined(separator: "\n").utf8).write(to: URL(filePath: folder.file("list")))
    let run = try Tool.run(
      "prefetch", folder.file("list"), "--json", "--cache-dir", folder.file("cache"), "--concurrency",
      "\(concurrency)")
    #expect(run.status == 1)
    var outcomes: [Int: String] = [:]
    for line in try run.jsonLines() { outcomes[try #require(line.line)] = line.error?.code ?? line.outcome }
    #expect(
      outcomes == [1: "loaded", 2: "httpStatus", 3: "skipped", 4: "httpStatus", 5: "skipped"])
    #expect(server.requests(for: "/dogs.webp").count == 1)
    #expect(server.requests(for: "/none.webp").count == 1)
  }

  @Test("equal lines wait, up to a limit, and outcomes are forgotten at a limit")
  func limits() {
    func line(_ text: String) -> LineReader.Line { LineReader.Line(number: 1, text: text, isTooLong: false) }
    let lines = RepeatedLines()
    guard case .first = lines.begin(line("a")) else {
      Issue.record("another turn")
      return
    }
    for _ in 0..<RepeatedLines.maxWaiting {
      #expect(!lines.isFull)
      guard case .waits = lines.begin(line("a")) else {
        Issue.record("another turn")
        return
      }
    }
    #expect(lines.isFull)
    #expect(lines.end(line("a"), nil).count == RepeatedLines.maxWaiting)
    #expect(!lines.isFull)
    guard case .known(nil) = lines.begin(line("a")) else {
      Issue.record("another turn")
      return
    }
    for number in 0..<RepeatedLines.limit { _ = lines.end(line("\(number)"), CancellationError()) }
    guard case .first = lines.begin(line("a")) else {
      Issue.record("another turn")
      return
    }
  }
}
