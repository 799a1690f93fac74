import ArgumentParser
import Calotype
import CalotypeSupport
import Glibc
import CalotypeTerminal

@main
enum Main {
  /// Not `async`: signals have to be blocked on the first thread before others are created.
  static func main() {
    // Before any threads are created.
    ProcessAllocator.limitArenas()
    // Required by libcurl: a peer that hangs up must fail one transfer, not terminate the process.
    signal(SIGPIPE, SIG_IGN)
    let interrupt = Interrupt()
    let run = Task { @concurrent in
      do {
        try await execute()
        end(interrupt.exitStatus ?? 0)
      } catch {
        if let status = interrupt.exitStatus { end(status) }
        let code = CalotypeCommand.exitCode(for: error)
        let message = CalotypeCommand.fullMessage(for: error)
        if !message.isEmpty { Output.paragraphs(Secrets.removed(from: message), isError: !code.isSuccess) }
        // ArgumentParser's own status for wrong usage is 64.
        end(code == .validationFailure ? 2 : code.rawValue)
      }
    }
    interrupt.cancels { run.cancel() }
    while true { pause() }
  }

  /// Ends the process without the exit handlers of libraries: OpenSSL destroys its locks in one, while the
  /// loader's thread may still be initializing libcurl.
  private static func end(_ status: Int32) -> Never {
    Screen.end()
    fflush(nil)
    _exit(status)
  }

  private static func execute() async throws {
    var command = try CalotypeCommand.parseAsRoot(
      ConsecutiveSources.joined(Array(CommandLine.arguments.dropFirst())))
    if var asyncCommand = command as? any AsyncParsableCommand {
      try await asyncCommand.run()
    } else {
      try command.run()
    }
  }
}
