/// The registration of a function at a ``PurgeLogging``. It ends when it is released.
public final class PurgeObservation: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: Ends the registration; called once.
  public init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { end() }
}
