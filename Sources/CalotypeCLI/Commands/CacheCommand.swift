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
    commandName: "stats", abstract: "Tells how many records the cache holds and how large it is.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let records: Int
    let bytes: Int
    let byteLimit: Int
  }

  func run() async throws {
    try await CacheCommand.reporting(cache, json) { try await show() }
  }

  private func show() async throws {
    let configuration = cache.configuration
    let statistics = try await DiskCache(configuration).statistics()
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, records: statistics.count, bytes: statistics.bytes,
          byteLimit: configuration.byteLimit))
    } else {
      Output.line(configuration.folder.path)
      Output.line(
        "  \(Formatting.count(statistics.count, "record")), \(Formatting.bytes(statistics.bytes))"
          + " of \(Formatting.bytes(configuration.byteLimit))")
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
  }

  func run() async throws {
    try await CacheCommand.reporting(cache, json) { try await clear() }
  }

  private func clear() async throws {
    let configuration = cache.configuration
    let cache = DiskCache(configuration)
    let statistics = try await cache.statistics()
    try await cache.removeAll()
    if json {
      Output.json(
        Report(
          path: configuration.folder.path, removedRecords: statistics.count,
          removedBytes: statistics.bytes))
    } else {
      Output.line(
        "removed \(Formatting.count(statistics.count, "record")), \(Formatting.bytes(statistics.bytes))"
          + " from \(configuration.folder.path)")
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
