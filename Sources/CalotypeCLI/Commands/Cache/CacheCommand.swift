import ArgumentParser
import Calotype
import FoundationEssentials

struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Inspects and maintains the disk cache.",
    subcommands: [
      CacheStatsCommand.self, CacheListCommand.self, CacheVerifyCommand.self, CacheTrimCommand.self,
      CacheClearCommand.self, CachePathCommand.self,
    ])
}
