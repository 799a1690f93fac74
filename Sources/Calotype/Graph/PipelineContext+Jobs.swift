import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Finds the jobs of requests, and begins new ones when it is their turn.
extension PipelineContext {
  /// Joins the job for a request, or begins it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - want: The options of the subscription.
  ///   - turn: A slot among the loads, if the caller has one; ended when it is not needed.
  /// - Throws: ``PipelineError/shutDown``, ``PipelineError/overloaded(_:waiting:retryAfter:)``.
  @inline(never)
  func subscribe(
    to request: ImageRequest, want: SubscriptionOptions, turn: WorkQueue.Turn? = nil
  ) throws -> Subscription<ImageResult> {
    var turn = turn
    defer { turn?.end() }
    let key = JobKey.image(request, in: configuration.decodeLimits, number: want.number)
    try jobs.checkOpen(isOfJob: want.isOfJob)
    if let place = jobs.images.join(key, want) { return place }
    let plan = ResolvedRequest(request, configuration)
    let queue = turn == nil && !want.isOfJob ? try queue(for: plan, policy: request.cachePolicy) : nil
    let (place, new) = try jobs.images.join(key, want) { try makeJob(for: request, want) }
    guard let new else { return place }
    // The bytes that the request includes: they may be here before the job begins, and the image is made of them.
    let included =
      request.includesData && queue == nil
      ? jobs.originals.join(
        .original(
          request, in: configuration.decodeLimits, policy: request.cachePolicy, number: want.number),
        SubscriptionOptions(of: new)) : nil
    begin(new, queue: queue, plan, turn: turn.take()) { job, turn in
      await ImageJob(self, job, plan, turn: turn, included: included).run()
    }
    return place
  }

  /// Joins the job for an encoded image, or begins it.
  ///
  /// - Throws: as ``subscribe(to:want:turn:)``.
  @inline(never)
  func subscribe(
    toEncoded request: ImageRequest, _ output: EncodedOutput, want: SubscriptionOptions
  ) throws -> Subscription<EncodedImage> {
    let key = JobKey.encoded(
      request, as: output.identity, in: configuration.decodeLimits, number: want.number)
    try jobs.checkOpen(isOfJob: want.isOfJob)
    if let place = jobs.encodings.join(key, want) { return place }
    let plan = ResolvedRequest(request, configuration)
    let isThere = plan.mayBeOnDisk(output) && request.cachePolicy.readsCaches
    let queue = isThere ? nil : try queue(for: plan, policy: request.cachePolicy)
    let (place, new) = try jobs.encodings.join(key, want) { try makeJob(for: request, want) }
    guard let new else { return place }
    begin(new, queue: queue, plan, turn: nil) { job, turn in
      await EncodedJob(self, job, plan, output).run(turn: turn)
    }
    return place
  }

  /// Joins the job that reads the header of an original, or begins it.
  ///
  /// - Throws: as ``subscribe(to:want:turn:)``.
  @inline(never)
  func subscribe(
    toInfoOf request: ImageRequest, want: SubscriptionOptions
  ) throws -> Subscription<InfoResponse> {
    let key = JobKey.info(request, in: configuration.decodeLimits, number: want.number)
    try jobs.checkOpen(isOfJob: want.isOfJob)
    if let place = jobs.infos.join(key, want) { return place }
    let plan = ResolvedRequest(request, configuration)
    let queue = try queue(for: plan, policy: request.cachePolicy)
    let (place, new) = try jobs.infos.join(key, want) { try makeJob(for: request, want) }
    guard let new else { return place }
    begin(new, queue: queue, plan, turn: nil) { job, turn in
      await InfoJob(self, job, plan).run(turn: turn)
    }
    return place
  }

