import CalotypeLoading
import CalotypeSupport

/// The progress of a transfer, and the bytes that have arrived.
struct Arrival: Sendable {
  var progress: LoadProgress
  /// The bytes, for decoders that run meanwhile.
  var bytes: StreamingBody?
  /// The arrival of the first bytes, in the time of the pipeline.
  var start: Duration
}

/// A job that is notified of a transfer.
protocol TransferListening: AnyObject, Sendable {
  /// Follows a transfer that the job waits for, directly or through other jobs.
  func follow(_ transfer: ObservedTransfer)
  /// Handles the arrival of bytes.
  func transferProgressed(_ arrival: Arrival)
}

/// One transfer with all jobs that wait for its bytes: each is notified directly, regardless of
/// intermediate jobs.
final class ObservedTransfer: Sendable {
  private struct State {
    var arrival: Arrival?
    var listeners: [ObjectIdentifier: any TransferListening] = [:]
  }

  /// The bytes.
  let bytes = StreamingBody()
  private let state = Lock(State())

  /// The current progress.
  var arrival: Arrival? { state.withLock { $0.arrival } }

  /// Adds a job, which is notified of all arrivals from now on, and of the present progress if known.
  func add(_ listener: any TransferListening) {
    let arrival = state.withLock { state in
      state.listeners[ObjectIdentifier(listener)] = listener
      return state.arrival
    }
    if let arrival { listener.transferProgressed(arrival) }
  }

  /// Removes a job.
  func remove(_ listener: any TransferListening) {
    state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
  }

  /// Records the progress, and notifies the jobs if `tells` returns true.
  func update(_ progress: LoadProgress, at now: Duration, tells: (_ start: Duration) -> Bool) {
    let arrival = state.withLock { state in
      let arrival = Arrival(progress: progress, bytes: bytes, start: state.arrival?.start ?? now)
      state.arrival = arrival
      return arrival
    }
    guard tells(arrival.start) else { return }
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.transferProgressed(arrival) }
  }
}
