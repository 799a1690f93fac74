import Glibc

/// A pipe that wakes a thread that polls.
package final class WakePipe: Sendable {
  /// Readable after ``ring()``.
  package let descriptor: Int32
  private let writing: Int32

  /// `nil` when there are no descriptors left.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // `pipe2` is not visible to Swift.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Wakes the thread.
  package func ring() {
    _ = write(writing, [0], 1)
  }
}
