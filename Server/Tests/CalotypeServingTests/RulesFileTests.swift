import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import Testing

@testable import CalotypeServing

/// The rules of Prometheus name series that the server serves.
@Suite("Rules of Prometheus")
struct RulesFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Deploy")

  /// The names of series in front of the label of the job.
  private static func names(in file: String) throws -> Set<String> {
    let text = String(decoding: try Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
    var names: Set<String> = []
    for part in text.split(separator: "{job=\"calotype\"").dropLast() {
      let name = String(
        part.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" }.reversed())
      // Those with colons are recorded by the rules themselves.
      if !name.isEmpty, !name.contains(":") { names.insert(name) }
    }
    return names
  }

  @Test(arguments: ["prometheus-rules.yml", "prometheus-tests.yml"])
  func seriesAreServed(_ file: String) async throws {
    var settings = Settings()
    settings.security.allowsUnsigned = true
    let server = try ImageServer(settings, parts: await ServerParts(settings))
    let text = String(decoding: server.metricsResponse.data, as: UTF8.self)
    let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
      $0.split(separator: " ").map(String.init)
    }
    var served: Set<String> = []
    for type in types {
      served.insert(type[2])
      if type[3] == "histogram" { served.formUnion(["_bucket", "_sum", "_count"].map { type[2] + $0 }) }
    }
    let named = try Self.names(in: file)
    #expect(named.count > 8)
    #expect(named.subtracting(served).isEmpty)
  }

  /// Labels that rules select are those of the code.
  @Test func labelsExist() throws {
    let text = String(
      decoding: try Data(contentsOf: Self.folder.appending(path: "prometheus-rules.yml")), as: UTF8.self)
    for part in text.split(separator: "cache=\"").dropFirst() {
      #expect(ServerMetrics.ImagePath(rawValue: String(part.prefix { $0 != "\"" })) != nil)
    }
    for part in text.split(separator: "type=~\"").dropFirst() {
      for reason in part.prefix(while: { $0 != "\"" }).split(separator: "|") {
        #expect(FailureReason(rawValue: String(reason)) != nil, "\(reason)")
      }
    }
  }
}
