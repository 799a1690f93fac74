import CalotypeSupport
import Glibc

/// Reads a descriptor that may never become readable, on a thread of its own. Cancelling the task ends the wait.
package final class DescriptorReader: Sendable {
  /// The system refused.
  package struct Failure: Error {
    package let errno: Int32
    package var reason: String { String(cString: strerror(errno)) }
  }

  private static let length = 64 << 10

  private let descriptor: Int32
  private let closes: Bool
  /// A pipe that is readable when the reader is to stop.
  private let stop: (read: Int32, write: Int32)
  private let thread: WorkerExecutor

  /// - Parameters:
  ///   - descriptor: The descriptor to read.
  ///   - closes: Whether the reader closes it when it is released.
  ///   - name: The name of the thread.
  package init(_ descriptor: Int32, closes: Bool = false, name: String) throws(Failure) {
    self.descriptor = descriptor
    self.closes = closes
    stop = try Self.makePipe()
    thread = WorkerExecutor(name: name, threads: 1)
  }

  /// Of a file.
  package convenience init(opening path: String, name: String) throws(Failure) {
    // Without waiting for the other end of a pipe, which `read` does.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(errno: errno) }
    do {
      try self.init(descriptor, closes: true, name: name)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    if closes { close(descriptor) }
    close(stop.read)
    close(stop.write)
  }

  /// Whether the descriptor is a terminal.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// A pipe that is not inherited.
  package static func makePipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Some bytes, as soon as there are any; none at the end.
  ///
  /// - Parameter patience: How long to wait; for ever by default.
  /// - Returns: `nil` when nothing has come in that time.
  /// - Throws: ``Failure``; `CancellationError`, after which there is nothing more to be read.
  package func read(patience: Duration? = nil) async throws -> [UInt8]? {
    let (descriptor, stop) = (descriptor, stop)
    let bytes = try await withTaskCancellationHandler {
      try await thread.run { try Self.read(descriptor, until: stop.read, patience) }
    } onCancel: {
      _ = write(stop.write, "x", 1)
    }
    try Task.checkCancellation()
    return bytes
  }

  private static func read(
    _ descriptor: Int32, until stop: Int32, _ patience: Duration?
  ) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: length)
    let timeout = patience.map { Int32(clamping: Int(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
    while true {
      var ready = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&ready, 2, timeout)
      guard count >= 0 || errno == EINTR else { throw Failure(errno: errno) }
      if ready[1].revents != 0 { throw CancellationError() }
      if count == 0 { return nil }
      guard ready[0].revents != 0 else { continue }
      let length = Glibc.read(descriptor, &bytes, bytes.count)
      if length >= 0 { return Array(bytes.prefix(length)) }
      guard errno == EINTR || errno == EAGAIN else { throw Failure(errno: errno) }
    }
  }
}
