import CalotypeSupport
import Glibc

/// Measures memory pressure on Linux: limits and use of this process's control groups, and the time that tasks wait for
/// memory (pressure stall information, PSI).
///
/// For control groups of version 2 it reads `memory.current`, `memory.high`, `memory.max` and `memory.events`, for
/// version 1 the use and the limit. Inactive page cache does not count as used. Stalls are those of the group, or of
/// the machine where the group has none. It measures once per interval, and at once when the kernel reports an event of
/// the group, or stalls above a threshold within two seconds. Limits are read each time, because they may change while
/// the process runs.
///
/// Each stream has its own thread, which ends with the stream.
public struct SystemMemoryPressure: MemoryPressureProviding {
  /// The signals that can be watched.
  public enum Facility: Hashable, Sendable {
    /// The use of a control group against its limit.
    case controlGroup
    /// Stalls, noticed after up to one interval.
    case stalls
    /// Stalls, reported by the kernel at once.
    case stallTriggers
  }

  let groups: MemoryControlGroups
  let stallPath: String?
  private let interval: Duration

  /// Creates a source for this process and its present control groups.
  ///
  /// - Parameter interval: The time between two measurements, at least a millisecond.
  public init(interval: Duration = .seconds(1)) {
    self.init(groups: .ofThisProcess, machineStalls: "/proc/pressure/memory", interval: interval)
  }

  init(groups: MemoryControlGroups, machineStalls: String, interval: Duration) {
    self.groups = groups
    self.interval = max(.milliseconds(1), interval)
    stallPath = [groups.stallPath, machineStalls].compactMap { $0 }
      .first { SmallFile.text($0).flatMap(PressureStalls.init) != nil }
  }

  /// The signals that are watched on this machine. If there are none, streams end at once. Reads files.
  public var facilities: Set<Facility> {
    var result: Set<Facility> = []
    if !groups.usages.isEmpty { result.insert(.controlGroup) }
    if let stallPath {
      result.insert(.stalls)
      if let trigger = MemoryPressureMonitor.trigger(stallPath, MemoryPressureMonitor.someTrigger) {
        close(trigger)
        result.insert(.stallTriggers)
      }
    }
    return result
  }

  /// Returns the present pressure, and then each change of the level or the limit.
  public func pressures() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    // A group without a limit may get one later.
    guard !groups.groups.isEmpty || stallPath != nil, let bell = WakePipe() else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in bell.ring() }
    let milliseconds = interval.nanosecondCount / 1_000_000
    Threads.start(name: "memory-pressure") {
      var watcher = MemoryPressureMonitor(
        groups: groups, stallPath: stallPath, bell: bell,
        intervalMilliseconds: Int32(clamping: max(1, milliseconds)))
      watcher.run { continuation.yield($0) }
      watcher.close()
      continuation.finish()
    }
    return stream
  }
}
