/// Counts the callers of a pipeline.
protocol CallerCounting: AnyObject, Sendable {
  /// Records that an admitted caller has left.
  func callerLeft()
}

/// The place of one caller among all of a pipeline, held while the caller waits.
final class CallerPlace: Sendable {
  private let counter: any CallerCounting

  init(_ counter: any CallerCounting) { self.counter = counter }

  deinit { counter.callerLeft() }
}
