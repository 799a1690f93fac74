import Calotype
import CalotypeAdmission
import CalotypePlanning
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Images: from memory at once, and else by work that equal requests share.
extension ImageServer {
  /// Answers a request for an image.
  ///
  /// - Parameter subject: Set to the image as soon as it is known.
  /// - Throws: The errors that ``Failure/init(_:)`` knows.
  func image(
    _ request: HTTPRequest, _ rules: ServingRules, _ subject: inout RequestSubject?
  ) throws -> Answer {
    try authorize(request, rules)
    return answer(to: request, try order(of: request, rules), &subject)
  }

  /// Refuses a request without the token that images need.
  func authorize(_ request: HTTPRequest, _ rules: ServingRules) throws(Failure) {
    guard rules.secrets.isEmpty || rules.secrets.allow(request.headerFields[.authorization]) else {
      throw Failure(.unauthorized)
    }
  }

  /// Reads a request, or recalls how it was read.
  private func order(of request: HTTPRequest, _ rules: ServingRules) throws -> ImageOrder {
    let accept = request.headerFields[values: .accept].joined(separator: ",")
    let key = PreparedRequests.Key(path: request.path ?? "", accept: accept)
    if let known = rules.prepared?[key] {
      return ImageOrder(
        options: known.request.options, source: known.source, identity: known.identity,
        accept: CalotypePlanning.AcceptHeader(accept), hints: ClientHints(), passedFields: [:], rules: rules,
        named: known.named, replies: known.replies)
    }
    let parsed = try rules.dialect.parse(key.path, at: Int64(now().timeIntervalSince1970.rounded(.down)))
    let source = try rules.sources.resolve(parsed.source)
    let order = try order(for: parsed.options, source, request, rules)
    if parsed.options.expires == nil {
      rules.prepared?.keep(
        .init(
          request: parsed, source: source, identity: order.identity, named: order.named,
          replies: order.replies), for: key)
    }
    return order
  }

  /// Answers an order from memory, or by work.
  func answer(
    to request: HTTPRequest, _ order: ImageOrder, _ subject: inout RequestSubject?
  ) -> Answer {
    subject = RequestSubject(
      identity: String(order.identity.text.prefix(12)), sourceHost: order.source.share)
    if order.options.raw == true {
      return .pending { [self] in await raw(order, request) }
    }
    let reply = ResultReply(
      request: request, options: order.options, source: order.source.text, rules: order.rules, now: now(),
      memo: order.replies)
    if order.options.bypassesCache != true, let result = cached(order) {
      return .ready(reply.response(with: result))
    }
    return .pending { [self] in
      if let unchanged = await unchanged(order, request) { return unchanged }
      do {
        let result = try await made(order)
        return reply.response(with: result)
      } catch {
        if error is CancellationError || Task.isCancelled { metrics.count(.cancelled) }
        return failed(Failure(error), request, order.rules)
      }
    }
  }

  /// Returns a result in memory that may be sent. A stale one is made anew behind the response.
  private func cached(_ order: ImageOrder) -> StoredResult? {
    guard let result = parts.store.cached(order.identity) else { return nil }
    guard isUsable(result, order) else { return nil }
    metrics.count(.memoryHits)
    return result
  }

  /// Returns whether a result may be sent; a stale one is made anew behind the response.
  private func isUsable(_ result: StoredResult, _ order: ImageOrder) -> Bool {
    let now = now()
    guard result.isStale(at: now) else { return true }
    let limit = order.rules.settings.httpCache.staleWhileRevalidate
    guard result.isUsable(at: now, staleFor: limit) else { return false }
    metrics.count(.staleHits)
    refresh(order)
    return true
  }

  /// Makes a result anew, once at a time.
  private func refresh(_ order: ImageOrder) {
    let key = order.identity.key
    guard refreshes.withLock({ $0.count < 1000 && $0.insert(key).inserted }) else { return }
    Task { [self] in
      defer { refreshes.withLock { _ = $0.remove(key) } }
      _ = try? await shared(order, JoinedWork(), refreshing: true)
    }
  }

  /// Returns a result that is not in memory.
  ///
  /// - Throws: ``Failure`` with the reason `timeout`; the errors of rendering; `CancellationError`.
  func made(_ order: ImageOrder) async throws -> StoredResult {
    let end = ContinuousClock.now + order.rules.settings.server.timeout
    return try await within(order.rules.settings.server.timeout) { [self] in
      while true {
        let joins = JoinedWork()
        do {
          return try await shared(order, joins)
        } catch is AdmissionRefusal where joins.isJoined && ContinuousClock.now < end {
          // The request that began the work had too little time. This one has more: it began later.
        }
      }
    }
  }

  /// Makes a result, once for all equal requests.
  private func shared(
    _ order: ImageOrder, _ joins: JoinedWork, refreshing: Bool = false
  ) async throws -> StoredResult {
    let reloads = order.options.bypassesCache == true
    let key = WorkKey(key: order.identity.key, generation: parts.store.generation, reloads: reloads)
    return try await work.value(for: key) { [self] in
      joins.begin()
      return try await make(order, since: key.generation, readsCaches: !reloads && !refreshing)
    }
  }

