import Calotype
import CalotypeSupport
import Glibc

/// Notifies listeners of changes of the condition: one thread for all of them, for as long as there are
/// any.
final class NetworkMonitor: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<NetworkCondition>.Continuation] = [:]
    var next = 0
    /// Ends the thread, while there is one; distinguishes it from threads that have been told to end.
    var bell: WakePipe?
    /// The last condition that the thread has reported.
    var latest: NetworkCondition?
  }

  private let probe: NetworkProbe
  private let openChanges: @Sendable () -> Int32
  private let state = Lock(State())
  /// Held while listeners are notified, so that no older condition comes after a newer one. A separate lock
  /// from `state`, because yielding takes a lock of the listening task, and a thread that cancels that task
  /// holds that lock when it waits for `state`.
  private let telling = Lock(())

  init(_ probe: NetworkProbe, openChanges: @escaping @Sendable () -> Int32) {
    self.probe = probe
    self.openChanges = openChanges
  }

  var listenerCount: Int { state.withLock { $0.listeners.count } }

  func conditions() -> AsyncStream<NetworkCondition> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkCondition.self, bufferingPolicy: .bufferingNewest(1))
    let entry = telling.withLock { _ in enter(continuation) }
    guard let (number, first) = entry else {
      // Without a file descriptor, changes cannot be observed.
      continuation.yield(probe.condition)
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [self] _ in leave(number) }
    if let first { Threads.start(name: "network") { self.run(first) } }
    return stream
  }

  /// Adds a listener. Returns its number, and the bell of a thread to start; `nil` when there are no
  /// descriptors left.
  private func enter(
    _ listener: AsyncStream<NetworkCondition>.Continuation
  ) -> (number: Int, first: WakePipe?)? {
    let entry = state.withLock { state -> (number: Int, first: WakePipe?, latest: NetworkCondition?)? in
      // One thread needs one bell.
      let first = state.bell == nil ? WakePipe() : nil
      guard let bell = state.bell ?? first else { return nil }
      state.bell = bell
      state.next += 1
      state.listeners[state.next] = listener
      return (state.next, first, state.latest)
    }
    guard let entry else { return nil }
    if let latest = entry.latest { listener.yield(latest) }
    return (entry.number, entry.first)
  }

  /// Removes a listener; the thread ends with the last one.
  private func leave(_ number: Int) {
    let bell = state.withLock { state -> WakePipe? in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return nil }
      state.latest = nil
      return state.bell.take()
    }
    bell?.ring()
  }

  // MARK: The thread

  private func run(_ bell: WakePipe) {
    let changes = openChanges()
    var news = Change.change
    while news != .end {
      // Read after the pending changes were taken: later ones wake the thread again.
      publish(probe.condition, bell)
      // And once more after a period of silence: removed routes may be unreported when an interface loses
      // its last address.
      news = Self.wait(for: changes, bell, atMost: news == .change ? Self.settleTime : -1)
    }
    if changes >= 0 { close(changes) }
    finish(bell)
  }

  private func publish(_ condition: NetworkCondition, _ bell: WakePipe) {
    telling.withLock { _ in
      let listeners = state.withLock { state -> [AsyncStream<NetworkCondition>.Continuation] in
        guard state.bell === bell, state.latest != condition else { return [] }
        state.latest = condition
        return Array(state.listeners.values)
      }
      for listener in listeners { listener.yield(condition) }
    }
  }

  /// Ends all streams, because no more changes can be observed.
  private func finish(_ bell: WakePipe) {
    let listeners = state.withLock { state -> [AsyncStream<NetworkCondition>.Continuation] in
      guard state.bell === bell else { return [] }
      state.bell = nil
      state.latest = nil
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// The result of a wait.
  private enum Change {
    case change
    /// No change within the time limit.
    case silence
    /// No listener is left, or the socket has failed.
    case end
  }

  /// Milliseconds without a change after which routes have settled.
  private static let settleTime: Int32 = 250

  /// Waits until something may have changed.
  ///
  /// - Parameter time: The time limit in milliseconds; -1 for none.
  private static func wait(for changes: Int32, _ bell: WakePipe, atMost time: Int32) -> Change {
    guard changes >= 0 else { return .end }
    var entries = [
      pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: changes, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&entries, nfds_t(entries.count), time)
      if count == 0 { return .silence }
      if count > 0 { return entries[0].revents == 0 && drain(changes) ? .change : .end }
      if errno != EINTR { return .end }
    }
  }

  /// Reads and discards all pending messages; the condition is read separately. Returns `false` at the end
  /// of the descriptor.
  private static func drain(_ changes: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(changes, &bytes, bytes.count)
      if count > 0 { continue }
      if count == 0 { return false }
      switch errno {
      // Messages were lost because the socket buffer was full: the condition has to be read all the more.
      case EINTR, ENOBUFS: continue
      case EAGAIN: return true
      default: return false
      }
    }
  }
}
