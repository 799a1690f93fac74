import CalotypeSupport

/// Memory pressure that the program reports by hand, to any number of listeners.
public final class ManualMemoryPressure: MemoryPressureProviding {
  private typealias Continuation = AsyncStream<MemoryPressure>.Continuation

  private struct Listener {
    let continuation: Continuation
    /// The number of the last report it received.
    var told = 0
  }

  private struct State {
    var latest: MemoryPressure?
    /// Number of the latest report.
    var reports = 0
    var listeners: [Int: Listener] = [:]
    var next = 0
    var isFinished = false
    /// Whether a thread is delivering reports.
    var isTelling = false

    /// Returns the listeners that lack the latest report, and marks it as delivered.
    mutating func takeUntold() -> [Continuation] {
      var untold: [Continuation] = []
      for (number, listener) in listeners where listener.told < reports {
        listeners[number]?.told = reports
        untold.append(listener.continuation)
      }
      return untold
    }
  }

  /// The next delivery.
  private enum Message {
    case report(MemoryPressure, [Continuation])
    case end([Continuation])
  }

  private let state = Lock(State())

  /// Creates a source without a report.
  public init() {}

  /// The number of active streams.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Reports a level. Later listeners receive the latest report first.
  ///
  /// If several threads report at the same time, one delivers to all listeners and the others return at once.
  public func report(_ pressure: MemoryPressure) {
    state.withLock { state in
      state.latest = pressure
      state.reports += 1
    }
    tell()
  }

  /// Ends all streams after the latest report.
  public func finish() {
    state.withLock { $0.isFinished = true }
    tell()
  }

  /// Returns the latest report and all later ones.
  public func pressures() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      // Released outside the lock: releasing the last reference to a continuation ends its stream, which calls back
      // here.
      let listener = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
      withExtendedLifetime(listener) {}
    }
    state.withLock { $0.listeners[number] = Listener(continuation: continuation) }
    tell()
    return stream
  }

  /// Delivers the latest report, on one thread at a time, so that no older report follows a newer one.
  ///
  /// Not under the lock: a cancelled listener is removed here while a lock of its task is held, and delivering to a
  /// listener may take the same lock.
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

  /// - Returns: `nil` when all listeners are up to date.
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
