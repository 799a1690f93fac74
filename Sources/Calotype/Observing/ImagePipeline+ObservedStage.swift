extension ImagePipeline {
  /// A stage of a job, as reported to a ``PipelineObserving``.
  public struct ObservedStage: Sendable {
    /// A number that is unique among the stages of the pipeline.
    public let id: Int
    /// The stage.
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
  /// The result of a stage.
  public struct StageResult: Sendable {
    /// The duration of the stage.
    public let duration: Duration
    /// The number of bytes loaded or read; `nil` for other stages, and for failed ones.
    public let byteCount: Int?
    /// The error of the stage; `nil` if it succeeded. `CancellationError` when the result was no longer
    /// wanted.
    public let error: (any Error)?

    init(duration: Duration, byteCount: Int? = nil, error: (any Error)? = nil) {
      self.duration = duration
      self.byteCount = byteCount
      self.error = error
    }
  }
}
