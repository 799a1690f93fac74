import ArgumentParser

struct TiersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tiers", abstract: "Examines the buckets and Redis servers that nodes share.",
    subcommands: [TiersCheckCommand.self])
}