  /// Joins the job that finds an original or loads it, or begins it.
  ///
  /// - Throws: as ``subscribe(to:want:turn:)``.
  @inline(never)
  func subscribe(
    toOriginalOf plan: ResolvedRequest, policy: ImageRequest.CachePolicy, want: SubscriptionOptions,
    turn: WorkQueue.Turn? = nil
  ) throws -> Subscription<OriginalData> {
    var turn = turn
    defer { turn?.end() }
    let request = plan.request
    let key = JobKey.original(
      request, in: configuration.decodeLimits, policy: policy, number: want.number)
    try jobs.checkOpen(isOfJob: want.isOfJob)
    if let place = jobs.originals.join(key, want) { return place }
    let queue = turn == nil && !want.isOfJob ? try queue(for: plan, policy: policy) : nil
    let (place, new) = try jobs.originals.join(key, want) { try makeJob(for: request, want) }
    guard let new else { return place }
    if finishAtOnce(new, plan, policy: policy) { return place }
    begin(new, queue: queue, plan, turn: turn.take()) { job, turn in
      await OriginalJob(context: self, job: job, plan: plan, policy: policy).run(turn: turn)
    }
    return place
  }

  /// Creates a job, if the limits allow one more.
  private func makeJob<Value>(for request: ImageRequest, _ want: SubscriptionOptions) throws -> Job<Value> {
    guard try jobs.begin(isOfJob: want.isOfJob) else { throw overloaded(request) }
    return Job(number: want.number, leader: request.source, isOfJob: want.isOfJob, start: want.start)
  }

  private func overloaded(_ request: ImageRequest) -> PipelineError {
    let wait = max(loads.predictedWait, decodes.predictedWait)
    return .overloaded(request.source.description, waiting: jobs.requestCount, retryAfter: wait)
  }

  // MARK: Turns

  /// Returns the queue in which a job waits for its turn before any work begins; `nil` if it may begin at
  /// once, because its input is available or on its way.
  ///
  /// - Throws: ``PipelineError/overloaded(_:waiting:retryAfter:)`` when too many jobs wait.
  private func queue(for plan: ResolvedRequest, policy: ImageRequest.CachePolicy) throws -> WorkQueue? {
    let request = plan.request
    let flow = QueueFlow(loading: request)
    guard flow.origin != nil, policy != .cacheOnly, !plan.mayBeOnDisk(policy),
      !jobs.originals.contains(
        .original(request, in: configuration.decodeLimits, policy: policy, number: 0))
    else { return nil }
    if let refusal = loads.refusal(of: flow) {
      throw PipelineError.overloaded(
        request.source.description, waiting: refusal.waiting, retryAfter: refusal.retryAfter)
    }
    return loads
  }

  /// Starts a job when it has its turn.
  private func begin<Value>(
    _ job: Job<Value>, queue: WorkQueue?, _ plan: ResolvedRequest, turn: WorkQueue.Turn?,
    _ work: @escaping @Sendable @concurrent (Job<Value>, WorkQueue.Turn?) async -> Void
  ) {
    guard let queue else { return start(job, turn: turn, work) }
    let flow = QueueFlow(loading: plan.request)
    let id = queue.number()
    job.onCancel { queue.leave(id) }
    let observation = job.priority.observe { [weak job] in
      if let job { queue.move(id, to: job.priority.value.rawValue) }
    }
    let claim = WorkQueue.Claim(flow: flow, expiry: expiry(of: plan.request, in: flow))
    queue.submit(id, claim, level: { job.priority.value.rawValue }) { answer in
      observation.cancel()
      switch answer {
      case .turn(let turn):
        if let deadline = self.missedDeadline(of: job, flow) {
          turn.end()
          job.abort(DeadlineUnreachable(deadline: deadline))
        } else if job.isCancelled {
          turn.end()
        } else {
          return self.start(job, turn: turn, work)
        }
      case .left: break
      case .expired: job.abort(Self.timeout(of: plan.request))
      case .refused(let error): job.abort(error)
      }
      job.settle()
      self.jobs.ended(isOfJob: job.isOfJob)
    }
    // The priority may have changed before the job was in the queue.
    queue.move(id, to: job.priority.value.rawValue)
    if job.isCancelled { queue.leave(id) }
  }

  /// Returns the time until which a load may wait for its turn: `LoadRequest.Timeouts.total` includes time in
  /// queues. Sources on this machine ignore it.
  func expiry(of request: ImageRequest, in flow: QueueFlow) -> Duration? {
    flow.origin == nil ? nil : request.timeouts.total.map { elapsed() + $0 }
  }

  /// Returns the error of a load whose `LoadRequest.Timeouts.total` has passed before it began.
  static func timeout(of request: ImageRequest) -> any Error {
    guard let url = request.source.url, let total = request.timeouts.total else { return QueueTimeout() }
    return LoadingError.timedOut(url, phase: .queue, after: total)
  }

