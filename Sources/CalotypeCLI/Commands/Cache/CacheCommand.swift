import ArgumentParser
import Calotype
import FoundationEssentials

struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Looks after the disk cache.",
    subcommands: [
      CacheStatsCommand.self, CacheListCommand.self, CacheVerifyCommand.self, CacheTrimCommand.self,
      CacheClearCommand.self, CachePathCommand.self,
    ])

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
