import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The steps that all loads have in common: of originals, and of headers alone.
extension PipelineContext {
  /// Reads the stored original, with the reservation for its bytes, as far as the request and the policy allow it.
  func readOriginal(
    _ plan: ResolvedRequest, policy: ImageRequest.CachePolicy, _ log: StageLog, for priority: LivePriority
  ) async -> (CachedOriginal?, MemoryReservation?) {
    guard policy.readsCaches, plan.request.readTiers.contains(.originals), let cache = plan.originals,
      let (record, isPurged, reservation) = await readRecord(
        plan.request.sourceKey, from: cache, plan, log, for: priority)
    else { return (nil, nil) }
    return (CachedOriginal(record, isPurged: isPurged), reservation)
  }

  /// Reads the stale original again after a failed load, where stale-if-error is allowed.
  ///
  /// - Parameters:
  ///   - error: The error of the load.
  ///   - kept: The record that was known before.
  func staleOriginal(
    insteadOf error: LoadingError, _ kept: CachedOriginal?, _ plan: ResolvedRequest,
    policy: ImageRequest.CachePolicy, _ log: StageLog, for priority: LivePriority
  ) async -> (stored: UsableOriginal, reservation: MemoryReservation?)? {
    guard !Task.isCancelled, let kept, kept.isImage, let response = kept.metadata.response,
      error.saysNothingOfTheImage,
      freshness(for: plan.request).mayServeOnError(
        response, for: plan.request.headers, now: configuration.now()),
      case (let again?, let reservation) = await readOriginal(plan, policy: policy, log, for: priority),
      again.version == kept.version
    else { return nil }
    counters.count { $0.staleHits += 1 }
    var stale = again.judged(isStale: true)
    stale.provenance.failure = error
    return (stale, reservation)
  }

  /// Returns the decision of ``ImagePipeline/Configuration/shouldLoad``.
  ///
  /// - Throws: Its errors; `CancellationError`.
  func loadDecision(for request: ImageRequest) async throws -> ImagePipeline.LoadDecision {
    let decision = try await configuration.shouldLoad?(request) ?? .allow
    try Task.checkCancellation()
    return decision
  }

  /// Checks whether the image may be loaded.
  ///
  /// - Throws: ``PipelineError/loadDenied(_:reason:)``; errors of ``loadDecision(for:)``.
  func checkMayLoad(_ request: ImageRequest) async throws {
    if case .deny(let reason) = try await loadDecision(for: request) {
      throw PipelineError.loadDenied(request.source.description, reason: reason)
    }
  }

  /// Waits for a slot among the loads.
  ///
  /// - Throws: `LoadingError.timedOut` when the total time of the request has passed; errors of the queue.
  func enterLoads(for request: ImageRequest, priority: LivePriority) async throws -> WorkQueue.Turn {
    let flow = QueueFlow(loading: request)
    let queue = flow.origin == nil ? localLoads : loads
    do {
      let claim = WorkQueue.Claim(flow: flow, expiry: expiry(of: request, in: flow))
      return try await queue.enter(priority: priority, claim)
    } catch is QueueTimeout {
      throw Self.timeout(of: request)
    }
  }

  /// Returns the request for the loader, with the rest of its total time.
  ///
  /// - Parameters:
  ///   - plan: The request of the job.
  ///   - priority: The priority of the job.
  ///   - start: The start of the whole load, in the time of the pipeline.
  /// - Throws: `LoadingError.timedOut` when no time is left.
  func loadRequest(
    of plan: ResolvedRequest, priority: LivePriority, since start: Duration
  ) throws -> LoadRequest {
    var load = plan.loadRequest
    load.livePriority = priority
    if let total = load.timeouts.total, plan.request.source.url != nil {
      let left = total - (elapsed() - start)
      guard left > .zero else { throw Self.timeout(of: plan.request) }
      load.timeouts.total = left
    }
    return load
  }

  /// Returns the facts that a response states about its bytes, and the target of its redirects.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - plan: The request of the job.
  ///   - policy: The cache policy of the job.
  ///   - requested: The time of the request.
  ///   - received: The time of the response.
  func facts(
    of response: LoadResponse, for plan: ResolvedRequest, policy: ImageRequest.CachePolicy,
    requested: Date, received: Date
  ) -> (provenance: OriginalMetadata, target: RedirectTarget?) {
    let request = plan.request
    var provenance = OriginalMetadata(url: request.source.url.map { _ in request.shown(response.url) })
    if case .lifetime(let lifetime) = plan.cachingRule {
      provenance.freshUntil = received + min(max(0, lifetime / .seconds(1)), 1e9)
    }
    guard provenance.freshUntil == nil, let status = response.status else {
      // The source may have changed since its version was determined.
      provenance.isStorable =
        request.identity.version.map { plan.loader.cachingRule(for: request.source) == .version($0) } ?? true
      return (provenance, nil)
    }
    let freshness = freshness(for: request)
    let fields = freshness.fields(of: response, for: request, at: received)
    let target = freshness.target(of: response, for: request, requested: requested, received: received)
    let decision = freshness.storeDecision(
      request: request.headers, status: status, response: fields, requestTime: requested,
      responseTime: received)
    func described(_ fields: HTTPFields) -> StoredResponse? {
      StoredResponse(
        status: status, fields: fields, request: request.headers, requestTime: requested,
        responseTime: received)
    }
    provenance.response = decision.stored
    if provenance.response == nil, policy == .ignoreHTTPFreshness || target != nil,
      case .refuse(.neverReusable) = decision
    {
      // Requests that only check the age use it, and so do those redirected to the same resource again.
      provenance.response = described(fields)
    }
    let arrived = described(response.headers)
    if arrived?.fields != provenance.response?.fields { provenance.unstored = arrived }
    provenance.freshUntil =
      freshness.end(of: provenance.response, for: request.headers, at: received) ?? received
    provenance.isStorable = provenance.response != nil
    provenance.forbidsTransformation = CacheControlHeader(response: response.headers).noTransform
    return (provenance, target)
  }

  /// Returns whether decoded images of a request are kept, so that other URLs with the same bytes can share them.
  ///
  /// Local files are not: they are decoded again when they change.
  func sharesImages(of plan: ResolvedRequest) -> Bool {
    plan.memory != nil && configuration.sharesWork && plan.request.identity.version == nil
  }
}
