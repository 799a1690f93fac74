/// An observer of a pipeline: its requests, the stages of its jobs, and periodic samples of its counts.
///
/// Observers are set in ``ImagePipeline/Configuration/observers`` and called one after the other, in that
/// order, on the thread that does the work, and from several threads at a time. The work waits for them: be
/// fast, and never block.
///
/// ``requestStarted(_:)`` comes before ``requestFinished(_:outcome:duration:)`` of the same request, and
/// the latter comes exactly once, however the request ends: with an image in memory, cancelled, or rejected
/// because the pipeline is shut down. The same applies to stages. Stages belong to jobs, which several
/// requests may share, and which may outlive them to store their results.
public protocol PipelineObserving: Sendable {
  /// Reports that a request has begun: a call for an image, a response or data, or the first iteration of
  /// events.
  func requestStarted(_ request: ImagePipeline.ObservedRequest)
  /// Reports that a request has ended, `duration` after its beginning.
  func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration)
  /// Reports that a stage of a job has begun.
  func stageStarted(_ stage: ImagePipeline.ObservedStage)
  /// Reports that a stage of a job has ended.
  func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult)
  /// Reports a sample, whenever ``ImagePipeline/sample()`` is called; ``ImagePipeline/run(until:)`` does so
  /// periodically.
  func sampled(_ sample: ImagePipeline.Sample)
}

extension PipelineObserving {
  /// Does nothing.
  public func requestStarted(_ request: ImagePipeline.ObservedRequest) {}
  /// Does nothing.
  public func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration
  ) {}
  /// Does nothing.
  public func stageStarted(_ stage: ImagePipeline.ObservedStage) {}
  /// Does nothing.
  public func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult) {}
  /// Does nothing.
  public func sampled(_ sample: ImagePipeline.Sample) {}
}
