import CalotypeSupport
import Glibc

/// Changes the settings of the terminal for a while, and puts them back on every way out: a normal end, signals that end or stop
/// the process, and crashes.
enum TerminalGuard {
  /// What is changed.
  enum Mode {
    /// Keys come at once and are not shown; ^C still ends.
    case asking
    /// Keys are not shown, the cursor is hidden. What is typed is left to who reads next.
    case drawing
  }

  /// What a handler of signals needs: nothing but bytes in a place of its own.
  private struct State {
    var isActive = false
    var hasSettings = false
    var hidesCursor = false
    var input: Int32 = -1
    var output: Int32 = -1
    var before = termios()
    var changed = termios()
  }

  private static let lock = Lock(())
  // Changed under the lock; read by handlers of signals, which must not take one: a handler that comes at that very moment
  // puts back what is known by then.
  private nonisolated(unsafe) static let state = {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    return state
  }()
  // Written once, before there is a handler that reads it.
  private nonisolated(unsafe) static let previous = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    actions.initialize(repeating: sigaction(), count: 65)
    return actions
  }()
  private static let deadly = [
    SIGHUP, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
  ]

  /// Ends a control string that was broken off, then everything else that may have been begun.
  private static let reset: StaticString = "\u{1B}\\\u{1B}[?2026l\u{1B}[0m"
  private static let showCursor: StaticString = "\u{1B}[?25h"
  private static let hideCursor: StaticString = "\u{1B}[?25l"

  /// Changes the settings. What was changed before is put back first.
  ///
  /// - Parameters:
  ///   - input: The terminal whose settings are changed; not changed if it is none.
  ///   - output: The terminal that is written to.
  static func enter(_ mode: Mode, input: Int32, output: Int32) {
    leave()
    lock.withLock { _ in
      _ = installHandlers
      var next = State()
      (next.input, next.output, next.hidesCursor) = (input, output, mode == .drawing)
      // A process in the background would be stopped.
      let foreground = tcgetpgrp(input)
      if foreground <= 0 || foreground == getpgrp(), tcgetattr(input, &next.before) == 0 {
        next.hasSettings = true
        next.changed = next.before
        next.changed.c_lflag &= ~tcflag_t(ECHO)
        if mode == .asking { next.changed.c_lflag &= ~tcflag_t(ICANON) }
      }
      next.isActive = true
      state.pointee = next
      change()
    }
  }

  /// Puts everything back; harmless when nothing was changed.
  static func leave() {
    lock.withLock { _ in
      restore()
      state.pointee.isActive = false
    }
  }

  // MARK: In handlers of signals: only calls that are allowed there

  private static func change() {
    guard state.pointee.isActive else { return }
    // At once: what is written may never get there, with ^S.
    if state.pointee.hasSettings { tcsetattr(state.pointee.input, TCSANOW, &state.pointee.changed) }
    if state.pointee.hidesCursor { write(hideCursor) }
  }

  private static func restore() {
    guard state.pointee.isActive else { return }
    if state.pointee.hidesCursor {
      write(reset)
      write(showCursor)
    }
    if state.pointee.hasSettings { tcsetattr(state.pointee.input, TCSANOW, &state.pointee.before) }
  }

  private static func write(_ text: StaticString) {
    _ = Glibc.write(state.pointee.output, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static let installHandlers: Void = {
    for signal in deadly {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in
        TerminalGuard.restore()
        // As it would have ended without us.
        sigaction(signal, TerminalGuard.previous + Int(signal), nil)
        raise(signal)
      }
      sigaction(signal, &action, previous + Int(signal))
    }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      let error = errno
      TerminalGuard.restore()
      kill(getpid(), SIGSTOP)
      // Back in the foreground.
      TerminalGuard.change()
      errno = error
    }
    sigaction(SIGTSTP, &action, previous + Int(SIGTSTP))
  }()
}
