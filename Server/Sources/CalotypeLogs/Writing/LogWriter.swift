import Glibc

// `@unchecked`: `state` is only accessed between lock and unlock of `mutex`.

/// Writes lines to a descriptor on a thread of its own, so that a reader that is slow or stops never delays a caller.
///
/// Lines wait in memory, up to a limit. Those beyond it are dropped and counted; the count is written as a line of its own when
/// there is room again.
public final class LogWriter: @unchecked Sendable {
  private struct State {
    var lines: [String] = []
    var bytes = 0
    /// Lines that were dropped, in all and since the last report.
    var (dropped, unreported) = (0, 0)
    var isWriting = false
    var isClosed = false
  }

  private let descriptor: Int32
  private let limit: Int
  private let report: @Sendable (Int) -> String
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state = State()

  /// Creates a writer and its thread, which lives as long as the process, or until ``close(within:)``.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor. It remains open.
  ///   - limit: The most bytes of lines that wait.
  ///   - report: The line that says how many lines were dropped.
  public init(descriptor: Int32, limit: Int = 256 << 10, report: @escaping @Sendable (Int) -> String) {
    self.descriptor = descriptor
    self.limit = limit
    self.report = report
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    precondition(status == 0, "pthread_create failed: \(status)")
    pthread_detach(thread)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// The number of lines that were dropped.
  public var droppedCount: Int { withLock { $0.dropped } }

  /// Hands over a line, without its end. Returns at once.
  public func write(_ line: String) {
    withLock { state in
      let length = line.utf8.count + 1
      guard !state.isClosed, state.bytes + length <= limit else {
        state.dropped += 1
        state.unreported += 1
        return
      }
      state.lines.append(line)
      state.bytes += length
    }
    pthread_cond_broadcast(changed)
  }

  /// Waits until all lines are written, at most for a time, and writes none from then on. Blocks the calling thread.
  ///
  /// - Returns: Whether all lines were written.
  @discardableResult public func close(within time: Duration) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, attoseconds) = time.components
    let nanoseconds = Int64(end.tv_nsec) + attoseconds / 1_000_000_000
    end.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
    end.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    state.isClosed = true
    pthread_cond_broadcast(changed)
    while !state.lines.isEmpty || state.isWriting {
      guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return false }
    }
    return true
  }

  private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  private func run() {
    while let lines = next() { put(lines) }
  }

  /// Waits for lines, and takes them all; `nil` at the end.
  private func next() -> [String]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    state.isWriting = false
    pthread_cond_broadcast(changed)
    while state.lines.isEmpty, state.unreported == 0 {
      if state.isClosed { return nil }
      pthread_cond_wait(changed, mutex)
    }
    var lines = state.lines
    if state.unreported > 0 {
      if state.isClosed, lines.isEmpty { return nil }
      lines.append(report(state.unreported))
      state.unreported = 0
    }
    state.lines = []
    state.bytes = 0
    state.isWriting = true
    return lines
  }

  /// Writes lines. Bytes that the descriptor refuses for good are lost.
  private func put(_ lines: [String]) {
    var text = ""
    for line in lines { text += line + "\n" }
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, rest.count > 0 {
        let count = Glibc.write(descriptor, start, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno == EAGAIN {
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return
        }
      }
    }
  }
}
