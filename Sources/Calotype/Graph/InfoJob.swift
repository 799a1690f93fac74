import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Reads the header of one original: from the disk, or from its first bytes.
struct InfoJob: Sendable {
  let context: PipelineContext
  let job: Job<InfoResponse>
  let plan: ResolvedRequest
  let log = StageLog()
  /// The newest purge when the job began.
  let epoch: Int

  /// The numbers of bytes to ask for, one after the other. If none is enough, the whole body is asked for, and its
  /// transfer ends when the header is there.
  private static let ranges = [64 << 10, 1 << 20]

  init(_ context: PipelineContext, _ job: Job<InfoResponse>, _ plan: ResolvedRequest) {
    (self.context, self.job, self.plan) = (context, job, plan)
    epoch = context.purges.withLock { $0.now }
  }

  /// - Parameter turn: A slot among the loads, if the job has one already.
  func run(turn: WorkQueue.Turn?) async {
    var turn = turn
    defer { turn?.end() }
    do {
      job.publishStart()
      let response = try await response(turn: turn.take())
      keep(response)
      job.finish(.success(response))
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  /// Whether the first bytes are not enough: bytes at hand, streams, which can be read only once, and bytes that are to be
  /// checked or transformed as a whole.
  private var needsWhole: Bool {
    let request = plan.request
    return request.source.url == nil || request.expectedDigest != nil || request.bodyTransform != nil
  }

  /// Finds the header, or loads it.
  private func response(turn: WorkQueue.Turn?) async throws -> InfoResponse {
    var turn = turn
    defer { turn?.end() }
    let (request, policy) = (plan.request, plan.request.cachePolicy)
    var (kept, reservation) = await context.readOriginal(plan, policy: policy, log, for: job.priority)
    defer { reservation?.release() }
    let step = context.sourceStep(for: request, policy: policy, kept: kept)
    switch step {
    case .use(let stored):
      context.count(step, policy: policy)
      return try await described(stored)
    case .fail(let error):
      context.count(step, policy: policy)
      throw error
    case .ask where !needsWhole:
      // No bytes are held while the server is asked.
      kept = kept?.withoutData
      reservation.take()?.release()
      do {
        return try await load(turn: turn.take())
      } catch let error as LoadingError {
        let stale = await context.staleOriginal(
          insteadOf: error, kept, plan, policy: policy, log, for: job.priority)
        guard let stale else { throw error }
        reservation = stale.reservation
        return try await described(stale.stored)
      }
    case .ask, .useThenAsk:
      reservation.take()?.release()
      return try await original(turn: turn.take())
    }
  }

  private func described(_ stored: UsableOriginal) async throws -> InfoResponse {
    var provenance = stored.provenance
    provenance.url = stored.metadata.url(for: plan.request)
    provenance.epoch = epoch
    return try await described(stored.data, source: .diskOriginal, provenance)
  }

  /// - Parameter turn: The slot among the loads, which the load of the original needs: it would wait for another one of the
  ///   same origin.
  private func original(turn: WorkQueue.Turn?) async throws -> InfoResponse {
    let place = try context.subscribe(
      toOriginalOf: plan, policy: plan.request.cachePolicy, want: SubscriptionOptions(of: job), turn: turn)
    defer { place.leave() }
    let loaded = try await place.firstValue().0
    return try await described(loaded.data, source: loaded.source, loaded.provenance)
  }

  /// Describes a whole original.
  private func described(
    _ data: Data, source: ImageResponse.Source, _ provenance: OriginalMetadata, loadedByteCount: Int? = nil
  ) async throws -> InfoResponse {
    let info = try await context.probing(data, by: plan.coders) {
      try plan.coders.probe(data, limits: plan.loadLimits, formatHint: plan.request.decoding.formatHint)
    }
    return InfoResponse(
      ImageHeader(info: info, hasAllFrames: true), byteCount: data.count,
      loadedByteCount: loadedByteCount ?? data.count, source: source, provenance: provenance)
  }

  // MARK: Loading

  private func load(turn: WorkQueue.Turn?) async throws -> InfoResponse {
    let request = plan.request
    try Task.checkCancellation()
    try await context.checkMayLoad(request)
    let held =
      if let turn { turn } else { try await context.enterLoads(for: request, priority: job.priority) }
    defer { held.end() }
    let isRemote = request.source.url?.isRemote ?? false
    let start = context.elapsed() - held.waited
    var loaded = 0
    let hasRanges =
      isRemote && request.headers[.range] == nil && request.validation == nil
      && request.statuses.contains(206)
    if hasRanges {
      do {
        for range in Self.ranges {
          if let response = try await load(range, since: start, &loaded) { return response }
        }
      } catch let error as LoadingError where error.mayBeAboutRange {}
    }
    guard let response = try await load(nil, since: start, &loaded) else {
      throw LoadingError.emptyBody(request.source)
    }
    return response
  }

  /// Loads the first bytes.
  ///
  /// - Parameters:
  ///   - range: The number of bytes to ask for; `nil` for all.
  ///   - start: The time of the call.
  ///   - loaded: The number of bytes loaded so far.
  /// - Returns: The header; `nil` if the server sent no more than the range, and the header is longer.
  private func load(_ range: Int?, since start: Duration, _ loaded: inout Int) async throws -> InfoResponse? {
    let request = plan.request
    var load = try context.loadRequest(of: plan, priority: job.priority, since: start)
    if let range {
      load.headers[.range] = "bytes=0-\(range - 1)"
      // A part of encoded bytes could not be decoded to its end.
      load.headers[.acceptEncoding] = "identity"
    }
    context.counters.count { $0.loads += 1 }
    let requested = context.configuration.now()
    var response = try await context.stage(.load, plan, log) { try await plan.loader.loadWithHooks(load) }
    let received = context.configuration.now()
    if response.isNotModified {
      throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
    }
    var total = response.expectedLength
    var isPart = false
    if response.status == 206 {
      guard range != nil,
        case .bytes(let bytes, let length)? = response.headers[.contentRange].flatMap(ContentRange.init),
        bytes.lowerBound == 0
      else {
        throw LoadingError.protocolError(
          response.url, reason: "it is a part (status 206) that was not asked for")
      }
      total = length
      isPart = length.map { bytes.upperBound < $0 } ?? true
      // It describes the freshness of the whole.
      response.status = 200
    }
    if let total, total > load.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: load.byteLimit, declared: total)
    }
    guard let reservation = try await context.memory.reserve(Self.ranges[0], in: .encoded) else {
      throw overloaded
    }
    defer { reservation.release() }
    var bytes = Data()
    var next = Self.ranges[0]
    var header: ImageHeader?
    var chunks = response.body.makeAsyncIterator()
    while header == nil, let chunk = try await chunks.next() {
      guard chunk.count <= load.byteLimit - bytes.count else {
        throw LoadingError.tooLarge(request.source, limit: load.byteLimit, declared: total)
      }
      guard reservation.grow(to: max(Self.ranges[0], bytes.count + chunk.count)) else { throw overloaded }
      bytes.append(chunk)
      if bytes.count >= next {
        header = try await self.header(in: bytes)
        next = bytes.count * 2
      }
    }
    loaded += bytes.count
    if header == nil {
      if bytes.isEmpty { throw LoadingError.emptyBody(request.source) }
      if isPart {
        header = try await self.header(in: bytes)
        if header == nil { return nil }
      }
    }
    var provenance = context.facts(
      of: response, for: plan, policy: request.cachePolicy, requested: requested, received: received
    ).provenance
    (provenance.tags, provenance.epoch) = (request.tags, epoch)
    if context.freshness(for: request).clearing(by: response.headers, from: response.url) != nil {
      provenance.isStorable = false
    }
    guard let header else {
      return try await described(bytes, source: .loader, provenance, loadedByteCount: loaded)
    }
    return InfoResponse(
      header, byteCount: total, loadedByteCount: loaded, source: .loader, provenance: provenance)
  }

