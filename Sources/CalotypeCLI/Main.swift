import ArgumentParser
import Glibc

@main
enum Main {
  static func main() async {
    // libcurl asks for it: a peer that hangs up must be an error of one transfer, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let interrupt = Interrupt()
    do {
      var command = try CalotypeCommand.parseAsRoot()
      if var asyncCommand = command as? any AsyncParsableCommand {
        let run = Task { try await asyncCommand.run() }
        interrupt.cancels { run.cancel() }
        try await run.value
      } else {
        try command.run()
      }
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
}
