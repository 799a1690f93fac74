import CalotypeTestKit
import Foundation
import Glibc
import TerminalScreens
import Testing

/// Copies of the disk cache to buckets and back.
@Suite("Command: cache copy", .timeLimit(.minutes(2)))
struct CacheCopyTests {
  let folder: Tool.Folder
  let web: ScriptedHTTPServer
  let bucket: ScriptedBucket

  init() throws {
    folder = try Tool.Folder()
    web = try ScriptedHTTPServer()
    bucket = try ScriptedBucket()
    for name in ["dogs.webp", "sunset.webp"] {
      web.route(
        "/" + name,
        .body(try Photos.data(name), headers: [("Cache-Control", "max-age=1000"), ("ETag", "\"\(name)\"")]))
    }
  }

  private struct Totals: Decodable {
    let copied: Int
    let bytes: Int
    let kept: Int
    let unselected: Int
    let omitted: Int
    let damaged: Int
    let failed: Int
    let dryRun: Bool
  }

  private struct Failure: Decodable {
    struct Details: Decodable { let code: String }

    let source: String
    let error: Details
  }

  /// Two originals and two thumbnails.
  private func fill(_ name: String, _ options: String...) throws {
    let urls = ["/dogs.webp", "/sunset.webp"].map { web.url($0).absoluteString }
    let run = try Tool.run(
      [
        "get", "--thumbnail", "20x20", "--tag", "a", "-o", folder.file("out/"), "--cache-dir",
        folder.file(name),
      ]
        + options + urls)
    #expect(run.status == 0, "\(run)")
  }

  private func copy(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(["cache", "copy", "--json"] + arguments, environment: TiersTests.environment(bucket))
  }

  private func totals(_ run: Tool.Run) throws -> Totals {
    let line = try #require(run.output.split(separator: "\n").last)
    return try JSONDecoder().decode(Totals.self, from: Data(line.utf8))
  }

