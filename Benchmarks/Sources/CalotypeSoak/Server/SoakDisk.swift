import Calotype
import CalotypeTestKit
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// A disk cache whose folder goes through everything that can happen to one.
final class SoakDisk: Sendable {
  /// What the disk is doing.
  enum Phase: String, CaseIterable, Sendable {
    /// All is well.
    case healthy
    /// No space is left.
    case full
    /// Another process holds the lock and does not go on.
    case locked
    /// Nothing is written: calls do not return.
    case writesBlock
    /// Nothing is read or written. Only the status of a file is known: the kernel has that of an open one in memory.
    case readsBlock
  }

  /// The order, over and over.
  static let phases: [Phase] = [
    .healthy, .full, .healthy, .locked, .healthy, .writesBlock, .healthy, .readsBlock,
  ]

  let cache: DiskCache
  private let folder: CacheFolder
  private let files = FaultyFileSystem()
  /// The process that holds the lock, and what blocked calls wait for.
  private let fault = Mutex<(holder: pid_t?, gate: Gate?)>((nil, nil))

  init() throws {
    folder = try CacheFolder()
    cache = DiskCache(
      DiskCache.Configuration(
        folder: folder.url, byteLimit: 64 << 20, recordByteLimit: 4 << 20,
        stagingByteLimit: SoakBounds.staging),
      fileSystem: files)
  }

  /// Goes from one state to the next until a moment, then all is well. On a thread of its own: a pool that waits for the
  /// disk is to be found out, and goes on afterwards.
  func run(until end: ContinuousClock.Instant, phaseLength: Duration, record: SoakRecord) {
    DispatchQueue(label: "calotype-soak disk").async {
      var round = 0
      while ContinuousClock.now < end {
        let phase = Self.phases[round % Self.phases.count]
        record.enter(phase, round: round)
        do {
          try self.enter(phase)
        } catch {
          record.breach("the disk did not become \(phase.rawValue)", 1, bound: 0, detail: "\(error)")
        }
        usleep(UInt32(phaseLength / .microseconds(1)))
        round += 1
      }
      self.heal()
      record.enter(.healthy, round: round / Self.phases.count * Self.phases.count)
    }
  }

  /// Ends what there was, and begins the next.
  private func enter(_ phase: Phase) throws {
    heal()
    switch phase {
    case .healthy: return
    case .full:
      for operation in [FaultyFileSystem.Operation.create, .append, .overwrite] {
        files.fail(operation, with: ENOSPC)
      }
    case .locked:
      let path = "\(folder.path)/v2/lock"
      guard access(path, R_OK) == 0 else { return }
      let holder = try SoakChild([SoakChild.own, "lock-holder", path])
      _ = holder.lines()
      let pid = holder.pid
      fault.withLock { $0.holder = pid }
    case .writesBlock: block([.create, .append, .overwrite, .truncate, .rename, .remove, .touch])
    case .readsBlock: block(Set(FaultyFileSystem.Operation.allCases).subtracting([.status]))
    }
  }

  /// All is well from now on.
  private func heal() {
    files.heal()
    let old = fault.withLock { fault in
      defer { fault = (nil, nil) }
      return fault
    }
    old.gate?.open()
    if let holder = old.holder {
      kill(holder, SIGKILL)
      waitpid(holder, nil, 0)
    }
  }

  private func block(_ operations: Set<FaultyFileSystem.Operation>) {
    let gate = Gate()
    fault.withLock { $0.gate = gate }
    // The threads of the cache wait as they would in the kernel.
    for operation in operations { files.hold(operation, at: gate) }
  }

  /// What the process does that holds the lock: takes it as soon as it can, says so by closing its output, and does
  /// nothing from then on, as if it was stopped, until it is killed or the other process is gone.
  static func holdLock(_ path: String) -> Bool {
    let other = getppid()
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { return false }
    close(STDOUT_FILENO)
    while getppid() == other { sleep(1) }
    return true
  }
}
