/// Provides memory pressure: ``SystemMemoryPressure`` measures it, and ``ManualMemoryPressure`` reports levels that the
/// program sets.
public protocol MemoryPressureProviding: Sendable {
  /// Returns the present pressure and then each change. A slow consumer gets only the newest report. The stream ends
  /// when nothing can be observed (any longer). Must not block the calling thread.
  func pressures() -> AsyncStream<MemoryPressure>
}
