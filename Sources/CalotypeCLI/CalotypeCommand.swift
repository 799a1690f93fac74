import ArgumentParser

/// The root of the command: only a list of what there is.
struct CalotypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calotype",
    abstract: "Loads, inspects, shows, shrinks and converts images; keeps what it loads in a disk cache.",
    discussion: """
      Exit status: 0 when everything succeeded, 1 when some input failed, 2 for wrong usage, 130 when \
      interrupted by ^C. One failing input never stops the others. With --json, standard output carries one \
      JSON object a line and nothing else; a failure is {"source":…,"error":{"code":…,"message":…}}.
      """,
    version: "calotype 0.1.0",
    subcommands: [
      GetCommand.self, InfoCommand.self, ConvertCommand.self, ShowCommand.self, BrowseCommand.self,
      PrefetchCommand.self,
      TransformsCommand.self, CacheCommand.self,
    ])
}
