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
      let response =
        if let known = try await stored() {
          known
        } else if plan.request.source.url == nil || plan.request.expectedDigest != nil {
          // Bytes at hand, streams, which can be read only once, and bytes that are to be checked.
          try await original()
        } else {
          try await load(turn: turn.take())
        }
      keep(response)
      job.finish(.success(response))
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  /// Returns the header of the original on disk; `nil` if the loader has to be asked.
  private func stored() async throws -> InfoResponse? {
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
    case .ask: return nil
    case .use(let stored), .useThenAsk(let stored, _):
      var provenance = stored.provenance
      provenance.url = stored.metadata.url(for: request)
      provenance.epoch = epoch
      return try await described(stored.data, source: .diskOriginal, provenance)
    }
  }

  private func original() async throws -> InfoResponse {
    let place = try context.subscribe(
      toOriginalOf: plan, policy: plan.request.cachePolicy, want: SubscriptionOptions(of: job))
    defer { place.leave() }
    let loaded = try await place.value()
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
    let ranges = isRemote && request.headers[.range] == nil ? Self.ranges.map(Optional.some) : []
    for range in ranges + [nil] {
      if let response = try await load(range, since: start, &loaded) { return response }
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
    if let range { load.headers[.range] = "bytes=0-\(range - 1)" }
    if let total = load.timeouts.total {
      let left = total - (context.elapsed() - start)
      guard left > .zero else { throw PipelineContext.timeout(of: request) }
      load.timeouts.total = left
    }
    context.counters.count { $0.loads += 1 }
    let requested = context.configuration.now()
    var response = try await context.stage(.load, plan, log) { try await plan.loader.load(load) }
    let received = context.configuration.now()
    if response.isNotModified {
      throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
    }
    var total = response.expectedLength
    var isPart = false
    if response.status == 206, range != nil {
      guard case .bytes(let bytes, let length)? = response.headers[.contentRange].flatMap(ContentRange.init),
        bytes.lowerBound == 0
      else {
        throw LoadingError.protocolError(response.url, reason: "it is another part than the one asked for")
      }
      total = length
      isPart = length.map { bytes.upperBound < $0 } ?? true
      // It describes the freshness of the whole.
      response.status = 200
    }
    if let total, total > load.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: load.byteLimit, declared: total)
    }
    let reservation = try await context.memory.reserve(Self.ranges[0], in: .encoded)
    defer { reservation?.release() }
    var bytes = Data()
    var next = Self.ranges[0]
    var header: ImageHeader?
    var chunks = response.body.makeAsyncIterator()
    while header == nil, let chunk = try await chunks.next() {
      guard chunk.count <= load.byteLimit - bytes.count else {
        throw LoadingError.tooLarge(request.source, limit: load.byteLimit, declared: total)
      }
      guard reservation?.grow(to: max(Self.ranges[0], bytes.count + chunk.count)) ?? true else {
        throw PipelineError.overloaded(
          request.source.description, waiting: context.jobs.requestCount,
          retryAfter: context.loads.predictedWait)
      }
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
      url: response.url.withoutUser, tags: request.tags, epoch: epoch)
    if case .lifetime(let lifetime) = plan.cachingRule {
      provenance.freshUntil = received + min(max(0, lifetime / .seconds(1)), 1e9)
      return provenance
    }
    guard let status = response.status else { return provenance }
    let freshness = context.freshness(for: request)
    let decision = freshness.storeDecision(
      request: request.headers, status: status,
      response: freshness.fields(of: response, for: request, at: received), requestTime: requested,
      responseTime: received)
    provenance.response = decision.stored
    provenance.unstored = StoredResponse(
      status: status, fields: response.headers, request: request.headers, requestTime: requested,
      responseTime: received)
    provenance.freshUntil = freshness.end(of: decision.stored, for: request.headers, at: received) ?? received
    provenance.isStorable = decision.stored != nil
    return provenance
  }

  /// Keeps the header in memory for as long as the original is fresh.
  private func keep(_ response: InfoResponse) {
    let (request, provenance) = (plan.request, response.provenance)
    guard plan.keepsHeader, request.cachePolicy.writesCaches, request.storeTiers.contains(.memory),
      provenance.isStorable
    else { return }
    let (key, headers) = (request.headerKey, context.headers)
    guard context.isValid(key, tags: provenance.tags, since: epoch) else { return }
    headers.store(
      response, for: key, cost: response.cost,
      freshFor: provenance.freshness(at: context.configuration.now()), tags: provenance.tags)
    // A purge may have taken place meanwhile.
    if !context.isValid(key, tags: provenance.tags, since: epoch) { headers.remove(key) }
  }
}
