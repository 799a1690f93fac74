import CalotypeSupport
import Glibc

/// How short memory is by what Linux says: the limits and the use of this process's control groups, and the time that
/// tasks wait for memory (pressure stall information, PSI).
///
/// Of control groups of version 2 it reads `memory.current`, `memory.high`, `memory.max` and `memory.events`, of version
/// 1 the use and the limit. Files that were not used for long do not count as used. Stalls are those of the group, else
/// those of the machine. It looks once in an interval, and at once when the kernel reports an event of the group or
/// that the stalls of two seconds passed what counts as short. The limits are read each time: they may be changed
/// while the process runs.
///
/// Each stream has a thread of its own, which ends with it.
public struct SystemMemoryPressure: MemoryPressureProviding {
  /// What can be watched.
  public enum Facility: Hashable, Sendable {
    /// The use of a control group against its limit.
    case controlGroup
    /// Stalls; the interval bounds how late they are seen.
    case stalls
    /// Stalls, reported by the kernel when they happen.
    case stallTriggers
  }

  let groups: MemoryControlGroups
  let stallPath: String?
  private let interval: Duration

  /// A source for this process, as its control groups are now.
  ///
  /// - Parameter interval: How often to look, at least a millisecond.
  public init(interval: Duration = .seconds(1)) {
    self.init(groups: .ofThisProcess, machineStalls: "/proc/pressure/memory", interval: interval)
  }

  init(groups: MemoryControlGroups, machineStalls: String, interval: Duration) {
    self.groups = groups
    self.interval = max(.milliseconds(1), interval)
    stallPath = [groups.stallPath, machineStalls].compactMap { $0 }
      .first { SmallFile.text($0).flatMap(PressureStalls.init) != nil }
  }

  /// What is watched here; if nothing, streams end at once, and a cache that follows is told nothing. Reads files.
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

  /// What it is now, and then whenever the level or the limit changes.
  public func pressures() -> AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
    // A group that has no limit now may get one.
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
