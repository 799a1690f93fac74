import CalotypeServing
import ServiceLifecycle
import Synchronization

/// Delays the end of the server after SIGTERM: it reports that it is not ready, while balancers learn it, and still accepts
/// connections.
///
/// It is the last service of its group, so that it ends before the others are asked to. A second signal ends the process at once.
final class DrainService: Service {
  private let server: ImageServer
  private let delay: Duration
  private let forcedEnd = Mutex<ForcedEnd?>(nil)

  init(server: ImageServer, delay: Duration) {
    self.server = server
    self.delay = delay
  }

  func run() async throws {
    try? await gracefulShutdown()
    server.announceEnd()
    forcedEnd.withLock { $0 = ForcedEnd() }
    try? await Task.sleep(for: delay)
  }
}
