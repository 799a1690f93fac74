import CalotypeSupport
import Glibc

/// A gate that a test opens when it is time. Tests use gates instead of sleeping.
///
/// Tasks wait with ``wait()``, threads with ``waitBlocking()``; both pass at once when the gate is open. It
/// never closes again.
///
/// ```swift
/// let gate = Gate()
/// server.route("/a.png", .gated([(gate, bytes)]))
/// …
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var nextID = 0
    var waits: [Int: Wait] = [:]
  }

  private let state = Lock(State())
  /// Readable as soon as the gate is open, so that a thread can wait for it and for a socket at the same
  /// time.
  let descriptor: Int32
  private let writeEnd: Int32

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    let status = pipe(&ends)
    precondition(status == 0, "no file descriptors left for a gate")
    descriptor = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  /// Whether ``open()`` was called.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Lets all waiters pass, now and later.
  public func open() {
    let (first, waits) = state.withLock { state -> (Bool, [Wait]) in
      let result = (!state.isOpen, state.waits.sorted { $0.key < $1.key }.map(\.value))
      state.isOpen = true
      state.waits = [:]
      return result
    }
    // One byte that is never read keeps the pipe readable.
    var byte: UInt8 = 1
    if first { _ = write(writeEnd, &byte, 1) }
    for wait in waits { wait.end() }
  }

  /// Suspends until the gate is open.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func wait() async throws {
    try await wait(Wait())
  }

  /// Suspends until the gate is open, or `wait` ends otherwise.
  func wait(_ wait: Wait) async throws {
    let id = state.withLock { state -> Int? in
      if state.isOpen { return nil }
      state.nextID += 1
      state.waits[state.nextID] = wait
      return state.nextID
    }
    guard let id else { return }
    defer { state.withLock { _ = $0.waits.removeValue(forKey: id) } }
    try await wait()
  }

  /// Blocks the calling thread until the gate is open. Not for tasks: their threads are few.
  public func waitBlocking() {
    while !isOpen {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, -1)
    }
  }
}
