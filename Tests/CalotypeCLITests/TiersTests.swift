import CalotypeTestKit
import Foundation
import Glibc
import Testing

/// Probes of tiers.
@Suite("Command: tiers check", .timeLimit(.minutes(2)))
struct TiersTests {
  let server: ScriptedBucket

  init() throws { server = try ScriptedBucket() }

  private struct Line: Decodable {
    struct Failure: Decodable {
      let code: String
      let message: String
    }

    let source: String
    let probe: String?
    let verdict: String?
    let detail: String?
    let consequence: String?
    let milliseconds: Double?
    let error: Failure?
  }

  /// Keys, and nothing of the machine that runs the tests.
  static func environment(_ server: ScriptedBucket) -> [String: String] {
    [
      "AWS_ACCESS_KEY_ID": server.accessKey, "AWS_SECRET_ACCESS_KEY": server.secretKey,
      "AWS_SESSION_TOKEN": "", "AWS_ENDPOINT_URL": server.endpoint.absoluteString, "AWS_ENDPOINT_URL_S3": "",
      "AWS_REGION": server.region, "AWS_DEFAULT_REGION": "", "http_proxy": "", "HTTP_PROXY": "",
      "all_proxy": "", "ALL_PROXY": "",
    ]
  }

  private func check(_ arguments: String...) throws -> (run: Tool.Run, lines: [Line]) {
    let run = try Tool.run(["tiers", "check", "--json"] + arguments, environment: Self.environment(server))
    let lines = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(!(run.output + run.errors).contains(server.secretKey))
    return (run, lines)
  }

  @Test("a good bucket passes, and is left as it was")
  func goodBucket() throws {
    let (run, lines) = try check("s3://images/nodes")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    #expect(lines.count == 16 && lines.allSatisfy { $0.source == "s3://images/nodes" && $0.probe != nil })
    #expect(lines.first?.detail == "from the environment: permanent, AKID…")
    #expect(lines.allSatisfy { $0.verdict == "ok" || $0.probe == "metadata" }, "\(run)")
    #expect(lines.allSatisfy { $0.milliseconds ?? -1 >= 0 })
    #expect(server.objects.isEmpty)
    server.stop()
  }

  @Test("the variables of the image server name the service, after those of Amazon's programs")
  func serverVariables() throws {
    var environment = Self.environment(server)
    environment["AWS_ENDPOINT_URL"] = ""
    environment["AWS_REGION"] = ""
    environment["CALOTYPE_CACHE_S3_ENDPOINT"] = server.endpoint.absoluteString
    environment["CALOTYPE_CACHE_S3_REGION"] = server.region
    let run = try Tool.run(["tiers", "check", "s3://images"], environment: environment)
    #expect(run.status == 0 && run.output.contains("at \(server.endpoint.absoluteString)"), "\(run)")
    server.stop()
  }

  @Test("what a server cannot do is told, with what it means")
  func missingConditions() throws {
    server.setConditions(.ignored)
    let run = try Tool.run(
      "tiers", "check", "s3://images", "--endpoint", server.endpoint.absoluteString,
      environment: Self.environment(server))
    #expect(run.status == 0, "\(run)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "s3://images/calotype at \(server.endpoint.absoluteString), us-east-1")
    let line = try #require(lines.first { $0.contains("ifNoneMatch") })
    #expect(line.hasPrefix("  cannot") && line.contains("Redis"))
    server.stop()
  }

  @Test("a failing tier does not stop the others, and ends with status 1")
  func failures() throws {
    let (run, lines) = try check("s3://nobucket", "s3://images", "redis://ann:geheim@127.0.0.1:1/")
    #expect(run.status == 1)
    let failed = lines.filter { $0.verdict == "failed" }
    #expect(failed.map(\.source) == ["s3://nobucket/calotype", "redis://127.0.0.1:1/0"])
    #expect(failed.map { $0.error?.code } == ["bucketRefused", "redisUnreachable"])
    #expect(lines.contains { $0.source == "s3://images/calotype" && $0.probe == "delete" })
    #expect(!run.output.contains("geheim"))
    server.stop()
  }

  @Test("hostile answers are failures, and escaped")
  func hostileAnswers() throws {
    server.setFault { $0.method == "PUT" ? .refuse(status: 500, code: "\u{1B}[2J\u{202E}") : nil }
    let (run, lines) = try check("s3://images")
    #expect(run.status == 1 && !run.output.contains("\u{1B}") && !run.output.contains("\u{202E}"))
    #expect(lines.first { $0.probe == "put" }?.error?.code == "bucketRefused")
    server.setFault { $0.method == "GET" ? .hang : nil }
    let (silent, _) = try check("s3://images", "--timeout", "0.5")
    #expect(silent.status == 1)
    server.stop()
  }

  @Test("^C removes what was written, and ends with status 130", .enabled(if: !Tool.delaysSignals))
  func interrupt() throws {
    let isReached = Gate()
    server.setFault { request in
      guard request.method == "GET", request.path.hasSuffix("-object") else { return nil }
      isReached.open()
      return .hang
    }
    let child = try Tool.start(
      ["tiers", "check", "s3://images"], environment: Self.environment(server))
    isReached.waitBlocking()
    #expect(server.objects.count == 1)
    child.send(SIGINT)
    let run = try child.wait()
    #expect(run.status == 130 && run.output.contains("cleanUp"), "\(run)")
    #expect(server.objects.isEmpty)
    server.stop()
  }

  @Test(
    "wrong usage ends with status 2",
    arguments: [
      [], ["http://ann:geheim@h/"], ["images"], ["redis://ann:geheim@/"], ["s3://"], ["s3://a b"],
      ["s3://images/a//b"], ["s3://images", "--endpoint", "ftp://h"], ["s3://images", "--timeout", "0"],
      ["redis://ann:geheim@h/x"],
    ])
  func usage(arguments: [String]) throws {
    let run = try Tool.run(["tiers", "check"] + arguments, environment: Self.environment(server))
    #expect(run.status == 2 && run.output.isEmpty && !run.errors.contains("geheim"), "\(run)")
    server.stop()
  }
}
