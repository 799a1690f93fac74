import ArgumentParser
import Glibc

@main
enum Main {
  /// Not `async`: signals have to be blocked on the first thread before there is another.
  static func main() {
    // libcurl asks for it: a peer that hangs up must be an error of one transfer, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let interrupt = Interrupt()
    let run = Task { @concurrent in
      do {
        try await execute()
        leave(interrupt.exitStatus ?? 0)
      } catch {
        if let status = interrupt.exitStatus { leave(status) }
        // ArgumentParser's own status for wrong usage is 64.
        if CalotypeCommand.exitCode(for: error) == .validationFailure {
          Output.error(CalotypeCommand.fullMessage(for: error))
          leave(2)
        }
        CalotypeCommand.exit(withError: error)
      }
    }
    interrupt.cancels { run.cancel() }
    while true { pause() }
  }

  /// Without the clean-up of C libraries: the thread of the loader may still be closing connections. Nothing of ours
  /// is buffered.
  private static func leave(_ status: Int32) -> Never {
    _exit(status)
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
