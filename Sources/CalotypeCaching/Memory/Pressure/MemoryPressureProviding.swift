/// Provides memory pressure: ``SystemMemoryPressure`` measures it, ``ManualMemoryPressure`` reports what the program
/// sets.
public protocol MemoryPressureProviding: Sendable {
  /// Returns the present pressure and then each change. A slow consumer gets the newest report only. The stream ends
  /// when nothing can be watched (any longer). Must not block the calling thread.
  func pressures() -> AsyncStream<MemoryPressure>
}
