import ArgumentParser
import Calotype
import FoundationEssentials

struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Inspects, maintains and copies the disk cache.",
    subcommands: [
      CacheStatsCommand.self, CacheListCommand.self, CacheVerifyCommand.self, CacheTrimCommand.self,
      CacheClearCommand.self, CacheExportCommand.self, CacheImportCommand.self, CacheCopyCommand.self,
      CachePathCommand.self,
    ])
}
