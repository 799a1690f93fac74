import CalotypeSupport
import Glibc

/// The thread of a ``SystemMemoryPressure``: sleeps until an event or the next interval, measures, and reports changes.
struct MemoryPressureMonitor: ~Copyable {
  /// Half of the estimator's threshold within the same two seconds: the kernel only wakes the thread,
  /// ``MemoryPressureEstimator`` decides.
  static let someTrigger = "some \(MemoryPressureEstimator.someStalls / 2) 2000000"
  static let allTrigger = "full \(MemoryPressureEstimator.allStalls / 2) 2000000"

  private let groups: MemoryControlGroups
  private let stallPath: String?
  private let bell: WakePipe
  private let intervalMilliseconds: Int32
  private var triggers: [Int32] = []
  private var notifications: Int32 = -1
  private var judge = MemoryPressureEstimator()

  init(groups: MemoryControlGroups, stallPath: String?, bell: WakePipe, intervalMilliseconds: Int32) {
    self.groups = groups
    self.stallPath = stallPath
    self.bell = bell
    self.intervalMilliseconds = intervalMilliseconds
    if let stallPath {
      triggers = [Self.someTrigger, Self.allTrigger].compactMap { Self.trigger(stallPath, $0) }
    }
    if let path = groups.eventsPath {
      notifications = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      if notifications >= 0, inotify_add_watch(notifications, path, UInt32(IN_MODIFY)) < 0 {
        Glibc.close(notifications)
        notifications = -1
      }
    }
  }

  /// Measures and reports until the pipe wakes it.
  mutating func run(report: (MemoryPressure) -> Void) {
    var last: MemoryPressure?
    repeat {
      let pressure = measure()
      if pressure != last {
        report(pressure)
        last = pressure
      }
    } while wait()
  }

  mutating func close() {
    for trigger in triggers { Glibc.close(trigger) }
    if notifications >= 0 { Glibc.close(notifications) }
    triggers = []
    notifications = -1
  }

  /// Returns a descriptor that signals `POLLPRI` when tasks were stalled for longer than a trigger; `nil` when the
  /// kernel refuses one, as old kernels do for unprivileged processes.
  static func trigger(_ path: String, _ trigger: String) -> Int32? {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // The kernel expects the terminating zero.
    let written = trigger.withCString { write(descriptor, $0, strlen($0) + 1) }
    if written > 0 { return descriptor }
    Glibc.close(descriptor)
    return nil
  }

  private mutating func measure() -> MemoryPressure {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let sample = MemoryPressureEstimator.Sample(
      time: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec), usages: groups.usages,
      events: groups.events, stalls: stallPath.flatMap(SmallFile.text).flatMap { PressureStalls($0) })
    return MemoryPressure(
      judge.level(sample), memoryLimit: SystemMemory.available(controlGroups: groups))
  }

  /// Sleeps until the next measurement.
  /// - Returns: `false` when the thread must end.
  private mutating func wait() -> Bool {
    var entries = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)]
    entries.append(pollfd(fd: notifications, events: Int16(POLLIN), revents: 0))
    entries += triggers.map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
    // A negative descriptor is skipped.
    let count = poll(&entries, nfds_t(entries.count), intervalMilliseconds)
    if count < 0, errno != EINTR { return false }
    if entries[0].revents != 0 { return false }
    if entries[1].revents != 0 { drainNotifications() }
    // The group has been removed, and its file with it.
    for entry in entries[2...] where entry.revents & Int16(POLLERR) != 0 {
      Glibc.close(entry.fd)
      triggers.removeAll { $0 == entry.fd }
    }
    return true
  }

  private func drainNotifications() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while read(notifications, &bytes, bytes.count) > 0 {}
  }
}