  private func start<Value>(
    _ job: Job<Value>, turn: WorkQueue.Turn?,
    _ work: @escaping @Sendable @concurrent (Job<Value>, WorkQueue.Turn?) async -> Void
  ) {
    job.start { job in
      await work(job, turn)
    } ended: {
      self.jobs.ended(isOfJob: job.isOfJob)
    }
  }

  /// Returns the latest deadline of the callers, if a load would miss it: then it is not begun.
  private func missedDeadline<Value>(of job: Job<Value>, _ flow: QueueFlow) -> Duration? {
    guard let deadline = job.latestDeadline else { return nil }
    let now = elapsed()
    guard let time = serviceTimes.withLock({ $0.prediction(of: flow, at: now) }) else {
      return deadline <= now ? deadline : nil
    }
    return now + time > deadline ? deadline : nil
  }

  // MARK: Bytes at hand

  /// Finishes the job of an original whose bytes are at hand, without a task, because there is no need to
  /// wait.
  ///
  /// - Returns: Whether it has finished.
  private func finishAtOnce(
    _ job: Job<OriginalData>, _ plan: ResolvedRequest, policy: ImageRequest.CachePolicy
  ) -> Bool {
    let request = plan.request
    guard case .data(let data, _) = request.source, servesBytesAtHand, request.loader == nil, watch == nil,
      policy != .cacheOnly, !request.hasCacheDirectives, data.count <= 32 << 10, !localLoads.isSuspended,
      !plan.coders.delegates(data)
    else { return false }
    counters.count { $0.loads += 1 }
    let log = StageLog()
    let start = elapsed()
    job.finish(Result { try loaded(data, plan, log) })
    log.change { $0[.load] += elapsed() - start }
    job.settle()
    jobs.ended(isOfJob: job.isOfJob)
    return true
  }

  private func loaded(_ data: Data, _ plan: ResolvedRequest, _ log: StageLog) throws -> OriginalData {
    guard !data.isEmpty else { throw LoadingError.emptyBody(plan.request.source) }
    guard data.count <= plan.limits.maxBytes else {
      throw LoadingError.tooLarge(plan.request.source, limit: plan.limits.maxBytes, declared: data.count)
    }
    try plan.verify(data)
    let info: ImageInfo?
    do throws(ImagingError) {
      info = try plan.probe(data)
    } catch {
      if error.blamesInput, plan.judgesForAll {
        plan.loader.reject(plan.loadRequest, code: error.code, message: error.description)
      }
      throw error
    }
    var metadata = RecordMetadata(tags: plan.request.tags)
    let version = Checksum(of: data)
    metadata.version = version
    return OriginalData(
      data: data, info: info, source: .loader, metadata: metadata,
      provenance: OriginalMetadata(version: version, tags: plan.request.tags), log: log)
  }
}

/// A load was not begun, because it would have missed the deadlines of all callers.
struct DeadlineUnreachable: Error {
  /// The latest of them. A caller with a later one joined at the last instant.
  let deadline: Duration
}

extension ResolvedRequest {
  /// Returns whether a cache on disk may have the encoded image.
  func mayBeOnDisk(_ output: EncodedOutput) -> Bool {
    guard request.readTiers.contains(.disk), let disk = encodedDisk else { return false }
    return output.candidates.contains { !disk.isKnownAbsent(request.encodedKey(as: $0)) }
  }

  /// Returns whether a cache on disk may have the result or the original.
  func mayBeOnDisk(_ policy: ImageRequest.CachePolicy) -> Bool {
    guard policy.readsCaches else { return false }
    if request.readTiers.contains(.disk), let disk, let key = resultKey, !disk.isKnownAbsent(key) {
      return true
    }
    return request.readTiers.contains(.originals)
      && originals.map { !$0.isKnownAbsent(request.sourceKey) } ?? false
  }
}

extension DataCaching {
  /// Returns whether the record is certainly absent, without accessing the disk.
  fileprivate func isKnownAbsent(_ key: CacheKey) -> Bool {
    (self as? DiskCache)?.isKnownAbsent(key) ?? false
  }
}

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
