import CalotypeSupport

/// Tells the sender of a request when its transfer leaves the queue of the transport.
final class TransferStart: Sendable {
  /// Whether the transfer may not wait for a slot: it starts at once or fails with ``LoadingError/queueFull(_:limit:)``.
  let isExtra: Bool
  private let now: @Sendable () -> ContinuousClock.Instant
  private let onBegin: @Sendable () -> Void
  private let time = Lock<ContinuousClock.Instant?>(nil)
  private let isStarted = Waiter<Bool>()

  /// - Parameters:
  ///   - now: The clock.
  ///   - onBegin: Called once, at the start, on the thread of the transport.
  init(
    isExtra: Bool = false, now: @escaping @Sendable () -> ContinuousClock.Instant,
    onBegin: @escaping @Sendable () -> Void = {}
  ) {
    self.isExtra = isExtra
    self.now = now
    self.onBegin = onBegin
  }

  /// The time of the start; `nil` before.
  var instant: ContinuousClock.Instant? { time.withLock { $0 } }

  /// The transfer starts now.
  func begin() {
    let now = now()
    let isFirst = time.withLock { time in
      defer { time = time ?? now }
      return time == nil
    }
    guard isFirst else { return }
    onBegin()
    isStarted.resolve(true)
  }

  /// Waits for the start. Call it once.
  ///
  /// - Returns: `false` when the task is cancelled before.
  func wait() async -> Bool { await isStarted.value(onCancel: false) }
}

/// A loader that reports the start of its transfers: ``LoadRequest/start``.
protocol TransferReporting: ImageLoading {}
