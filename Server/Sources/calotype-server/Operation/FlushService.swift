import CalotypeServing
import ServiceLifecycle

/// Waits until results are on disk, when the server ends. It is the first service of its group, so that it ends last.
struct FlushService: Service {
  let server: ImageServer

  func run() async throws {
    try? await gracefulShutdown()
    await server.flush()
  }
}
