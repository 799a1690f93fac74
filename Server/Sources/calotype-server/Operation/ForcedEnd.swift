@preconcurrency import Dispatch
import Glibc

/// Ends the process at once on the next SIGTERM or SIGINT, with the status 128 and the number of the signal: 143 or 130.
///
/// It is a source of Dispatch, because that reads these signals already, from a descriptor, and would win against a handler of
/// the system. It has a queue of its own, so that it works however the tasks of the server hang.
final class ForcedEnd: Sendable {
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals from now on, while the object lives. Those that came before are those of the regular end.
  init() {
    let queue = DispatchQueue(label: "calotype-server.end")
    sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { _exit(128 + number) }
      source.activate()
      return source
    }
  }
}
