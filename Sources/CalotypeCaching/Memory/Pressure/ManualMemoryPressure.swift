import CalotypeSupport

/// A source that reports what the program tells it, to any number of listeners.
public final class ManualMemoryPressure: MemoryPressureSource {
  private struct State {
    var latest: MemoryPressure?
    var listeners: [Int: AsyncStream<MemoryPressure>.Continuation] = [:]
    var next = 0
    var isFinished = false
  }

  private let state = Lock(State())

  /// Makes a source that has nothing to report yet.
  public init() {}

  /// Reports; those who begin to listen later hear the latest report.
  public func report(_ pressure: MemoryPressure) {
    // Under the lock, so that no older report comes after a newer one. Yielding runs nobody's code.
    state.withLock { state in
      state.latest = pressure
      for listener in state.listeners.values { listener.yield(pressure) }
    }
  }

  /// Ends all that listen.
  public func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// What was reported last, and what will be.
  public func pressures() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    let (number, isFinished) = state.withLock { state in
      state.next += 1
      if !state.isFinished { state.listeners[state.next] = continuation }
      if let latest = state.latest { continuation.yield(latest) }
      return (state.next, state.isFinished)
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    if isFinished { continuation.finish() }
    return stream
  }
}