  /// Performs an operation, and cancels it after a time.
  private func within<Value: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw Failure(.timeout, retryAfter: limit, detail: "the request took more than \(limit)")
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// Reads a result from disk, confirms a stale one, or makes it: the work that equal requests share.
  private func make(_ order: ImageOrder, since start: Int, readsCaches: Bool) async throws -> StoredResult {
    metrics.beginImage()
    defer { metrics.endImage() }
    let deadline = parts.admission.now + order.rules.settings.server.timeout
    var known = parts.store.cached(order.identity)
    if readsCaches, known == nil, let read = await parts.store.read(order.identity) {
      known = read.result
      metrics.count(read.tier)
    }
    if readsCaches, let known, isUsable(known, order) { return known }
    if !readsCaches, order.options.bypassesCache == true { known = nil }
    // Before the source is asked.
    let position = parts.store.position
    if let info = order.info {
      let result = try await informer.result(info, for: order, known: known, deadline: deadline)
      await parts.store.store(result, for: order.identity, since: start, position: position)
      return result
    }
    let flight = ResultFlight(parts, order, since: start, position: position)
    if order.options.bypassesCache != true,
      let result = await flight.begin(waits: known == nil, within: order.rules.settings.server.timeout),
      isUsable(result, order)
    {
      metrics.count(.sharedHits)
      return result
    }
    do {
      let result = try await make(order, known: known, since: start, position: position, deadline: deadline)
      // The others are told behind the response: Redis may be slow.
      Task { await flight.end(with: result) }
      return result
    } catch {
      Task { [isCancelled = Task.isCancelled] in await flight.end(with: error, isCancelled: isCancelled) }
      throw error
    }
  }

  /// Makes a result, or confirms one that is known.
  private func make(
    _ order: ImageOrder, known: StoredResult?, since start: Int, position: Int?, deadline: Duration
  ) async throws -> StoredResult {
    try parts.admission.checkPreparation(from: order.source.share)
    // Those of a request that has one are as necessary as its source, and no image stands for them.
    async let fetched = fetched(order)
    let watermarks = try await watermarks.watermarks(of: order, deadline: deadline)
    do {
      var source = try await fetched.get()
      for mark in watermarks.own.values.sorted(by: { $0.image.id < $1.image.id }) {
        if let other = mark.source { source.add(other) }
      }
      if var known, known.source.version == source.version, order.options.hashsum == nil {
        known.confirm(source, order.rules.settings)
        metrics.count(.confirmations)
        await parts.store.store(known, for: order.identity, since: start, position: position)
        return known
      }
      metrics.count(.misses)
      let result = try await renderer.result(
        of: source, for: order, watermarks: watermarks, deadline: deadline)
      _ = try await parts.spans.within(.store) {
        await parts.store.store(result, for: order.identity, since: start, position: position)
      }
      return result
    } catch {
      guard !Task.isCancelled, let fallback = await fallback(for: Failure(error), order) else { throw error }
      metrics.count(.fallbacks)
      var result = try await renderer.result(
        of: fallback, for: order, watermarks: watermarks, deadline: deadline)
      result.isFallback = true
      return result
    }
  }

  private func fetched(_ order: ImageOrder) async -> Result<SourceBytes, any Error> {
    do { return .success(try await fetch(order)) } catch { return .failure(error) }
  }

  private func fetch(_ order: ImageOrder) async throws -> SourceBytes {
    let clock = ContinuousClock.now
    metrics.count(.fetches)
    let source = try await parts.spans.within(.fetch) {
      try await fetcher.bytes(for: order, purges: parts.store)
    }
    metrics.observe(.downloading, ContinuousClock.now - clock)
    try source.verify(order.options.hashsum)
    return source
  }

  /// The image in place of one that could not be loaded: that of the request, or that of the server if there is none, or if it
  /// cannot be loaded either.
  private func fallback(for failure: Failure, _ order: ImageOrder) async -> SourceBytes? {
    switch failure.reason {
    case .sourceUnreachable, .sourceStatus, .sourceTimeout, .sourceIncomplete, .sourceRefused: break
    case .undecodable, .unsupportedSource:
      guard order.rules.settings.fallback.coversUndecodable else { return nil }
    default: return nil
    }
    if let named = order.named.fallback, let image = try? await fallbacks.image(named, for: order) {
      return SourceBytes(fallback: image.source.data)
    }
    return parts.fallback.map { SourceBytes(fallback: $0) }
  }

  /// Collects all that rendering needs.
  private func order(
    for options: ProcessingOptions, _ source: SourceReference, _ request: HTTPRequest, _ rules: ServingRules
  ) throws(Failure) -> ImageOrder {
    let fields = request.headerFields
    let accept = CalotypePlanning.AcceptHeader(fields[values: .accept].joined(separator: ","))
    let hints = ClientHints(largestRatio: rules.planner.policy.limits.hintedRatio) { name in
      HTTPField.Name(name).flatMap { fields[$0] }
    }
    let passed = PassedFields(rules.settings)
    let passedFields = passed.fields(of: request, to: source)
    let named = try NamedSources(options, rules) { passed.fields(of: request, to: $0) }
    let identity = ResultIdentity(
      source: source.text, options: options, accept: accept, hints: hints,
      variants: passed.variants(of: request) + passedFields.map { "\($0.name): \($0.value)" }
        + named.variants, rules: rules)
    return ImageOrder(
      options: options, source: source, identity: identity, accept: accept, hints: hints,
      passedFields: passedFields, rules: rules, named: named)
  }
}
