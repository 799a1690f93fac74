public import Calotype
public import ServiceLifecycle

extension ImagePipeline: Service {
  /// Looks after the pipeline until graceful shutdown or until the task is cancelled, then shuts it down.
  ///
  /// See `ImagePipeline.run(until:)`. It throws nothing; the protocol allows it.
  public nonisolated func run() async throws {
    // Cancellation means the same as graceful shutdown.
    await run { try? await gracefulShutdown() }
  }
}
