import CalotypeTestKit
import Foundation
import TerminalScreens
import Testing

@Suite("Command: cache")
struct CacheTests {
  @Test("path, stats and clear agree with what get has stored")
  func cache() throws {
    let folder = try Tool.Folder()
    let cache = folder.file("cache")
    #expect(try Tool.run("cache", "path", "--cache-dir", cache).output.hasPrefix(cache))
    #expect(try Tool.run("cache", "stats", "--json", "--cache-dir", cache).jsonLines()[0].records == 0)
    _ = try Tool.run(
      "get", Photos.path("dogs.webp"), "--thumbnail", "9x9", "-o", folder.file("a.png"), "--cache-dir", cache)
    for count in [1, 0] {
      #expect(
        try Tool.run("cache", "clear", "--json", "--cache-dir", cache).jsonLines()[0].removedRecords == count)
    }
  }

  @Test(
    "a file in the place of the cache is an error for all",
    arguments: ["stats", "list", "verify", "trim", "clear"])
  func unusable(command: String) throws {
    let folder = try Tool.Folder()
    let cache = folder.file("cache")
    try Data([1]).write(to: URL(filePath: cache))
    let run = try Tool.run("cache", command, "--cache-dir", cache)
    #expect(run.status == 1 && run.errors.contains(cache), "\(run)")
  }

  @Test(
    "parts of downloads go with whatever is cleared",
    arguments: [[], ["--source", "http://h/a"], ["--tag", "x"]])
  func parts(choice: [String]) throws {
    let server = try ScriptedHTTPServer()
    let folder = try Tool.Folder()
    let cache = ["--cache-dir", folder.file("cache")]
    let body = Data(repeating: 1, count: 400_000)
    server.route("/a.png") { request in .resource(body, etag: "\"1\"", for: request).cut(after: 200_000) }
    _ = try Tool.run(
      ["get", server.url("/a.png").absoluteString, "--retries", "0", "-o", folder.file("a.png")] + cache)
    #expect(try Tool.run(["cache", "stats", "--json"] + cache).jsonLines()[0].parts == 1)
    #expect(try Tool.run(["cache", "clear", "--json"] + choice + cache).jsonLines()[0].removedParts == 1)
    #expect(try Tool.run(["cache", "stats", "--json"] + cache).jsonLines()[0].parts == 0)
  }

  @Test("list, clear of a choice, trim and verify work on what get has stored")
  func upkeep() throws {
    let server = try ScriptedHTTPServer()
    let folder = try Tool.Folder()
    let cache = ["--cache-dir", folder.file("cache")]
    for name in ["a", "b"] {
      server.route(
        "/\(name).webp",
        .body(
          try Photos.data("dogs.webp"), headers: [("Content-Type", "image/webp"), ("ETag", "\"\(name)\"")]))
      let url = server.url("/\(name).webp").absoluteString
      #expect(
        try Tool.run(["get", url, "--thumbnail", "20x20", "-o", folder.file("\(name).png")] + cache).status
          == 0)
    }
    func list(_ arguments: String...) throws -> [[String: String]] {
      let run = try Tool.run(["cache", "list", "--json"] + arguments + cache)
      #expect(run.status == 0)
      return try run.output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        return object.compactMapValues { $0 as? String }
      }
    }
    let records = try list()
    #expect(records.count == 4)
    #expect(Set(records.map { $0["etag"] }) == ["\"a\"", "\"b\""])
    #expect(Set(records.map { $0["contentType"] }) == ["image/webp", "image/png"])
    #expect(try list("--prefix", server.url("/a").absoluteString).count == 2)
    let table = try Tool.run(["cache", "list"] + cache).output.split(separator: "\n")
    #expect(table.count == 5)
    #expect(table[0].hasPrefix("last used"))
    #expect(table[1].hasSuffix(server.url("/a.webp").absoluteString))

    let cleared = try Tool.run(
      ["cache", "clear", "--json", "--source", server.url("/a.webp").absoluteString] + cache)
    #expect(try cleared.jsonLines()[0].removedRecords == 2)
    #expect(try list().count == 2)

    #expect(try Tool.run(["cache", "verify", "--json"] + cache).status == 0)
    let victim = try #require(try list()[0]["path"])
    var bytes = try Data(contentsOf: URL(filePath: victim))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: victim))
    let damaged = try Tool.run(["cache", "verify"] + cache)
    #expect(damaged.status == 1)
    #expect(damaged.output.contains("damaged, removed: \(victim)"))

    let trimmed = try Tool.run(["cache", "trim", "--max-bytes", "0"] + cache)
    #expect(trimmed.status == 0)
    #expect(trimmed.output.contains("0 too old and 1 too many"))
    #expect(try Tool.run(["cache", "stats", "--json"] + cache).jsonLines()[0].records == 0)
    #expect(try Tool.run(["cache", "trim", "--max-bytes", "many"] + cache).status == 2)
    #expect(try Tool.run(["cache", "trim", "--max-age", "-1"] + cache).status == 2)
  }

  @Test("a namespace is a cache of its own")
  func namespace() throws {
    let server = try ScriptedHTTPServer()
    let folder = try Tool.Folder()
    let cache = ["--cache-dir", folder.file("cache")]
    server.route("/a.webp", .body(try Photos.data("dogs.webp")))
    let url = server.url("/a.webp").absoluteString
    let one = ["--namespace", "../one"]
    #expect(try Tool.run(["get", url, "-o", folder.file("a.png")] + cache + one).status == 0)
    #expect(try Tool.run(["cache", "stats", "--json"] + cache + one).jsonLines()[0].records == 1)
    #expect(try Tool.run(["cache", "stats", "--json"] + cache).jsonLines()[0].records == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.file("one")))
  }

  @Test("the folder follows XDG_CACHE_HOME")
  func place() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(["cache", "path"], environment: ["XDG_CACHE_HOME": folder.path])
    #expect(run.output.hasPrefix(folder.path + "/calotype"))
  }
}
