import ArgumentParser

struct SandboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox",
    abstract: "Tells whether this machine can decode in a sandbox.",
    subcommands: [SandboxCheckCommand.self])
}
