import ArgumentParser
import Glibc

@main
enum Main {
  static func main() async {
    // libcurl asks for it: a peer that hangs up must be an error of one transfer, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let interrupt = Interrupt()
    do {
      let run = Task { try await execute() }
      interrupt.cancels { run.cancel() }
      try await run.value
    } catch {
      if let status = interrupt.exitStatus { exit(status) }
      // ArgumentParser's own status for wrong usage is 64.
      if CalotypeCommand.exitCode(for: error) == .validationFailure {
        Output.error(CalotypeCommand.fullMessage(for: error))
        exit(2)
      }
      CalotypeCommand.exit(withError: error)
    }
    if let status = interrupt.exitStatus { exit(status) }
  }

  private static func execute() async throws {
    var command = try CalotypeCommand.parseAsRoot()
    if var asyncCommand = command as? any AsyncParsableCommand {
      try await asyncCommand.run()
    } else {
      try command.run()
    }
  }
}
