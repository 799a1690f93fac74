import CalotypeCaching

/// Looks at the system when somebody begins to listen, not when a configuration is made: that reads files.
struct DefaultMemoryPressure: MemoryPressureProviding {
  func pressures() -> AsyncStream<MemoryPressure> {
    SystemMemoryPressure().pressures()
  }
}
