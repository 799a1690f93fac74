import CalotypeSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

extension DiskCache {
  /// Does all upkeep that is scheduled.
  func finishUpkeep() {
    while isUpkeepScheduled { keepUp() }
  }
}

/// True for the first who asks.
final class Once: Sendable {
  private let taken = Lock(false)

  func take() -> Bool {
    taken.withLock { taken in
      defer { taken = true }
      return !taken
    }
  }
}

/// Holds threads until it is opened, and tells when the first has arrived.
final class Gate: Sendable {
  private let arrivals = AsyncStream<Void>.makeStream()
  private let isOpen = Lock(false)
  private let pipeEnds: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    pipeEnds = (ends[0], ends[1])
  }

  deinit {
    close(pipeEnds.read)
    if !isOpen.withLock({ $0 }) { close(pipeEnds.write) }
  }

  func wait() {
    arrivals.continuation.yield()
    var byte: UInt8 = 0
    // Reads the end of the pipe once it is open, as often as one likes.
    _ = read(pipeEnds.read, &byte, 1)
  }

  func reached() async {
    for await _ in arrivals.stream { return }
  }

  func open() {
    isOpen.withLock { $0 = true }
    close(pipeEnds.write)
  }
}

func truncateFile(_ path: String, to length: Int) {
  #expect(truncate(path, off_t(length)) == 0)
}
