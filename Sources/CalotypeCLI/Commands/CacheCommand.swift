import ArgumentParser
import Calotype
import FoundationEssentials

struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Looks after the disk cache.",
    subcommands: [CacheStatsCommand.self, CacheClearCommand.self, CachePathCommand.self])

  /// Tells a failure of the cache in the form of all commands.
  static func reporting(
    _ cache: CacheOptions, _ json: Bool, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch {
      Failure(source: cache.configuration.folder.path, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }
}

struct CacheStatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Tells how many records the cache holds and how large it is.",
    discussion: "Parts of downloads that broke off are kept beside the records, and counted by themselves.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let records: Int
    let bytes: Int
    let byteLimit: Int
    let parts: Int
    let partBytes: Int
  }

  func run() async throws {
    try await CacheCommand.reporting(cache, json) { try await show() }
  }

  private func show() async throws {
    let configuration = cache.configuration
    let statistics = try await DiskCache(configuration).statistics()
    let parts = try await cache.partials.contents()
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, records: statistics.count, bytes: statistics.bytes,
          byteLimit: configuration.byteLimit, parts: parts.count, partBytes: parts.bytes))
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

struct CacheClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Removes everything from the cache.")

  @OptionGroup var cache: CacheOptions
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
    let statistics = try await records.statistics()
    try await records.removeAll()
    let parts = try await cache.partials.removeAll()
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
}

struct CachePathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Tells where the cache is.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
  }

  func run() {
    let path = cache.configuration.folder.path
    if json { Output.json(Report(path: path)) } else { Output.line(path) }
  }
}
