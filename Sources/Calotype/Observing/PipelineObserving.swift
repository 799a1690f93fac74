/// Is told what a pipeline does: requests, the stages of its jobs, and now and then how much there is of everything.
///
/// Observers are handed over in ``ImagePipeline/Configuration/observers`` and called one after the other, in that order,
/// on whatever thread does the work, and several threads at a time. The work waits for them: be fast, and never block.
///
/// ``requestStarted(_:)`` comes before ``requestFinished(_:outcome:duration:)`` of the same request, and the latter comes
/// exactly once, however the request ends: found in memory at once, cancelled, or refused because the pipeline is shut
/// down. Stages likewise. Stages belong to jobs, which several requests may share, and which may outlive them to store what
/// they have made.
public protocol PipelineObserving: Sendable {
  /// A request has begun: a call for an image, a response or data, or the first iteration of events.
  func requestStarted(_ request: ImagePipeline.ObservedRequest)
  /// A request has ended, `duration` after its beginning.
  func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration)
  /// A stage of a job has begun.
  func stageStarted(_ stage: ImagePipeline.ObservedStage)
  /// A stage of a job has ended.
  func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult)
  /// How much there is of everything, whenever ``ImagePipeline/sample()`` is called; ``ImagePipeline/run(until:)`` does.
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
