import CalotypeLoading
import CalotypeSupport

/// How far a transfer is, and the bytes that have arrived.
struct Arrival: Sendable {
  var progress: LoadProgress
  /// To be read by whoever decodes meanwhile.
  var bytes: StreamingBody?
  /// When the first of them came, in the time of the pipeline.
  var start: Duration
}

/// A job that is told of a transfer.
protocol TransferListening: AnyObject, Sendable {
  /// A transfer has begun that the job waits for, by way of others.
  func follow(_ transfer: ObservedTransfer)
  /// Bytes have arrived.
  func transferProgressed(_ arrival: Arrival)
}

/// One transfer, and all jobs that wait for its bytes: each looks at it directly, whatever jobs are between.
final class ObservedTransfer: Sendable {
  private struct State {
    var arrival: Arrival?
    var listeners: [ObjectIdentifier: any TransferListening] = [:]
  }

  /// The bytes.
  let bytes = StreamingBody()
  private let state = Lock(State())

  /// How far it is.
  var arrival: Arrival? { state.withLock { $0.arrival } }

  /// Tells a job of all that arrives from now on, and how far it is if that is known.
  func add(_ listener: any TransferListening) {
    let arrival = state.withLock { state in
      state.listeners[ObjectIdentifier(listener)] = listener
      return state.arrival
    }
    if let arrival { listener.transferProgressed(arrival) }
  }

  /// Tells a job no more.
  func remove(_ listener: any TransferListening) {
    state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
  }

  /// Notes how far it is, and tells the jobs if that is worth while.
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
