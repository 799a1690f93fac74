import ArgumentParser

/// Looks at animations and changes them: `swift run AnimationTool info pan.gif`.
@main
struct AnimationTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AnimationTool",
    abstract: "Frames and durations of GIF, WebP, APNG and AVIF; trims, speed, other formats, sprite sheets.",
    subcommands: [InfoCommand.self, ConvertCommand.self, SheetCommand.self])
}
