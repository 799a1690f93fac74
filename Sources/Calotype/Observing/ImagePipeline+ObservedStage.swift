extension ImagePipeline {
  /// A stage of a job, as a ``PipelineObserving`` sees it.
  public struct ObservedStage: Sendable {
    /// Unique among the stages of its pipeline.
    public let id: Int
    /// What is done.
    public let stage: ImagePipeline.Stage
    /// The request that the job was started for. Others may have joined it.
    public let request: ImageRequest

    init(id: Int, stage: ImagePipeline.Stage, request: ImageRequest) {
      self.id = id
      self.stage = stage
      self.request = request
    }
  }
}

extension ImagePipeline {
  /// How a stage ended.
  public struct StageResult: Sendable {
    /// How long it took.
    public let duration: Duration
    /// Bytes that were loaded or read; `nil` for other stages, and for those that failed.
    public let byteCount: Int?
    /// Why it failed; `nil` if it did not. `CancellationError` when nobody wanted it any more.
    public let error: (any Error)?

    init(duration: Duration, byteCount: Int? = nil, error: (any Error)? = nil) {
      self.duration = duration
      self.byteCount = byteCount
      self.error = error
    }
  }
}
