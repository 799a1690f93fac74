import CalotypeSupport
import Glibc
import Synchronization

/// Changes the settings of the terminal for a while, and puts them back on every way out: a normal end, signals that end or stop
/// the process, and crashes.
package enum TerminalGuard {
  /// The change of settings.
  package enum Mode {
    /// Keys come at once and are not shown; ^C still ends.
    case asking
    /// Keys are not shown, the cursor is hidden. What is typed is left to who reads next.
    case drawing
    /// The whole window is ours: keys come at once and are not shown, the cursor is hidden, and what stood there comes back in the
    /// end. A byte is written to `wake` when the window has another size, or has to be drawn anew.
    case browsing(wake: Int32)
  }

  /// The data of the signal handlers: plain bytes at a fixed address.
  private struct State {
    var isActive = false
    /// A handler must not change anything again.
    var isLeaving = false
    var hasSettings = false
    var hidesCursor = false
    var hasScreen = false
    var wake: Int32 = -1
    var input: Int32 = -1
    /// The terminal that is written to, opened so that no write waits for one that does not read. Kept open: a handler may
    /// be using it.
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
  private static let resumes = Atomic(0)
  private static let deadly = [
    SIGHUP, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGALRM, SIGUSR1, SIGUSR2,
    SIGXCPU, SIGXFSZ,
  ]

  /// Ends a control string that was broken off, then everything else that may have been begun.
  private static let reset: StaticString = "\u{1B}\\\u{1B}[?2026l\u{1B}[0m"
  private static let showCursor: StaticString = "\u{1B}[?25h"
  private static let hideCursor: StaticString = "\u{1B}[?25l"
  /// The alternate screen of xterm, and back.
  private static let enterScreen: StaticString = "\u{1B}[?1049h"
  private static let leaveScreen: StaticString = "\u{1B}[?1049l"

  /// Changes the settings. What was changed before is put back first.
  ///
  /// - Parameters:
  ///   - input: The terminal whose settings are changed; not changed if it is none.
  ///   - output: The terminal that is written to.
  package static func enter(_ mode: Mode, input: Int32, output: Int32) {
    leave()
    lock.withLock { _ in
      _ = installHandlers
      var next = State()
      (next.input, next.output) = (input, ownDescriptor(of: output))
      var readsKeys = true
      switch mode {
      case .asking: break
      case .drawing: (next.hidesCursor, readsKeys) = (true, false)
      case .browsing(let wake): (next.hidesCursor, next.hasScreen, next.wake) = (true, true, wake)
      }
      if isForeground(input), tcgetattr(input, &next.before) == 0 {
        next.hasSettings = true
        next.changed = next.before
        next.changed.c_lflag &= ~tcflag_t(ECHO)
        if readsKeys {
          next.changed.c_lflag &= ~tcflag_t(ICANON)
          withUnsafeMutableBytes(of: &next.changed.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
          }
        }
      }
      next.isActive = true
      state.pointee = next
      change()
    }
  }

  /// Puts everything back; harmless when nothing was changed. Waits for a terminal that does not read, but not for ever.
  package static func leave() {
    lock.withLock { _ in
      state.pointee.isLeaving = true
      restore()
      (state.pointee.isActive, state.pointee.isLeaving) = (false, false)
    }
  }

  /// The same for who is about to end the process, whatever others are doing.
  package static func abandon() { restore() }

  /// Whether the terminal is ours, and not that of a command that was started since this one was stopped.
  package static var isInForeground: Bool { isForeground(state.pointee.input) }

  /// How often the process was stopped and went on: others may have written where it had drawn.
  package static var resumeCount: Int { resumes.load(ordering: .relaxed) }

  /// Returns a descriptor of the same terminal with flags of its own; `output` itself if it cannot be opened.
  private static func ownDescriptor(of output: Int32) -> Int32 {
    var name = [CChar](repeating: 0, count: 256)
    guard ttyname_r(output, &name, name.count) == 0 else { return output }
    return descriptors.withLock { descriptors in
      if let known = descriptors[name] { return known }
      let opened = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      guard opened >= 0 else { return output }
      descriptors[name] = opened
      return opened
    }
  }

  private static let descriptors = Lock<[[CChar]: Int32]>([:])

  // MARK: In handlers of signals: only calls that are allowed there

  private static func change() {
    guard state.pointee.isActive, !state.pointee.isLeaving, isForeground(state.pointee.input) else { return }
    // At once: what is written may never get there, with ^S.
    if state.pointee.hasSettings { tcsetattr(state.pointee.input, TCSANOW, &state.pointee.changed) }
    if state.pointee.hasScreen { write(enterScreen) }
    if state.pointee.hidesCursor { write(hideCursor) }
  }

  private static func restore() {
    // Settings that are changed from the background stop the process, and are those of others.
    guard state.pointee.isActive, isForeground(state.pointee.input) else { return }
    if state.pointee.hasSettings { tcsetattr(state.pointee.input, TCSANOW, &state.pointee.before) }
    guard state.pointee.hidesCursor else { return }
    write(reset)
    if state.pointee.hasScreen { write(leaveScreen) }
    write(showCursor)
  }

  /// Whether the terminal is ours; also if it is not the one of the session, which has no jobs then.
  private static func isForeground(_ input: Int32) -> Bool {
    let group = tcgetpgrp(input)
    return group <= 0 || group == getpgrp()
  }

  private static func wake() {
    guard state.pointee.isActive, state.pointee.wake >= 0 else { return }
    _ = Glibc.write(state.pointee.wake, "x", 1)
  }

  /// Gives up on a terminal that takes nothing for half a second.
  private static func write(_ text: StaticString) {
    for _ in 0..<5 {
      let count = Glibc.write(state.pointee.output, text.utf8Start, text.utf8CodeUnitCount)
      guard count < 0, errno == EAGAIN || errno == EINTR else { return }
      var ready = pollfd(fd: state.pointee.output, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ready, 1, 100)
    }
  }

  /// Stops the process as the default action of the signal does. The kernel ignores it in orphaned process groups, which could
  /// not be continued.
  private static func stop() {
    var stopping = sigset_t()
    sigemptyset(&stopping)
    sigaddset(&stopping, SIGTSTP)
    var ours = sigaction()
    sigaction(SIGTSTP, previous + Int(SIGTSTP), &ours)
    raise(SIGTSTP)
    // It comes now, and this goes on with the process.
    pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
    pthread_sigmask(SIG_BLOCK, &stopping, nil)
    sigaction(SIGTSTP, &ours, nil)
  }

  private static func resume() {
    resumes.wrappingAdd(1, ordering: .relaxed)
    change()
    wake()
  }

  private static let installHandlers: Void = {
    _ = resumes.load(ordering: .relaxed)
    install(deadly) { signal in
      TerminalGuard.restore()
      // As it would have ended without us.
      sigaction(signal, TerminalGuard.previous + Int(signal), nil)
      raise(signal)
    }
    install([SIGTSTP]) { _ in
      let error = errno
      TerminalGuard.restore()
      TerminalGuard.stop()
      TerminalGuard.resume()
      errno = error
    }
    install([SIGCONT]) { _ in
      let error = errno
      TerminalGuard.resume()
      errno = error
    }
    install([SIGWINCH]) { _ in
      let error = errno
      TerminalGuard.wake()
      errno = error
    }
  }()

  /// Installs a handler of signals that are not ignored.
  private static func install(_ signals: [Int32], _ handler: @convention(c) @escaping (Int32) -> Void) {
    for signal in signals {
      sigaction(signal, nil, previous + Int(signal))
      let before = unsafeBitCast(previous[Int(signal)].__sigaction_handler.sa_handler, to: Int.self)
      guard before != unsafeBitCast(SIG_IGN, to: Int.self) else { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = handler
      action.sa_flags = SA_RESTART
      sigaction(signal, &action, nil)
    }
  }
}
