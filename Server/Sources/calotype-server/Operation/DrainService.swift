import CalotypeServing
import ServiceLifecycle

/// Delays the end of the server after SIGTERM: it reports that it is not ready, while balancers learn it, and still accepts
/// connections.
///
/// It is the last service of its group, so that it ends before the others are asked to.
struct DrainService: Service {
  let server: ImageServer
  let delay: Duration

  func run() async throws {
    try? await gracefulShutdown()
    server.announceEnd()
    try? await Task.sleep(for: delay)
  }
}