  private var overloaded: PipelineError {
    .overloaded(
      plan.request.source.description, waiting: context.jobs.requestCount,
      retryAfter: context.loads.predictedWait)
  }

  private func header(in bytes: Data) async throws -> ImageHeader? {
    try await context.probing(bytes, by: plan.coders) {
      try plan.coders.header(of: bytes, limits: plan.loadLimits, formatHint: plan.request.decoding.formatHint)
    }
  }

  /// Keeps the header in memory for as long as the original is fresh.
  private func keep(_ response: InfoResponse) {
    let (request, provenance, demand) = (plan.request, response.provenance, job.demand)
    guard plan.keepsHeader, request.cachePolicy.writesCaches, demand.tiers.contains(.memory),
      provenance.isStorable
    else { return }
    let (key, headers) = (request.headerKey, context.headers)
    let tags = provenance.tags.merging(demand.tags.sorted())
    guard context.isValid(key, tags: tags, since: epoch) else { return }
    headers.store(
      response, for: key, cost: response.cost,
      freshFor: provenance.freshness(at: context.configuration.now()), tags: tags)
    // A purge may have taken place meanwhile.
    if !context.isValid(key, tags: tags, since: epoch) { headers.remove(key) }
  }
}

extension LoadingError {
  /// Whether a request for the whole may succeed where one for a range has failed.
  fileprivate var mayBeAboutRange: Bool {
    switch self {
    case .httpStatus(_, let status, _, _): [400, 406, 412, 416, 501].contains(status)
    case .protocolError, .truncatedBody, .bodyTransformFailed, .vetoed, .contentChanged: true
    default: false
    }
  }
}
