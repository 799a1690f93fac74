import CalotypeSupport

/// Work on images at hand.
extension PipelineContext {
  /// Performs work for one caller as a job of its own, so that it is limited, cancelled and awaited like all others.
  ///
  /// - Parameters:
  ///   - priority: The priority of the caller.
  ///   - body: The work, with its priority, which may be raised.
  /// - Throws: ``PipelineError/overloaded(_:waiting:retryAfter:)``, ``PipelineError/shutDown``; `CancellationError` when
  ///   the task is cancelled; errors of `body`.
  func perform<Result: Sendable>(
    _ priority: ImageRequest.Priority,
    _ body: @escaping @Sendable @concurrent (LivePriority) async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    var options = SubscriptionOptions(JobRequirements(), priority: priority)
    options.caller = try jobs.admitCaller()
    guard options.caller != nil, let place = job.join(options), try jobs.begin(isOfJob: false, job) else {
      throw PipelineError.overloaded(
        "an image at hand", waiting: jobs.requestCount, retryAfter: decodes.predictedWait)
    }
    job.start { job in
      do {
        job.finish(.success(try await body(job.priority)))
      } catch {
        job.finish(.failure(Task.isCancelled ? CancellationError() : error))
      }
    } ended: { [jobs] in
      jobs.ended(isOfJob: false, job)
    }
    return try await place.value()
  }
}
