import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

/// The texts of errors: the source once, the fault, and a remedy that the command has.
@Suite("Command: messages", .timeLimit(.minutes(2)))
struct MessageTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
  }

  private func get(_ source: String, _ options: [String]) throws -> (text: String, line: Tool.Line) {
    let arguments = ["get", source, "--no-cache", "--retries", "0", "-o", folder.file("out/")] + options
    let text = try Tool.run(arguments)
    let json = try Tool.run(arguments + ["--json"])
    #expect(text.status == 1 && json.status == 1)
    return (text.errors, try json.jsonLines()[0])
  }

  @Test(
    "the URL is told once, and the message in JSON does not repeat it",
    arguments: [
      ("/404", "HTTP status 404; check the URL"), ("/410", "HTTP status 410; check the URL"),
      ("/401", "HTTP status 401; check the credentials"), ("/403", "HTTP status 403; check the credentials"),
      ("/500", "HTTP status 500; try again later"), ("/large", "larger than the limit of 1000 bytes"),
      ("/empty", "holds no bytes"), ("/loop", "more than 10 redirects"),
      ("/cut", "ended after 10 of 20 bytes"),
      ("/slow", "took longer than the total timeout of 1"),
    ])
  func once(path: String, message: String) throws {
    for status in [404, 410, 401, 403, 500] { server.route("/\(status)", .status(status)) }
    server.route("/large", .body(try Photos.data("dogs.webp")))
    server.route("/empty", .body(Data()))
    server.route("/loop", .redirect(to: "/loop"))
    server.route("/cut", .truncated(Data(count: 10), declared: 20))
    server.route("/slow", .hang)
    let url = server.url(path).absoluteString
    let (text, line) = try get(url, path == "/large" ? ["--max-bytes", "1000"] : ["--timeout", "1"])
    #expect(text.hasPrefix("calotype: \(url): \(message)"), "\(text)")
    #expect(text.ranges(of: url).count == 1 && text.split(separator: "\n").count == 1)
    #expect(line.source == url && line.error?.message.hasPrefix(message) == true)
    #expect(line.error?.message.contains(url) == false)
  }

  @Test("errors that are not of the loader name the source once, too")
  func others() throws {
    let missing = folder.file("missing.jpg")
    #expect(try get(missing, []).text == "calotype: \(missing): no such file\n")
    let url = server.url("/a").absoluteString
    server.route("/a", .hang)
    let late = try get(url, ["--deadline", "0.2"])
    #expect(late.line.error?.code == "deadlineExceeded" && late.text.ranges(of: url).count == 1)
    let run = try Tool.run("get", url, "--cache-policy", "cache-only", "--cache-dir", folder.file("cache"))
    #expect(run.errors == "calotype: \(url): in no cache, and --cache-policy forbids loading it\n")
  }

  @Test("a file to optimize that is not there, and a folder, are named once")
  func filesToOptimize() throws {
    let missing = try Tool.run("optimize", folder.file("none.png"))
    #expect(missing.status == 1 && missing.errors == "calotype: \(folder.file("none.png")): no such file\n")
    let other = try Tool.run("optimize", folder.path)
    #expect(other.errors == "calotype: \(folder.path): left alone: it is a folder; add --recursive\n")
  }

  @Test("a limit names its option, where it can be raised")
  func limit() throws {
    server.route("/a", .body(try Photos.data("dogs.webp")))
    let (text, line) = try get(server.url("/a").absoluteString, ["--max-bytes", "1000"])
    #expect(text.contains("raise --max-bytes") && !text.contains("byteLimit"))
    #expect(line.error?.code == "tooLarge")
  }

  @Test("JSON has the status, and the seconds after which to retry")
  func details() throws {
    server.route("/later", .status(503, headers: [("Retry-After", "77")]))
    server.route("/none", .status(404))
    let later = try get(server.url("/later").absoluteString, []).line.error
    #expect(later?.status == 503 && later?.retryAfter == 77)
    let none = try get(server.url("/none").absoluteString, []).line.error
    #expect(none?.status == 404 && none?.retryAfter == nil)
    let file = try get(folder.file("missing.jpg"), []).line.error
    #expect(file?.code == "fileNotFound" && file?.status == nil)
  }

  @Test("a fallback that fails is named")
  func fallback() throws {
    let other = server.url("/other").absoluteString
    server.route("/other", .status(404))
    let (text, _) = try get(server.url("/none").absoluteString, ["--fallback", other])
    #expect(text.contains("/none") && text.contains("HTTP status 404"))
  }

  @Test("several images and a file name are wrong usage")
  func fileForMany() throws {
    let name = folder.file("two.webp")
    let photos = [Photos.path("dogs.webp"), Photos.path("sunset.webp")]
    for output in [name, "-"] {
      let run = try Tool.run(["get"] + photos + ["-o", output, "--no-cache"])
      #expect(run.status == 2 && run.output.isEmpty, "\(run)")
    }
    #expect(folder.names.isEmpty)
    try Data().write(to: URL(filePath: folder.file("plain")))
    #expect(try Tool.run(["get"] + photos + ["-o", folder.file("plain"), "--no-cache"]).status == 2)
    // A folder of that name is one.
    #expect(try Tool.run(["get"] + photos + ["-o", name + "/", "--no-cache"]).status == 0)
    #expect(try Tool.run(["get"] + photos + ["-o", name, "--no-cache"]).status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: name).sorted() == ["dogs.webp", "sunset.webp"])
  }

  @Test("a folder without a cache is not cleared")
  func clear() throws {
    let run = try Tool.run("cache", "clear", "--json", "--cache-dir", folder.path)
    #expect(run.status == 1)
    #expect(try run.jsonLines().map { $0.error?.code } == ["notACache"])
    let missing = try Tool.run("cache", "clear", "--cache-dir", folder.file("missing"))
    #expect(missing.status == 1 && missing.errors.contains("no cache in this folder; check its path"))
    // The default folder before its first use.
    let fresh = try Tool.run("cache", "clear", "--json", environment: ["XDG_CACHE_HOME": folder.path])
    #expect(try fresh.status == 0 && fresh.jsonLines()[0].removedRecords == 0)
  }
}
