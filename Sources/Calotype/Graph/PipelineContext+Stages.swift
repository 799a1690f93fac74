/// Where every stage of every job passes.
extension PipelineContext {
  /// Does the work of a stage, notes how long it took, and tells those who watch.
  ///
  /// - Parameters:
  ///   - stage: What is done.
  ///   - plan: For whom.
  ///   - log: Where the time is noted.
  ///   - bytes: How many bytes have come of it.
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
