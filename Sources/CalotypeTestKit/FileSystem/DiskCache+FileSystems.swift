public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials

extension DiskCache {
  /// Creates a cache over a file system that fails or hangs on demand.
  ///
  /// - Parameters:
  ///   - configuration: The folder and the limits.
  ///   - fileSystem: The file system.
  ///   - now: The present time, by which ages are computed.
  ///   - clock: The clock of timeouts.
  public init(
    _ configuration: Configuration = Configuration(), fileSystem: FaultyFileSystem,
    now: @escaping @Sendable () -> Date = { Date.now }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(configuration, fileSystem: fileSystem as any FileSystem, now: now, clock: clock)
  }

  /// Creates a cache over a file system in memory that can lose its power.
  ///
  /// - Parameters:
  ///   - configuration: The folder, which need not exist on the machine, and the limits.
  ///   - fileSystem: The file system.
  ///   - now: The present time, by which ages are computed.
  ///   - clock: The clock of timeouts.
  public init(
    _ configuration: Configuration = Configuration(), fileSystem: PowerLossFileSystem,
    now: @escaping @Sendable () -> Date = { Date.now }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(configuration, fileSystem: fileSystem as any FileSystem, now: now, clock: clock)
  }
}
