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
    let listeners = state.withLock { state in
      state.latest = pressure
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(pressure) }
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
    let (number, latest, isFinished) = state.withLock { state in
      state.next += 1
      if !state.isFinished { state.listeners[state.next] = continuation }
      return (state.next, state.latest, state.isFinished)
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    if let latest { continuation.yield(latest) }
    if isFinished { continuation.finish() }
    return stream
  }
}