  private func list(_ name: String) throws -> [String] {
    let run = try Tool.run(["cache", "list", "--json", "--cache-dir", folder.file(name)])
    return run.output.replacing(folder.file(name), with: "").split(separator: "\n").map { line in
      String(line.replacing(#/"accessed":"[^"]*",/#, with: ""))
    }.sorted()
  }

  @Test("folder, bucket, folder: the same records, and a second run has nothing to do")
  func roundTrip() throws {
    try fill("one")
    let planned = try totals(try copy(folder.file("one"), "s3://images", "--dry-run"))
    #expect(planned.copied == 4 && planned.dryRun && bucket.objects.isEmpty)
    let first = try copy(folder.file("one"), "s3://images")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
    #expect(try totals(first).copied == 4)
    #expect(bucket.objects.count == 4 && bucket.objects.keys.allSatisfy { $0.hasPrefix("calotype/v1/o/") })
    let bytes = try totals(first).bytes
    #expect(bucket.objects.values.reduce(0) { $0 + $1.count } == bytes)
    #expect(try totals(try copy(folder.file("one"), "s3://images")).kept == 4)
    #expect(try totals(try copy("s3://images", folder.file("two"))).copied == 4)
    #expect(try list("two") == list("one"))
    // The images are found there.
    web.routeOthers { _ in .close }
    let get = try Tool.run(
      "get", web.url("/dogs.webp").absoluteString, "--json", "-o", folder.file("again/"), "--cache-dir",
      folder.file("two"))
    #expect(get.status == 0, "\(get)")
    let text = try Tool.run(
      "cache", "copy", "s3://images", "s3://images/other", "--part", "originals",
      environment: TiersTests.environment(bucket))
    #expect(text.output.hasPrefix("copied 4 records, "), "\(text)")
    bucket.stop()
  }

  @Test("the namespace results belongs to the part results; a wrong namespace is told")
  func namespaces() throws {
    try fill("one", "--namespace", "results")
    let none = try copy(folder.file("one"), "s3://images")
    #expect(none.status == 0 && bucket.objects.isEmpty, "\(none)")
    #expect(
      none.errors.contains("no records in the default namespace, but in results: add --namespace results"),
      "\(none)")
    let run = try copy(folder.file("one"), "s3://images", "--namespace", "results")
    #expect(try totals(run).copied == 4 && run.errors.isEmpty, "\(run)")
    #expect(bucket.objects.keys.allSatisfy { $0.hasPrefix("calotype/v1/r/") }, "\(bucket.objects.keys)")
    // The option decides.
    _ = try copy(folder.file("one"), "s3://images", "--namespace", "results", "--part", "originals")
    #expect(bucket.objects.keys.contains { $0.hasPrefix("calotype/v1/o/") })
    bucket.stop()
  }

  @Test("a selection is that of cache clear")
  func selections() throws {
    try fill("one")
    let url = web.url("/dogs.webp").absoluteString
    let one = try totals(try copy(folder.file("one"), folder.file("two"), "--source", url))
    #expect(one.copied == 2 && one.unselected == 2)
    #expect(try totals(try copy(folder.file("one"), folder.file("three"), "--tag", "b")).unselected == 4)
    #expect(try totals(try copy(folder.file("one"), folder.file("three"), "--prefix", "http://")).copied == 4)
    bucket.stop()
  }

  @Test("damaged and refused records are told, and end with status 1")
  func failures() throws {
    try fill("one")
    _ = try copy(folder.file("one"), "s3://images")
    let key = try #require(bucket.objects.keys.sorted().first)
    bucket[key]?.removeLast()
    let damaged = try copy("s3://images", folder.file("two"))
    let count = try totals(damaged)
    #expect(damaged.status == 1 && count.damaged == 1 && count.copied == 3)
    let line = try #require(damaged.output.split(separator: "\n").first)
    let failure = try JSONDecoder().decode(Failure.self, from: Data(line.utf8))
    #expect(failure.source == "s3://images/" + key && failure.error.code == "recordNotCopied")
    let full = try copy(folder.file("one"), folder.file("three"), "--max-bytes", "40K")
    let omitted = try totals(full).omitted
    #expect(full.status == 1 && omitted > 0, "\(full)")
    bucket.setFault { _ in .refuse(status: 403, code: "AccessDenied") }
    let refused = try copy("s3://images", folder.file("four"))
    #expect(refused.status == 1 && refused.output.contains("\"code\":\"bucketRefused\""), "\(refused)")
    bucket.stop()
  }

  @Test(
    "^C ends with status 130 and what was done; the next run continues", .enabled(if: !Tool.delaysSignals))
  func interrupt() throws {
    try fill("one")
    let isReached = Gate()
    bucket.setFault { [bucket] request in
      guard request.method == "PUT", bucket.objects.count > 0 else { return nil }
      isReached.open()
      return .hang
    }
    let child = try Tool.start(
      ["cache", "copy", "--json", "--transfers", "1", folder.file("one"), "s3://images"],
      environment: TiersTests.environment(bucket))
    isReached.waitBlocking()
    child.send(SIGINT)
    let run = try child.wait()
    let copied = try totals(run).copied
    #expect(run.status == 130 && copied == 1, "\(run)")
    bucket.setFault(nil)
    let rest = try totals(try copy(folder.file("one"), "s3://images"))
    #expect(rest.copied == 3 && rest.kept == 1)
    bucket.stop()
  }

  @Test("a folder without a cache is an error")
  func missing() throws {
    let run = try copy(folder.file("none"), "s3://images")
    #expect(run.status == 1 && run.output.contains("notACache") && !run.output.contains("copied"), "\(run)")
    bucket.stop()
  }

  @Test(
    "wrong usage ends with status 2",
    arguments: [
      [], ["a"], ["a", "a"], ["a", "gs://b"], ["s3://", "a"], ["a", "b", "--transfers", "17"],
      ["a", "b", "--part", "both"],
    ])
  func usage(arguments: [String]) throws {
    let run = try Tool.run(["cache", "copy"] + arguments)
    #expect(run.status == 2 && run.output.isEmpty, "\(run)")
    bucket.stop()
  }
}
