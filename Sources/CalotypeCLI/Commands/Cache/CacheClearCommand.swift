import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials

struct CacheClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Removes everything from the cache, or what is chosen.",
    discussion: """
      Without a choice, parts of downloads that broke off go too. With one, all sizes and forms of the images go that it \
      names.
      """)

  @OptionGroup var cache: CacheOptions
  @Option(help: ArgumentHelp("Only what was made from this URL.", valueName: "url"))
  var source: [String] = []
  @Option(help: ArgumentHelp("Only what was made from URLs that begin so.", valueName: "text"))
  var prefix: [String] = []
  @Option(help: ArgumentHelp("Only what was stored with this tag.", valueName: "name"))
  var tag: [String] = []
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let removedRecords: Int
    let removedBytes: Int
    let removedParts: Int
    let removedPartBytes: Int
  }

  func run() async throws {
    try await CacheCommand.reporting(cache, json) { try await clear() }
  }

  private func clear() async throws {
    let configuration = cache.configuration
    let records = DiskCache(configuration)
    let selections =
      source.map { CacheSelection.source(ShownURL.withoutUsers($0, isOne: true)) }
      + prefix.map { .sourcePrefix(ShownURL.withoutUsers($0, isOne: true)) } + tag.map { .tag($0) }
    if !selections.isEmpty { return try await clear(selections, of: records) }
    let statistics = try await records.statistics()
    try await records.removeAll()
    let partials = try await cache.partials?.removeAll()
    let parts = (count: partials?.count ?? 0, bytes: partials?.bytes ?? 0)
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, removedRecords: statistics.count,
          removedBytes: statistics.bytes, removedParts: parts.count, removedPartBytes: parts.bytes))
    } else {
      var text =
        "removed \(Formatting.count(statistics.count, "record")), \(Formatting.bytes(statistics.bytes))"
      if parts.count > 0 {
        text +=
          " and \(Formatting.count(parts.count, "download")) broken off, \(Formatting.bytes(parts.bytes))"
      }
      Output.line(text + ", from \(configuration.folder.path)")
    }
  }

  private struct SelectionReport: Encodable {
    let path: String
    let removedRecords: Int
  }

  private func clear(_ selections: [CacheSelection], of records: DiskCache) async throws {
    var removed = 0
    for selection in selections { removed += try await records.removeAll(selection) }
    let path = cache.configuration.folder.path
    if json {
      Output.json(SelectionReport(path: path, removedRecords: removed))
    } else {
      Output.line("removed \(Formatting.count(removed, "record")) from \(path)")
    }
  }
}
