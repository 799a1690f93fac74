import CalotypeCaching

/// The memory pressure of the system, accessed only when observation begins, because creating it reads
/// files.
struct DefaultMemoryPressure: MemoryPressureProviding {
  func pressures() -> AsyncStream<MemoryPressure> {
    SystemMemoryPressure().pressures()
  }
}
