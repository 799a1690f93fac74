/// Something that knows how short memory is: ``SystemMemoryPressure``, or ``ManualMemoryPressure`` for a program that
/// knows by itself.
public protocol MemoryPressureProviding: Sendable {
  /// What it is now, and then whenever that changes; who is slow gets the newest only. Ends when nothing can be watched
  /// any longer, and at once when nothing can be watched at all. Must not block the thread that asks.
  func pressures() -> AsyncStream<MemoryPressure>
}
