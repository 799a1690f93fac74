import Glibc

/// Threads of the system that work at once: more of them than processors, other than in the cooperative pool.
enum ThreadTeam {
  /// Runs `body` on so many threads, and waits for all of them; one alone is the calling thread.
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    guard count > 1 else { return body(0) }
    let threads = (0..<count).map { index in
      var thread = pthread_t()
      let start = Unmanaged.passRetained(Start { body(index) })
      let status = pthread_create(&thread, nil, threadTeamMain, start.toOpaque())
      precondition(status == 0, "pthread_create failed: \(status)")
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
  }
}

private final class Start: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

private func threadTeamMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
  return nil
}
