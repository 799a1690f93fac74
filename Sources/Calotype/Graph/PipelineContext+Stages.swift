/// The common wrapper of every stage of every job.
extension PipelineContext {
  /// Performs the work of a stage, records its duration, and notifies the observers.
  ///
  /// - Parameters:
  ///   - stage: The stage.
  ///   - plan: The request of the job.
  ///   - log: The log of durations.
  ///   - bytes: Returns the number of bytes in the result.
  ///   - body: The work.
  func stage<Result>(
    _ stage: ImagePipeline.Stage, _ plan: ResolvedRequest, _ log: StageLog,
    bytes: (Result) -> Int? = { _ in nil },
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let start = elapsed()
    defer {
      let duration = elapsed() - start
      log.change { $0[stage] += duration }
    }
    guard let watch else { return try await body() }
    return try await watch.stage(stage, of: plan.request, bytes: bytes, body)
  }
}
