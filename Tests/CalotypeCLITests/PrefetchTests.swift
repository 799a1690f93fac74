import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

@Suite("Command: prefetch")
struct PrefetchTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    for name in ["stream.jpg", "brushes.png", "dogs.webp"] {
      server.route("/" + name, .body(try Photos.data(name), headers: [("Cache-Control", "max-age=100")]))
    }
  }

  private func url(_ path: String) -> String { server.url(path).absoluteString }

  private func prefetch(_ list: String, _ arguments: String...) throws -> Tool.Run {
    try prefetch(list, arguments)
  }

  private func prefetch(_ list: String, _ arguments: [String]) throws -> Tool.Run {
    try Data(list.utf8).write(to: URL(filePath: folder.file("list")))
    return try Tool.run(
      ["prefetch", folder.file("list"), "--cache-dir", folder.file("cache")] + arguments)
  }

  private func get(_ path: String, _ arguments: String...) throws -> Tool.Line {
    try Tool.run(
      ["get", url(path), "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/")] + arguments
    ).jsonLines()[0]
  }

  @Test("originals come into the cache, where get finds them; what is cached is skipped")
  func originals() throws {
    let list = "# photos\n\n  \(url("/stream.jpg"))\r\n\(url("/dogs.webp"))"
    let first = try prefetch(list, "--json")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
    let lines = try first.jsonLines()
    #expect(lines.map(\.outcome) == ["loaded", "loaded"])
    #expect(Set(lines.map(\.line)) == [3, 4])
    #expect(Set(lines.compactMap(\.bytes)).count == 2)
    #expect(try get("/stream.jpg").from == "diskOriginal")
    let second = try prefetch(list)
    #expect(second.status == 0 && second.output.hasPrefix("2 images · 2 cached already · "), "\(second)")
    #expect(try prefetch(list, "--quiet").output.isEmpty)
    #expect(server.requests.count == 2)
  }

  @Test("what cannot be stored has failed", arguments: [[], ["--decode", "--thumbnail", "20x20"]])
  func unusableCache(options: [String]) throws {
    try Data([1]).write(to: URL(filePath: folder.file("cache")))
    let run = try prefetch(url("/stream.jpg"), options)
    #expect(run.status == 1 && run.errors.contains("not stored"), "\(run)")
    let line = try prefetch(url("/stream.jpg"), options + ["--json"]).jsonLines()[0]
    #expect(line.error?.code == "notStored")
  }

  @Test("with --decode there are results too, of the same key as those of get")
  func results() throws {
    let options = ["--thumbnail", "50x50", "--tag", "a", "--key-parameters", "id"]
    let list = folder.file("list")
    try Data(url("/stream.jpg").utf8).write(to: URL(filePath: list))
    let first = try Tool.run(
      ["prefetch", list, "--decode", "--json", "--cache-dir", folder.file("cache")] + options)
    #expect(try first.jsonLines().map(\.outcome) == ["loaded"])
    let get = ["get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/")]
    let line = try Tool.run(get + options + [url("/stream.jpg") + "?signature=1"]).jsonLines()[0]
    #expect(line.from == "disk")
    #expect(server.requests.count == 1)
    let cleared = try Tool.run(
      "cache", "clear", "--tag", "a", "--json", "--cache-dir", folder.file("cache"))
    #expect(try cleared.jsonLines()[0].removedRecords == 2)
  }

  @Test("each bad line is a failure with its number, and the others are loaded")
  func badLines() throws {
    let long = "http://127.0.0.1/" + String(repeating: "a", count: 70_000)
    let list = [
      "http://[::1/a b", url("/none.jpg"), "photo.jpg", "ftp://127.0.0.1/a.jpg", "http://", long,
      url("/stream.jpg"), "file:///etc/passwd",
    ]
    let run = try prefetch(list.joined(separator: "\n"), "--json")
    #expect(run.status == 1)
    var codes: [Int: String] = [:]
    for line in try run.jsonLines() { codes[try #require(line.line)] = line.error?.code ?? line.outcome }
    #expect(
      codes == [
        1: "invalidURL", 2: "httpStatus", 3: "invalidURL", 4: "unsupportedScheme", 5: "invalidURL",
        6: "invalidURL", 7: "loaded", 8: "unsupportedScheme",
      ])
    let people = try prefetch("nothing")
    #expect(people.status == 1)
    #expect(people.errors.hasPrefix("calotype: line 1: nothing: not a URL"))
    #expect(people.output.contains("1 failed"))
  }

  @Test("a list that is not there is told")
  func missingList() throws {
    let run = try Tool.run("prefetch", folder.file("none"), "--json")
    #expect(run.status == 1)
    #expect(try run.jsonLines().map { $0.error?.code } == ["unreadableList"])
    let empty = try prefetch("")
    #expect(empty.status == 0 && empty.output.hasPrefix("0 images"))
  }

  @Test("standard input is read as it comes, and no further than needed")
  func stream() async throws {
    let input = try Pipe()
    let child = try Tool.start(
      ["prefetch", "-", "--json", "--concurrency", "1", "--cache-dir", folder.file("cache")],
      input: input.end)
    input.write("\(url("/stream.jpg"))\n\(url("/dogs.we"))")
    // The second line is not complete, and there is no end yet.
    try await server.waitForRequests("/stream.jpg")
    input.write("bp\n")
    try await server.waitForRequests("/dogs.webp")
    input.close()
    let run = try child.wait()
    #expect(run.status == 0)
    #expect(try run.jsonLines().map(\.line) == [1, 2])
  }

  @Test("^C ends it with status 130, also while it waits for a line")
  func interrupt() async throws {
    let input = try Pipe()
    let child = try Tool.start(
      ["prefetch", "-", "--json", "--cache-dir", folder.file("cache")], input: input.end)
    input.write(url("/stream.jpg") + "\n")
    try await server.waitForReplies("/stream.jpg")
    child.send(SIGINT)
    #expect(try child.wait().status == 130)
    input.close()
  }
}

/// Standard input of a command.
private final class Pipe {
  let end: Int32
  private let writeEnd: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Tool.POSIXFailure(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (end, writeEnd) = (ends[0], ends[1])
  }

  deinit { Glibc.close(end) }

  func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(writeEnd, bytes, bytes.count)
  }

  func close() { Glibc.close(writeEnd) }
}
