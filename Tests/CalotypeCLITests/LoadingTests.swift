import CalotypeTestKit
import FoundationEssentials
import Synchronization
import TerminalScreens
import Testing

/// The options that say how `get` and `info` load.
@Suite("Command: loading")
struct LoadingTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
  }

  private func get(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(
      ["get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/")] + arguments)
  }

  private func url(_ path: String) -> String { server.url(path).absoluteString }

  @Test("header fields are sent, by get and by info")
  func headers() throws {
    let photo = try Photos.data("dogs.webp")
    server.route("/guarded.webp") { request in
      request[header: "X-Token"] == "a: b" ? .body(photo) : .status(401)
    }
    #expect(try get(url("/guarded.webp"), "--header", "X-Token: a: b").status == 0)
    let info = try Tool.run("info", "--json", "--header", "X-Token: a: b", url("/guarded.webp"))
    #expect(try info.jsonLines()[0].format == "webp")
    #expect(try Tool.run("info", url("/guarded.webp")).status == 1)
  }

  @Test("a server that fails twice is asked three times, unless told otherwise")
  func retries() throws {
    let photo = try Photos.data("dogs.webp")
    for path in ["/a.webp", "/b.webp", "/c.webp"] {
      let attempts = Attempts()
      server.route(path) { _ in
        attempts.next() < 3 ? .status(503, headers: [("Retry-After", "0")]) : .body(photo)
      }
    }
    #expect(try get(url("/a.webp")).status == 0)
    #expect(server.requests(for: "/a.webp").count == 3)
    #expect(try get(url("/b.webp"), "--retries", "0").status == 1)
    #expect(server.requests(for: "/b.webp").count == 1)
    #expect(try Tool.run("info", url("/c.webp"), "--retries", "1").status == 1)
    #expect(server.requests(for: "/c.webp").count == 2)
  }

  @Test("what a retry cannot help, or has no time for, is not tried again")
  func vainRetries() throws {
    server.route("/401.webp", .status(401))
    #expect(try get(url("/401.webp")).status == 1)
    #expect(server.requests(for: "/401.webp").count == 1)

    // Asked once, though it is named twice.
    server.route("/none.webp", .status(403))
    let twice = try get(url("/none.webp"), url("/none.webp"), "--concurrency", "1")
    #expect(try twice.jsonLines().map { $0.error?.code } == ["httpStatus", "httpStatus"])
    #expect(server.requests(for: "/none.webp").count == 1)

    server.route("/later.webp", .status(503, headers: [("Retry-After", "30")]))
    let run = try get(url("/later.webp"), "--timeout", "5")
    #expect(try run.jsonLines().map { $0.error?.code } == ["httpStatus"])
    #expect(server.requests(for: "/later.webp").count == 1)
  }

  @Test("however many inputs of a host fail, the others are loaded")
  func failingHost() throws {
    let photo = try Photos.data("dogs.webp")
    server.route("/good.webp", .body(photo))
    let bad = (0..<12).map { url("/\($0).webp") }
    for number in 0..<12 { server.route("/\(number).webp", .status(500)) }
    let run = try Tool.run(
      ["get", "--json", "--no-cache", "-o", folder.file("out/"), "--retries", "0", "--concurrency", "1"]
        + bad + [url("/good.webp")])
    #expect(try run.jsonLines().map { $0.error?.code } == Array(repeating: "httpStatus", count: 12) + [nil])
  }

  @Test("--public-only refuses this machine: its addresses before anything is asked, and its files")
  func publicOnly() throws {
    let photo = try Photos.data("dogs.webp")
    server.route("/a.webp", .body(photo))
    let inline = "data:image/webp;base64," + photo.base64EncodedString()
    let file = "file://" + Photos.path("dogs.webp")
    for command in [["get", "--no-cache", "-o", folder.file("out/")], ["info"]] {
      let sources = [url("/a.webp"), "http://localhost:\(server.port)/a.webp", file]
      let run = try Tool.run(
        command + ["--json", "--public-only"] + sources + [inline, Photos.path("dogs.webp")])
      #expect(run.status == 1)
      let lines = try run.jsonLines()
      #expect(
        lines.filter { $0.error?.code == "addressRefused" }.compactMap(\.source).sorted() == sources.sorted())
      #expect(lines.count { $0.error == nil } == 2)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("--public-only finds nothing in a cache that was loaded without it")
  func publicOnlyFromCache() throws {
    server.route("/a.webp", .body(try Photos.data("dogs.webp"), headers: [("Cache-Control", "max-age=100")]))
    func get(_ more: String...) throws -> Tool.Run {
      try Tool.run(
        [
          "get", "--json", "--cache-dir", folder.file("cache"), "-o", folder.file("out/"), "--thumbnail",
          "8x8",
        ]
          + more + [url("/a.webp")])
    }
    #expect(try get().status == 0)
    #expect(try get().jsonLines().map(\.from) == ["disk"])
    let refused = try get("--public-only")
    #expect(refused.status == 1)
    #expect(try refused.jsonLines().map { $0.error?.code } == ["addressRefused"])
    #expect(server.requests.count == 1)
  }

  @Test("the proxy of the environment is used, but is no way around --public-only")
  func proxies() throws {
    let photo = try Photos.data("dogs.webp")
    // A proxy is asked for the whole URL.
    server.route("http://169.254.169.254/a.webp", .body(photo))
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    let proxy = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:\(server.port)") })
    let target = "http://169.254.169.254/a.webp"
    let used = try Tool.run(["info", "--json", target], environment: proxy)
    #expect(used.status == 0 && server.requests.count == 1)
    let refused = try Tool.run(
      ["info", "--json", "--public-only", target, "http://10.0.0.1/"], environment: proxy)
    #expect(refused.status == 1)
    #expect(try refused.jsonLines().map { $0.error?.code } == ["addressRefused", "addressRefused"])
    #expect(server.connectionCount == 1)
  }

  @Test("--user is sent to the server of the URL alone, and what it was given is found by it alone")
  func user() throws {
    let photo = try Photos.data("dogs.webp")
    let other = try ScriptedHTTPServer()
    other.route("/there.webp", .body(photo))
    server.route("/moved.webp", .redirect(to: other.url("/there.webp").absoluteString))
    server.route("/own.webp") { request in
      request[header: "Authorization"] == "Basic YW5uYTrDvDpw" ? .body(photo) : .status(401)
    }
    let run = try get("--user", "anna:ü:p", url("/own.webp"), url("/moved.webp"))
    #expect(run.status == 0, "\(run.output)")
    #expect(server.requests(for: "/moved.webp").map { $0[header: "Authorization"] } == ["Basic YW5uYTrDvDpw"])
    #expect(other.requests.map { $0[header: "Authorization"] } == [nil])

    #expect(try get("--user", "anna:ü:p", url("/own.webp")).jsonLines().map(\.from) == ["diskOriginal"])
    #expect(try get(url("/own.webp")).jsonLines().map { $0.error?.code } == ["httpStatus"])
    #expect(
      try get("--user", "otto:p", url("/own.webp")).jsonLines().map { $0.error?.code } == ["httpStatus"])
    #expect(server.requests(for: "/own.webp").count == 3)
  }

  @Test("name and password in a URL win over --user")
  func userInURL() throws {
    server.route("/a.webp", .body(try Photos.data("dogs.webp")))
    let url = "http://otto:q@127.0.0.1:\(server.port)/a.webp"
    #expect(try get("--user", "anna:p", url).status == 0)
    #expect(server.requests.map { $0[header: "Authorization"] } == ["Basic b3R0bzpx"])
  }

  @Test("users and passwords of URLs are sent, and neither shown nor stored")
  func usersOfURLs() throws {
    let photo = try Photos.data("dogs.webp")
    server.route("/a.webp") { request in
      request[header: "Authorization"] == nil
        ? .status(401) : .body(photo, headers: [("Cache-Control", "max-age=60")])
    }
    let cache = folder.file("users")
    let options = ["--cache-dir", cache, "--retries", "0"]
    func url(_ path: String) -> String { "http://anna:sesame@127.0.0.1:\(server.port)" + path }
    let closed = "http://anna:sesame@127.0.0.1:1/a.webp"
    let list = folder.file("list")
    try Data([url("/a.webp"), closed, "http://anna:ses ame@127.0.0.1/"].joined(separator: "\n").utf8)
      .write(to: URL(filePath: list))
    let (out, loads) = (["-o", folder.file("out/")], [url("/a.webp"), url("/missing.webp"), closed])
    var runs: [Tool.Run] = []
    for form in [[], ["--json"]] {
      runs.append(try Tool.run(["get"] + loads + options + out + form + (form.isEmpty ? [] : ["--events"])))
      runs.append(try Tool.run(["get"] + loads + options + out + form + ["--thumbnail", "20x20"]))
      runs.append(try Tool.run(["prefetch", list] + options + form))
      runs.append(try Tool.run(["info"] + loads + ["--retries", "0"] + form))
      runs.append(try Tool.run(["convert", url("/a.webp"), folder.file("a.png")] + form))
      runs.append(try Tool.run(["convert", closed, folder.file("a.png")] + form))
      runs.append(try Tool.run(["cache", "list", "--cache-dir", cache] + form))
    }
    #expect(runs[0].output.contains("1 image") && runs[6].output.contains("/a.webp"))
    for run in runs {
      let text = run.output + run.errors
      #expect(!text.contains("sesame") && !text.contains("ame@") && !text.contains("anna"), "\(text)")
    }
    var files = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: cache) {
      guard let data = try? Data(contentsOf: URL(filePath: cache + "/" + path)) else { continue }
      files += 1
      #expect(
        data.firstRange(of: Data("sesame".utf8)) == nil && data.firstRange(of: Data("anna".utf8)) == nil)
    }
    #expect(files > 2)
    // Somebody else does not get it, and it can be found and removed.
    let other = try Tool.run(["get", "--json", server.url("/a.webp").absoluteString] + options + out)
    #expect(try other.jsonLines().map { $0.error?.code } == ["httpStatus"])
    #expect(
      try Tool.run("cache", "list", "--json", "--cache-dir", cache, "--prefix", url("/a")).jsonLines().count
        == 2)
    let cleared = try Tool.run("cache", "clear", "--json", "--cache-dir", cache, "--source", url("/a.webp"))
    #expect(try cleared.jsonLines()[0].removedRecords == 2)
  }

  @Test("a body that breaks off is continued by the same call")
  func continuation() throws {
    let photo = try Photos.data("stream.jpg")
    let attempts = Attempts()
    server.route("/stream.jpg") { request in
      let reply = ScriptedReply.resource(photo, etag: "\"1\"", for: request)
      return attempts.next() == 1 ? reply.cut(after: 400_000) : reply
    }
    #expect(try get(url("/stream.jpg")).status == 0)
    #expect(server.requests.map { $0[header: "Range"] } == [nil, "bytes=400000-"])
    #expect(try Data(contentsOf: URL(filePath: folder.file("out/stream.jpg"))) == photo)
  }

  @Test(
    "a download that broke off is continued by the next call, and told and cleared with the cache until then")
  func resumption() throws {
    let photo = try Photos.data("stream.jpg")
    let isCut = Mutex(true)
    server.route("/stream.jpg") { request in
      let reply = ScriptedReply.resource(photo, etag: "\"1\"", for: request)
      return isCut.withLock { $0 } ? reply.cut(after: 400_000) : reply
    }
    func breakOff() throws {
      isCut.withLock { $0 = true }
      let run = try get(url("/stream.jpg"), "--retries", "0")
      #expect(try run.jsonLines().map { $0.error?.code } == ["truncatedBody"])
      isCut.withLock { $0 = false }
    }
    func cache(_ command: String) throws -> Tool.Line {
      try Tool.run("cache", command, "--json", "--cache-dir", folder.file("cache")).jsonLines()[0]
    }

    try breakOff()
    let kept = try cache("stats")
    #expect(kept.parts == 1 && kept.records == 0 && kept.partBytes ?? 0 > 400_000)
    #expect(try get(url("/stream.jpg")).jsonLines().map(\.from) == ["loader"])
    #expect(try Data(contentsOf: URL(filePath: folder.file("out/stream.jpg"))) == photo)
    #expect(server.requests.map { $0[header: "Range"] } == [nil, "bytes=400000-"])
    #expect(server.requests[1][header: "If-Range"] == "\"1\"")
    let done = try cache("stats")
    #expect(done.parts == 0 && done.records == 1)
    // The folder of parts does not make the cache a folder of others.
    #expect(FileManager.default.fileExists(atPath: folder.file("cache/CACHEDIR.TAG")))

    #expect(try cache("clear").removedRecords == 1)
    try breakOff()
    #expect(try cache("clear").removedParts == 1)
    #expect(try get(url("/stream.jpg")).status == 0)
    #expect(server.requests.count == 4)
    #expect(server.requests.last?[header: "Range"] == nil)
  }

  @Test("clearing the cache leaves alone what is not of the cache")
  func foreignParts() throws {
    let mine = folder.file("cache/partial/holiday.partial")
    try FileManager.default.createDirectory(
      atPath: folder.file("cache/partial"), withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: mine))
    let run = try Tool.run("cache", "clear", "--json", "--cache-dir", folder.file("cache"))
    #expect(try run.jsonLines()[0].removedParts == 0)
    #expect(FileManager.default.fileExists(atPath: mine))
  }

  @Test("--no-cache keeps no parts either")
  func noCache() throws {
    let photo = try Photos.data("stream.jpg")
    server.route("/stream.jpg") { .resource(photo, etag: "\"1\"", for: $0).cut(after: 400_000) }
    #expect(try get(url("/stream.jpg"), "--retries", "0", "--no-cache").status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.file("cache")))
  }

  @Test("requests go through the proxy, with the whole URL")
  func proxy() throws {
    let target = "http://images.invalid/dogs.webp"
    server.route(target, .body(try Photos.data("dogs.webp")))
    #expect(try get(target, "--proxy", "http://127.0.0.1:\(server.port)").status == 0)
    #expect(try get(target, "--proxy", "HTTP://127.0.0.1:\(server.port)", "--no-cache").status == 0)
    #expect(server.requests.map(\.path) == [target, target])
  }

  @Test("a CA file is read, and a larger source than allowed is refused")
  func limits() throws {
    server.route("/dogs.webp", .body(try Photos.data("dogs.webp")))
    let secure = "https://127.0.0.1:\(server.port)/dogs.webp"
    let untrusted = try get(secure, "--cacert", folder.file("missing.pem"))
    #expect(try untrusted.jsonLines().map { $0.error?.code } == ["tls"])
    #expect(try untrusted.jsonLines()[0].error?.message.contains("missing.pem") == true)

    let large = try get(url("/dogs.webp"), Photos.path("dogs.webp"), "--max-bytes", "1000")
    #expect(try large.jsonLines().map { $0.error?.code } == ["tooLarge", "tooLarge"])
  }
}

/// Counts from 1.
private final class Attempts: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}
