import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

/// What is asked for, by which rules, and what is told on the way.
@Suite("Command: requests")
struct RequestTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    for name in ["stream.jpg", "dogs.webp", "pan.gif"] {
      server.route("/" + name, .body(try Photos.data(name), headers: [("Cache-Control", "max-age=100")]))
    }
  }

  private func url(_ path: String) -> String { server.url(path).absoluteString }

  private func get(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(
      ["get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/")] + arguments)
  }

  /// Where it came from, or why it did not.
  private func ending(_ run: Tool.Run) throws -> String? {
    let line = try run.jsonLines().last
    return line?.error?.code ?? line?.from
  }

  @Test("--cache-policy says when what is cached will do", arguments: [[], ["--thumbnail", "20x"]])
  func policies(pixels: [String]) throws {
    func get(_ policy: String) throws -> String? {
      let arguments = [
        "get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/"), "--cache-policy",
        policy, url("/dogs.webp"),
      ]
      return try ending(Tool.run(arguments + pixels))
    }
    let found = pixels.isEmpty ? "diskOriginal" : "disk"
    #expect(try get("cache-only") == "notCached")
    #expect(try get("loader-only") == "loader")
    #expect(try get("cache-only") == "notCached")
    #expect(try get("http") == "loader")
    for policy in ["cache-only", "ignore-http-freshness", "http", "stale-while-revalidate"] {
      #expect(try get(policy) == found, "\(policy)")
    }
    #expect(try get("reload") == "loader")
    #expect(server.requests.count == 3)
  }

  @Test("--deadline gives one image up, whatever else goes on")
  func deadline() throws {
    server.route("/slow.jpg", .hang)
    for pixels in [[], ["--thumbnail", "20x"]] {
      let run = try Tool.run(
        ["get", "--json", "--no-cache", "-o", folder.file("out/"), "--deadline", "0.3", url("/slow.jpg")]
          + pixels)
      #expect(run.status == 1)
      #expect(try ending(run) == "deadlineExceeded")
    }
  }

  @Test("--fallback is asked when the URL fails for good")
  func fallback() throws {
    #expect(try ending(get(url("/none.jpg"), "--fallback", url("/dogs.webp"))) == "loader")
    #expect(server.requests.map(\.path) == ["/none.jpg", "/dogs.webp"])
  }

  @Test("--ignore-query and --key-parameters say what tells images apart, --partition who shares")
  func keys() throws {
    server.route("/a.webp", .body(try Photos.data("dogs.webp")))
    func get(_ query: String, _ options: String...) throws -> String? {
      let get = ["get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/")]
      return try ending(Tool.run(get + [url("/a.webp" + query)] + options))
    }
    #expect(try get("?id=1&s=1", "--key-parameters", "id") == "loader")
    #expect(try get("?id=1&s=2", "--key-parameters", "id") == "diskOriginal")
    #expect(try get("?id=2&s=1", "--key-parameters", "id") == "loader")
    #expect(try get("?id=1&s=1", "--ignore-query") == "loader")
    #expect(try get("?id=2&s=1", "--ignore-query") == "diskOriginal")
    #expect(try get("?id=2&s=1", "--ignore-query", "--partition", "anna") == "loader")
    #expect(try get("?id=2&s=1", "--ignore-query", "--partition", "anna") == "diskOriginal")
  }

  @Test("--expect refuses the other kind, with and without decoding; --format-hint overrules the bytes")
  func kinds() throws {
    for pixels in ["--quiet", "--first-frame"] {
      #expect(try ending(get(url("/pan.gif"), "--expect", "still", pixels)) == "unexpectedKind")
      #expect(try ending(get(url("/stream.jpg"), "--expect", "animated", pixels)) == "unexpectedKind")
      #expect(try get(url("/pan.gif"), "--expect", "animated", pixels).status == 0)
      #expect(try get(url("/stream.jpg"), "--format-hint", "png", pixels).status == 1)
    }
  }

  @Test("--max-pixels shrinks to an area")
  func maxPixels() throws {
    let line = try get(url("/stream.jpg"), "--max-pixels", "10000").jsonLines()[0]
    let area = try #require(line.width) * #require(line.height)
    #expect(area <= 10_000 && area > 9_000)
  }

  @Test(
    "--events tells what happens on the way, and the result as without",
    arguments: [[], ["--thumbnail", "20x"]])
  func events(pixels: [String]) async throws {
    let gate = Gate()
    let photo = try Photos.data("stream.jpg")
    let pieces = [(gate: Gate.opened, data: photo.prefix(100_000)), (gate, photo.dropFirst(100_000))]
    server.route("/slow.jpg", .gated(pieces))
    let arguments = [
      "get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/"), url("/slow.jpg"),
    ]
    let child = try Tool.start(arguments + ["--events"] + pixels)
    try await server.waitForRequests("/slow.jpg")
    gate.open()
    let run = try child.wait()
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = try run.jsonLines()
    let events = lines.dropLast().map(\.event)
    #expect(events.first == "queued" && events.last == "response", "\(run.output)")
    #expect(events.contains("started") && events.contains("progress"))
    #expect(lines.allSatisfy { $0.source == url("/slow.jpg") })
    #expect(lines.first { $0.event == "progress" }?.expected == photo.count)
    #expect(lines.last?.output != nil && lines.last?.event == nil)
    if !pixels.isEmpty { #expect(lines.dropLast().last?.stages?["decode"] != nil) }

    let failed = try get(url("/none.jpg"), "--events").jsonLines()
    #expect(failed.dropLast().last?.event == "failed")
    #expect(failed.suffix(2).allSatisfy { $0.error?.code == "httpStatus" })
  }
}

extension Gate {
  /// One that anybody may pass.
  fileprivate static var opened: Gate {
    let gate = Gate()
    gate.open()
    return gate
  }
}
