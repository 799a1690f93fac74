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
      let response: InfoResponse
      switch try await stored() {
      case .use(let known): response = known
      case .useThenAsk: response = try await original(turn: turn.take())
      case .ask(let stale):
        if needsWhole {
          response = try await original(turn: turn.take())
        } else {
          do {
            response = try await load(turn: turn.take())
          } catch let error as LoadingError {
            guard let stale, error.saysNothingOfTheImage, !Task.isCancelled else { throw error }
            context.counters.count { $0.staleHits += 1 }
            return job.finish(.success(stale))
          }
        }
      }
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

  /// The answer of the original on disk.
  private enum Stored {
    case use(InfoResponse)
    /// It is stale, and is to be revalidated afterwards.
    case useThenAsk
    /// The loader has to be asked; the header is that of a stale original, for a server that fails.
    case ask(InfoResponse?)
  }

  private func stored() async throws -> Stored {
    let request = plan.request
    var kept: CachedOriginal?
    var held: MemoryReservation?
    defer { held?.release() }
    if request.cachePolicy.readsCaches, request.readTiers.contains(.originals), let cache = plan.originals,
      let (record, reservation) = await context.readRecord(
        request.sourceKey, from: cache, plan, log, for: job.priority)
    {
      (kept, held) = (CachedOriginal(record), reservation)
    }
    switch context.sourceStep(for: request, policy: request.cachePolicy, kept: kept) {
    case .fail(let error): throw error
    case .use(let stored): return .use(try await described(stored))
    case .useThenAsk: return .useThenAsk
    case .ask:
      guard let kept, kept.isImage, let response = kept.metadata.response,
        context.freshness(for: request).mayServeOnError(
          response, for: request.headers, now: context.configuration.now())
      else { return .ask(nil) }
      return .ask(try? await described(kept.judged(isStale: true)))
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
    _ data: Data, source: ImageResponse.Source, _ provenance: OriginalMetadata
  ) async throws -> InfoResponse {
    let info = try await context.probing(data.count) {
      try plan.coders.probe(data, limits: plan.loadLimits, formatHint: plan.request.decoding.formatHint)
    }
    return InfoResponse(
      ImageHeader(info: info, hasAllFrames: true), byteCount: data.count, loadedByteCount: data.count,
      source: source, provenance: provenance)
  }

  // MARK: Loading

  private func load(turn: WorkQueue.Turn?) async throws -> InfoResponse {
    let request = plan.request
    try Task.checkCancellation()
    if case .deny(let reason) = try await context.configuration.shouldLoad?(request) ?? .allow {
      throw PipelineError.loadDenied(request.source.description, reason: reason)
    }
    let flow = QueueFlow(loading: request)
    let held = if let turn { turn } else { try await enter(flow) }
    defer { held.end() }
    let isRemote = request.source.url.map { $0.scheme == "http" || $0.scheme == "https" } ?? false
    let start = context.elapsed() - held.waited
    var loaded = 0
    let hasRanges =
      isRemote && request.headers[.range] == nil && request.validation == nil
      && request.statuses.contains(206)
    let ranges = hasRanges ? Self.ranges.map(Optional.some) : []
    for range in ranges + [nil] {
      do {
        if let response = try await load(range, since: start, &loaded) { return response }
      } catch let error as LoadingError where range != nil && error.mayBeAboutRange {
        if let response = try await load(nil, since: start, &loaded) { return response }
      }
    }
    throw LoadingError.emptyBody(request.source)
  }

  private func enter(_ flow: QueueFlow) async throws -> WorkQueue.Turn {
    let queue = flow.origin == nil ? context.localLoads : context.loads
    do {
      let claim = WorkQueue.Claim(flow: flow, expiry: context.expiry(of: plan.request, in: flow))
      return try await queue.enter(priority: job.priority, claim)
    } catch is QueueTimeout {
      throw PipelineContext.timeout(of: plan.request)
    }
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
    var load = plan.loadRequest
    load.livePriority = job.priority
    if let range {
      load.headers[.range] = "bytes=0-\(range - 1)"
      // A part of encoded bytes could not be decoded to its end.
      load.headers[.acceptEncoding] = "identity"
    }
    if let total = load.timeouts.total {
      let left = total - (context.elapsed() - start)
      guard left > .zero else { throw PipelineContext.timeout(of: request) }
      load.timeouts.total = left
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
          response.url, reason: "it is a part (status 206) that nobody asked for")
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
    let provenance = provenance(of: response, requested, received)
    guard let header else {
      let whole = try await described(bytes, source: .loader, provenance)
      return InfoResponse(
        ImageHeader(info: whole.info, hasAllFrames: true), byteCount: bytes.count, loadedByteCount: loaded,
        source: .loader, provenance: provenance)
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
    try await context.probing(bytes.count) {
      try plan.coders.header(of: bytes, limits: plan.loadLimits, formatHint: plan.request.decoding.formatHint)
    }
  }

  /// Returns what the response says about the original.
  private func provenance(
    of response: LoadResponse, _ requested: Date, _ received: Date
  ) -> OriginalMetadata {
    let request = plan.request
    var provenance = OriginalMetadata(
      url: request.shown(response.url), tags: request.tags, epoch: epoch)
    if case .lifetime(let lifetime) = plan.cachingRule {
      provenance.freshUntil = received + min(max(0, lifetime / .seconds(1)), 1e9)
      return provenance
    }
    guard let status = response.status else {
      // The source may have changed since its version was determined.
      provenance.isStorable =
        request.identity.version.map { plan.loader.cachingRule(for: request.source) == .version($0) } ?? true
      return provenance
    }
    let freshness = context.freshness(for: request)
    let decision = freshness.storeDecision(
      request: request.headers, status: status,
      response: freshness.fields(of: response, for: request, at: received), requestTime: requested,
      responseTime: received)
    provenance.response = decision.stored
    let arrived = StoredResponse(
      status: status, fields: response.headers, request: request.headers, requestTime: requested,
      responseTime: received)
    provenance.unstored = arrived?.fields == decision.stored?.fields ? nil : arrived
    provenance.freshUntil = freshness.end(of: decision.stored, for: request.headers, at: received) ?? received
    provenance.isStorable =
      decision.stored != nil && freshness.clearing(by: response.headers, from: response.url) == nil
    return provenance
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
