import ArgumentParser

/// The root of the command: the list of subcommands.
struct CalotypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calotype",
    abstract: "Loads, inspects, shows, shrinks and converts images; keeps loaded images in a disk cache.",
    discussion: """
      Exit status: 0 when everything succeeded, 1 when some input failed, 2 for wrong usage, 130 when \
      interrupted by ^C. A failing input never stops the others. With --json, standard output carries one \
      JSON object a line and nothing else; a failure is {"source":…,"error":{"code":…,"message":…}}, \
      with the HTTP status and the seconds of retryAfter where they are known.

      Images beyond these limits are rejected (limitExceeded): more than 100 million pixels or 65,535 in a row; more \
      memory than 192 MiB and 64 bytes for each encoded byte, at most 1 GiB; an animation of more than 8,192 frames, or \
      2 billion pixels when each frame counts as a whole canvas; a decode, or a pass over frames, of more than 60 seconds, \
      or of 10 seconds in a sandbox.
      """,
    version: "calotype 0.1.0",
    subcommands: [
      GetCommand.self, InfoCommand.self, ConvertCommand.self, CompareCommand.self, OptimizeCommand.self,
      ShowCommand.self, BrowseCommand.self, PrefetchCommand.self,
      TransformsCommand.self, CacheCommand.self, TiersCommand.self, ImageURLCommand.self, SandboxCommand.self,
    ])
}
