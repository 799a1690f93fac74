import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct CacheVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Reads all bytes of the cache and removes damaged records.",
    discussion: "The exit status is 1 if any record was damaged.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  private struct Report: Encodable {
    let path: String
    let intact: Int
    let bytes: Int
    let damaged: [String]
  }

  func run() async throws {
    var isDamaged = false
    try await cache.reportingFailures(asJSON: json) { isDamaged = try await verify() }
    if isDamaged { throw ExitCode(1) }
  }

  /// - Returns: Whether any record was damaged.
  private func verify() async throws -> Bool {
    let path = cache.configuration.folder.path
    let records = DiskCache(cache.configuration)
    let display = ProgressDisplay(total: try await records.statistics().count, isWanted: !quiet)
    let report = try await records.verify { done, bytes in
      display.update(done: done, bytes: bytes, label: path)
    }
    display.close()
    if json {
      Output.json(Report(path: path, intact: report.intact, bytes: report.bytes, damaged: report.damaged))
    } else {
      Output.line(
        "\(Formatting.count(report.intact, "record")) intact, \(Formatting.bytes(report.bytes)), in \(path)")
      for damaged in report.damaged { Output.line("damaged, removed: \(damaged)") }
    }
    return !report.damaged.isEmpty
  }
}
