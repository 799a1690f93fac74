import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct CacheStatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Prints the number of records of the cache and their size.",
    discussion: "Partial downloads are kept beside the records, and counted separately.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let records: Int
    let bytes: Int
    let byteLimit: Int
    let recordLimit: Int
    let parts: Int
    let partBytes: Int
  }

  func run() async throws {
    try await cache.reportingFailures(asJSON: json) { try await show() }
  }

  private func show() async throws {
    let configuration = cache.configuration
    let statistics = try await DiskCache(configuration).statistics()
    let partials = try await cache.partials?.contents()
    let parts = (count: partials?.count ?? 0, bytes: partials?.bytes ?? 0)
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, records: statistics.count, bytes: statistics.bytes,
          byteLimit: configuration.byteLimit, recordLimit: configuration.countLimit, parts: parts.count,
          partBytes: parts.bytes))
    } else {
      Output.line(configuration.folder.path)
      Output.line(
        "  \(Formatting.count(statistics.count, "record")), \(Formatting.bytes(statistics.bytes))"
          + " of \(Formatting.bytes(configuration.byteLimit))")
      guard parts.count > 0 else { return }
      Output.line(
        "  \(Formatting.count(parts.count, "download")) broken off, \(Formatting.bytes(parts.bytes))")
    }
  }
}
