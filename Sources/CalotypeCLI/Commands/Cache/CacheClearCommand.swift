import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct CacheClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Removes all records of the cache, or selected ones.",
    discussion: """
      A selection removes all sizes and variants of its images. Partial downloads are removed in any case. A folder that is named \
      and holds no cache is an error, with exit status 1.
      """)

  @OptionGroup var cache: CacheOptions
  @Option(help: ArgumentHelp("Only records of this URL; may be repeated.", valueName: "url"))
  var source: [String] = []
  @Option(help: ArgumentHelp("Only records of URLs with this prefix; may be repeated.", valueName: "text"))
  var prefix: [String] = []
  @Option(help: ArgumentHelp("Only records with this tag; may be repeated.", valueName: "name"))
  var tag: [String] = []
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let removedRecords: Int
    /// Absent if only selected records were removed.
    let removedBytes: Int?
    let removedParts: Int
    let removedPartBytes: Int
  }

  func run() async throws {
    try await cache.reportingFailures(asJSON: json) { try await clear() }
  }

  private func clear() async throws {
    let configuration = cache.configuration
    let records = DiskCache(configuration)
    // The default folder is missing until its first use.
    if cache.cacheDir != nil, try await !records.hasFolder() { throw CommandError.notACache }
    let selections =
      source.map { CacheSelection.source(RedactedURL.withoutUsers($0, isOne: true)) }
      + prefix.map { .sourcePrefix(RedactedURL.withoutUsers($0, isOne: true)) } + tag.map { .tag($0) }
    var (count, bytes): (Int, Int?) = (0, nil)
    if selections.isEmpty {
      let statistics = try await records.statistics()
      try await records.removeAll()
      (count, bytes) = (statistics.count, statistics.bytes)
    } else {
      for selection in selections { count += try await records.removeAll(selection) }
    }
    // Partial downloads do not record their source.
    let partials = try await cache.partials?.removeAll()
    let parts = (count: partials?.count ?? 0, bytes: partials?.bytes ?? 0)
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, removedRecords: count, removedBytes: bytes,
          removedParts: parts.count, removedPartBytes: parts.bytes))
    } else {
      var text =
        "removed " + Formatting.count(count, "record") + (bytes.map { ", \(Formatting.bytes($0))" } ?? "")
      if parts.count > 0 {
        text +=
          " and \(Formatting.count(parts.count, "download")) broken off, \(Formatting.bytes(parts.bytes))"
      }
      Output.line(text + ", from \(configuration.folder.path)")
    }
  }
}
