import CalotypeSupport

/// A source that reports what the program tells it, to any number of listeners.
public final class ManualMemoryPressure: MemoryPressureProviding {
  private typealias Continuation = AsyncStream<MemoryPressure>.Continuation

  private struct Listener {
    let continuation: Continuation
    /// Number of the report it was told last.
    var told = 0
  }

  private struct State {
    var latest: MemoryPressure?
    /// Number of the latest report.
    var reports = 0
    var listeners: [Int: Listener] = [:]
    var next = 0
    var isFinished = false
    /// Somebody is telling the listeners.
    var isTelling = false

    /// Those who are to be told the latest report, which they are then taken to have been.
    mutating func takeUntold() -> [Continuation] {
      var untold: [Continuation] = []
      for (number, listener) in listeners where listener.told < reports {
        listeners[number]?.told = reports
        untold.append(listener.continuation)
      }
      return untold
    }
  }

  /// What has to be said next, and to whom.
  private enum Message {
    case report(MemoryPressure, [Continuation])
    case end([Continuation])
  }

  private let state = Lock(State())

  /// Makes a source that has nothing to report yet.
  public init() {}

  /// Streams that go on.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Reports; those who begin to listen later hear the latest report.
  ///
  /// Of several threads that report at the same time, one tells all listeners, and the others do not wait for that.
  public func report(_ pressure: MemoryPressure) {
    state.withLock { state in
      state.latest = pressure
      state.reports += 1
    }
    tell()
  }

  /// Ends all that listen, after the latest report.
  public func finish() {
    state.withLock { $0.isFinished = true }
    tell()
  }

  /// What was reported last, and what will be.
  public func pressures() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      // Not while it is dropped: the last reference to a continuation ends its stream, which comes here.
      let listener = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
      withExtendedLifetime(listener) {}
    }
    state.withLock { $0.listeners[number] = Listener(continuation: continuation) }
    tell()
    return stream
  }

  /// Tells the listeners what they do not know, one thread at a time, so that no older report comes after a newer one.
  ///
  /// Not under the lock: whoever cancels a listener holds a lock of its task while it comes to remove it here, and to tell
  /// a listener may take the same lock of the task.
  private func tell() {
    let isFirst = state.withLock { state in
      defer { state.isTelling = true }
      return !state.isTelling
    }
    guard isFirst else { return }
    while let message = nextMessage() {
      switch message {
      case .report(let pressure, let listeners):
        for listener in listeners { listener.yield(pressure) }
      case .end(let listeners):
        for listener in listeners { listener.finish() }
      }
    }
  }

  /// - Returns: `nil` when all has been said.
  private func nextMessage() -> Message? {
    state.withLock { state in
      let untold = state.takeUntold()
      if let latest = state.latest, !untold.isEmpty { return .report(latest, untold) }
      if state.isFinished, !state.listeners.isEmpty {
        defer { state.listeners = [:] }
        return .end(state.listeners.values.map(\.continuation))
      }
      state.isTelling = false
      return nil
    }
  }
}
