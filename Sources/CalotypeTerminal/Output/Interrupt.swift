import CalotypeSupport
import Glibc

/// Turns the first ^C or SIGTERM into cancellation, so that files and terminal are left in order; the second
/// ends the process at once.
package final class Interrupt: Sendable {
  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  package init() {
    // Blocked here, before there is any other thread, so that one thread can wait for them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Threads.start(name: "signals") { [self] in
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGINT)
      sigaddset(&signals, SIGTERM)
      while true {
        var received: Int32 = 0
        guard sigwait(&signals, &received) == 0 else { continue }
        let (isFirst, cancel) = state.withLock { state in
          let isFirst = state.signal == nil
          state.signal = received
          return (isFirst, state.cancel)
        }
        guard isFirst, let cancel else {
          Screen.abandon()
          _exit(128 + received)
        }
        cancel()
      }
    }
  }

  /// Sets the action for the first signal, and runs it at once if the signal has come already.
  package func cancels(_ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.cancel = cancel
      return state.signal != nil
    }
    if isLate { cancel() }
  }

  /// 128 plus the signal that came, if one did.
  package var exitStatus: Int32? { state.withLock { $0.signal.map { 128 + $0 } } }
}
