import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct CacheListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the records of the cache, the least recently used first.",
    discussion: """
      An image may have several records: its original, and a result for each size or variant that was requested.
      """)

  @OptionGroup var cache: CacheOptions
  @Option(help: ArgumentHelp("Only records of URLs with this prefix.", valueName: "text"))
  var prefix = ""
  @Flag(help: "One JSON object for each record.")
  var json = false

  private struct Report: Encodable {
    let source: String
    let key: String
    let path: String
    let bytes: Int
    let contentType: String?
    let created: String
    let accessed: String
    let expires: String?
    let status: Int?
    let etag: String?
    let tags: [String]
  }

  func run() async throws {
    try await cache.reportingFailures(asJSON: json) { try await list() }
  }

  private func list() async throws {
    let prefix = RedactedURL.withoutUsers(prefix, isOne: true)
    let entries = try await DiskCache(cache.configuration).entries()
      .filter { RedactedURL.withoutUsers($0.source, isOne: true).utf8.starts(with: prefix.utf8) }
    if json {
      for entry in entries { Output.json(Self.report(entry)) }
      return
    }
    if entries.isEmpty { return Output.line("no records in \(cache.configuration.folder.path)") }
    Output.line(
      "last used".padded(to: 21) + "size".leftPadded(to: 8) + "  " + "type".padded(to: 12) + "source")
    for entry in entries {
      let type = entry.metadata.contentType ?? entry.metadata.response.map { "HTTP \($0.status)" } ?? "?"
      Output.line(
        Self.time(entry.accessed).padded(to: 21) + Formatting.bytes(entry.fileLength).leftPadded(to: 8) + "  "
          + TerminalText.head(of: type, cells: 11).padded(to: 12)
          + RedactedURL.withoutUsers(entry.source, isOne: true))
    }
  }

  private static func report(_ entry: DiskCache.Entry) -> Report {
    Report(
      source: RedactedURL.withoutUsers(entry.source, isOne: true), key: RedactedURL.withoutUsers(entry.key),
      path: entry.path, bytes: entry.fileLength,
      contentType: entry.metadata.contentType, created: time(entry.created), accessed: time(entry.accessed),
      expires: entry.metadata.expires.map { time($0) }, status: entry.metadata.response?.status,
      etag: entry.metadata.response?.entityTag?.text, tags: entry.metadata.tags)
  }

  /// Formats a date as `2024-08-11T10:42:05Z`.
  private static func time(_ date: Date) -> String { date.formatted(.iso8601) }
}
