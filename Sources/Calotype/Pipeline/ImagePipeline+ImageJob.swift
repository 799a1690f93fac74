import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Makes one image: finds the result, or decodes the original, or takes a step from what another job makes.
extension ImagePipeline {
  @concurrent
  nonisolated func runImageJob(_ job: Job<MadeImage>, _ plan: Plan) async {
    let run = ImageRun(job: job, plan: plan, start: elapsed())
    defer { run.end() }
    let request = plan.request
    let known = await findResult(run)
    do {
      job.publishStart()
      var policy = request.cachePolicy
      if let known, known.isGoodEnough || policy == .staleWhileRevalidate {
        if known.isFresh || policy != .staleWhileRevalidate {
          // A place of its own keeps the job joinable until the result is where later requests look.
          run.holdPlace()
          job.finish(.success(run.timed(known, elapsed())))
          return
        }
        counters.count { $0.staleHits += 1 }
        publishStale(known, run)
        policy = .http
      }
      let made = try await makeResult(run, policy: policy, known: known)
      // Before the others: whoever asks next finds it there.
      keepInMemory(made, run)
      if !made.provenance.isStorable { await forgetResults(plan, known: known) }
      run.holdPlace()
      job.finish(.success(run.timed(made, elapsed())))
      await keepOnDisk(made, run)
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
      if case .httpStatus(_, let status, _) = error as? LoadingError, status == 404 || status == 410 {
        await forgetResults(plan, known: known)
      }
    }
  }

  /// What was made of an original that is gone, or may not be kept any more, is of no use to the next request.
  private nonisolated func forgetResults(_ plan: Plan, known: MadeImage?) async {
    let policy = plan.request.cachePolicy
    guard policy.writesCaches, known != nil || !policy.readsCaches else { return }
    plan.memory?.remove(plan.request.key)
    if let disk = plan.disk, let key = plan.resultKey { await removeRecord(key, from: disk) }
  }

  /// Gives everyone what will do for now. Those who are content with it may leave; the job goes on for the next request.
  private nonisolated func publishStale(_ known: MadeImage, _ run: ImageRun) {
    run.holdPlace()
    run.hasPublishedStale = true
    var known = run.timed(known, elapsed())
    known.provenance.isStale = true
    // What comes next may need the room.
    known.allowances = []
    run.allowances = []
    run.job.publish(interim: known)
  }

  // MARK: Results that are there

  /// The result in memory or on disk, of whatever age.
  private nonisolated func findResult(_ run: ImageRun) async -> MadeImage? {
    let (request, plan) = (run.plan.request, run.plan)
    guard request.cachePolicy.readsCaches else { return nil }
    // Another job may have ended between the caller's look and this one.
    if request.queryTiers.contains(.memory), let found = findInMemory(plan) { return found }
    guard request.queryTiers.contains(.disk), let disk = plan.disk, let key = plan.resultKey,
      let record = await readRecord(key, from: disk, plan, run.log)
    else { return nil }
    let now = configuration.now()
    let response = record.metadata.response
    let freshness = freshness(for: request)
    var (isFresh, isGoodEnough) = (response == nil, response == nil || request.trustsAge)
    switch freshness.decision(for: request.headers, stored: response, now: now) {
    case .fresh: (isFresh, isGoodEnough) = (true, true)
    case .stale: isGoodEnough = true
    default: break
    }
    guard let image = await decodeResult(record, key, run) else { return nil }
    counters.count { $0.diskHits += 1 }
    let end = freshness.end(of: response, for: request.headers, at: now)
    let provenance = Provenance(
      version: record.metadata.version, response: response, freshUntil: response == nil ? nil : end ?? now,
      isStale: !isFresh, tags: record.metadata.tags)
    let found = MadeImage(
      image: image, source: .disk, provenance: provenance, byteCount: record.data.count, record: record,
      isFresh: isFresh, isGoodEnough: isGoodEnough, isFound: true, log: run.log)
    if isGoodEnough { keepInMemory(found, run) }
    return found
  }

  private nonisolated func findInMemory(_ plan: Plan) -> MadeImage? {
    guard let memory = plan.memory else { return nil }
    let request = plan.request
    func found(_ cached: CachedImage, isFresh: Bool, isGoodEnough: Bool) -> MadeImage {
      var provenance = cached.provenance
      provenance.isStale = !isFresh
      return MadeImage(
        image: cached.image, animation: cached.animation, source: .memory, provenance: provenance,
        isFresh: isFresh, isGoodEnough: isGoodEnough, isFound: true)
    }
    if let cached = memory.value(for: request.key, allowingStale: request.trustsAge) {
      let isFresh = !request.hasCacheDirectives && (!request.trustsAge || memory.contains(request.key))
      return found(cached, isFresh: isFresh, isGoodEnough: isFresh || request.trustsAge)
    }
    return memory.value(for: request.key, allowingStale: true).map {
      found($0, isFresh: false, isGoodEnough: false)
    }
  }

  private nonisolated func decodeResult(
    _ record: CacheRecord, _ key: CacheKey, _ run: ImageRun
  ) async -> Image? {
    let plan = run.plan
    do {
      let options = DecodeOptions(limits: plan.limits, colors: .asStored)
      let info = try plan.coders.probe(record.data, limits: plan.limits)
      return try await decoding(run, bytes: info.size.byteCount) {
        let stored = try plan.coders.decode(record.data, options: options)
        let info = ImageInfo(stored: record.metadata) ?? stored.info
        return Image(
          bitmap: stored.bitmap, info: info,
          orientation: plan.request.appliesOrientation ? .topLeft : info?.orientation ?? .topLeft)
      }
    } catch is CancellationError {
      return nil
    } catch ImagingError.cancelled {
      return nil
    } catch {
      // Written by another version, perhaps. It is made again.
      await removeRecord(key, from: plan.disk)
      return nil
    }
  }

  // MARK: Results that are made

  /// The result of the original, or the one that is there if the original is still the same.
  private nonisolated func makeResult(
    _ run: ImageRun, policy: CachePolicy, known: MadeImage?
  ) async throws -> MadeImage {
    // Who asks somebody else meanwhile must not hold what others need.
    run.allowances = []
    guard let (prefix, last) = run.plan.request.lastStep else {
      return try await makeFromOriginal(run, policy: policy, known: known)
    }
    // If the original is what it was, nothing has to be made.
    if let known, known.provenance.version != nil {
      let loaded = try await original(run, policy: policy, isDecoded: false) { loaded in
        known.provenance.version == loaded.provenance.version ? known : nil
      }
      if let made = confirmed(known, by: loaded, run) { return made }
    }
    return try await makeFromPrefix(run, prefix, last, policy: policy)
  }

  /// The step that is last, applied to what another job makes of the steps before.
  private nonisolated func makeFromPrefix(
    _ run: ImageRun, _ prefix: ImageRequest, _ last: TransformChain, policy: CachePolicy
  ) async throws -> MadeImage {
    var prefix = prefix
    if policy != prefix.cachePolicy { prefix.cachePolicy = policy }
    // Nobody has asked for that picture: it goes to no cache, unless somebody does meanwhile.
    let want = Want(of: run.job) { demand in
      demand.tiers.formIntersection(.originals)
      demand.isTransformed = true
    }
    let place = try await subscribe(to: prefix, want: want)
    run.keep(place)
    func step(_ made: MadeImage) async throws -> MadeImage {
      let input = made.image
      var output = input
      if !(input.info?.frameCount ?? 1 > 1 && run.plan.request.animationTransforms == .none) {
        counters.count { $0.transforms += 1 }
        output = try await stage(.transform, run.plan, run.log) {
          try await transforms.run(priority: run.job.priority) {
            try await workers.run { try input.transformed(by: last) }
          }
        }
      }
      run.log.add(made.log)
      return MadeImage(
        image: output, source: made.source, provenance: made.provenance, byteCount: made.byteCount,
        allowances: made.allowances, log: run.log)
    }
    while true {
      switch try await place.next([.progress, .previews, .interim]) {
      case .started: continue
      case .arrived(let arrival): run.job.publish(arrival)
      case .preview(let preview):
        let shown = try? await transforms.run(priority: run.job.priority) {
          try await workers.run { try preview.transformed(by: last) }
        }
        if let shown { run.job.publish(preview: shown) }
      case .interim(let made):
        if !run.hasPublishedStale { publishStale(try await step(made), run) }
      case .ended(let made):
        return try await step(made)
      }
    }
  }

  private nonisolated func makeFromOriginal(
    _ run: ImageRun, policy: CachePolicy, known: MadeImage?
  ) async throws -> MadeImage {
    var policy = policy
    var known = known
    while true {
      let loaded = try await original(run, policy: policy, isDecoded: true) { loaded in
        if let known, known.provenance.version == loaded.provenance.version { return known }
        known = try await decode(loaded, run)
        return known
      }
      if let known, let made = confirmed(known, by: loaded, run) { return made }
      do {
        let made = try await decode(loaded, run)
        if made.image.isPartial { await reject(loaded, run.plan, because: nil) }
        // A damaged original in the cache says nothing about what the loader would deliver.
        guard made.image.isPartial, loaded.source == .diskOriginal, policy.asksAgain else { return made }
      } catch let error as ImagingError where error.blamesInput {
        await reject(loaded, run.plan, because: error)
        guard loaded.source == .diskOriginal, policy.asksAgain else { throw error }
      }
      policy = .reload
      run.decoder = nil
      run.decoderAllowance = nil
      run.allowances = []
    }
  }

  /// What was known, if the original is still the one that it was made of.
  private nonisolated func confirmed(
    _ known: MadeImage, by loaded: LoadedSource, _ run: ImageRun
  ) -> MadeImage? {
    guard let version = known.provenance.version, version == loaded.provenance.version,
      !known.image.isPartial
    else { return nil }
    var made = known
    made.provenance = loaded.provenance
    made.provenance.tags = known.provenance.tags.merging(loaded.provenance.tags)
    made.isConfirmed = run.hasPublishedStale && !loaded.provenance.isStale
    run.log.add(loaded.log)
    made.log = run.log
    return made
  }

  /// Waits for the original; its place is kept until the job ends, so that requests for other sizes can join meanwhile.
  ///
  /// - Parameters:
  ///   - isDecoded: Whether to decode what has arrived meanwhile.
  ///   - stale: Makes the image of an original that will do for now.
  private nonisolated func original(
    _ run: ImageRun, policy: CachePolicy, isDecoded: Bool,
    stale: (LoadedSource) async throws -> MadeImage?
  ) async throws -> LoadedSource {
    let place = try await subscribe(toOriginalOf: run.plan, policy: policy, want: Want(of: run.job))
    run.keep(place)
    while true {
      let signal: Signal<LoadedSource>
      if let delay = run.decoder?.postponed {
        signal = try await next(of: place, repeatingAfter: delay)
      } else {
        signal = try await place.next([.progress, .interim])
      }
      switch signal {
      case .started, .preview: continue
      case .arrived(let arrival):
        run.job.publish(arrival)
        if isDecoded { await decodeArrived(arrival, run) }
      case .interim(let loaded):
        guard !run.hasPublishedStale, let made = try? await stale(loaded) else { continue }
        publishStale(made, run)
      case .ended(let loaded): return loaded
      }
    }
  }

  /// What comes next, or if nothing comes for a while, once more how far the transfer is.
  private nonisolated func next(
    of place: Subscription<LoadedSource>, repeatingAfter delay: Duration
  ) async throws -> Signal<LoadedSource> {
    let clock = configuration.clock
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await clock.sleep(for: delay, tolerance: nil)
        place.repeatArrival()
      }
      defer { group.cancelAll() }
      return try await place.next([.progress, .interim])
    }
  }

  /// Sees to it that bytes which are no whole image are in no cache, and that the loader knows what it has delivered.
  private nonisolated func reject(
    _ loaded: LoadedSource, _ plan: Plan, because error: ImagingError?
  ) async {
    loaded.reject()
    // With coders or a format of its own it may be the request that is at fault.
    guard plan.judgesForAll else { return }
    if let error, loaded.source == .loader {
      plan.loader.reject(plan.loadRequest, code: error.code, message: error.description)
    }
    if plan.request.cachePolicy.writesCaches {
      await removeRecord(plan.request.sourceKey, from: plan.originals)
    }
  }

  // MARK: Keeping

  private nonisolated func keepInMemory(_ made: MadeImage, _ run: ImageRun) {
    let demand = run.job.demand
    guard made.isStorable, demand.tiers.contains(.memory), let memory = run.plan.memory else { return }
    memory.store(
      made.cached, for: run.plan.request.key, cost: made.cached.cost,
      freshFor: made.provenance.freshness(at: configuration.now()),
      tags: made.provenance.tags.merging(demand.tags),
      rendition: RequestIdentity.rendition(of: run.plan.request))
    run.log.changeStores { $0.memory = .stored }
  }

  private nonisolated func keepOnDisk(_ made: MadeImage, _ run: ImageRun) async {
    let (plan, demand) = (run.plan, run.job.demand)
    guard made.isStorable, !made.provenance.isStale, demand.tiers.contains(.disk),
      let disk = plan.disk?.writable, let encoding = plan.resultEncoding, let key = plan.resultKey
    else { return }
    do {
      var metadata = RecordMetadata(
        contentType: encoding.format.mimeType, response: made.provenance.response,
        tags: made.provenance.tags.merging(demand.tags))
      metadata.version = made.provenance.version
      let image = made.image
      image.info?.store(in: &metadata)
      let data: Data
      if made.isFound {
        // Confirmed for no time at all: what is kept says the same.
        if made.provenance.freshUntil.map({ $0 <= configuration.now() }) ?? true { return }
        // As it is kept: encoded again, a picture would lose each time. One in memory alone stays there.
        var record = made.record
        if record == nil { record = await readRecord(key, from: disk, plan, run.log) }
        guard let record, record.metadata.version == metadata.version else { return }
        data = record.data
      } else {
        // Nobody waits for it any more.
        data = try await stage(.encode, plan, run.log) {
          try await encodes.run(priority: run.job.priority) {
            try await workers.run {
              // Without its orientation: the encoder would turn a picture that is to be kept as stored.
              try plan.coders.encode(Image(bitmap: image.bitmap, info: image.info), as: encoding)
            }
          }
        }
      }
      try await stage(.store, plan, run.log) {
        try await disk.store(data, metadata: metadata, for: key)
      }
      run.log.changeStores { $0.disk = .stored }
    } catch {
      // The caller has the image; the cache has to do without, and without an older one.
      run.log.changeStores { $0.disk = .failed(code: Self.code(of: error)) }
      counters.count(cacheError: error)
      if !made.isFound { await removeRecord(key, from: disk) }
    }
  }
}

extension CachePolicy {
  /// Whether what a cache had may be asked of the loader when it turns out to be useless.
  fileprivate var asksAgain: Bool { self == .http || self == .useAge || self == .staleWhileRevalidate }
}

extension ImageRequest {
  /// The last step, and the request for the picture before it; `nil` when everything is done while decoding.
  ///
  /// Neighbouring colour steps are one: they share a pass over the pixels.
  fileprivate var lastStep: (before: ImageRequest, last: TransformChain)? {
    guard frames == .first, let (before, last) = chain.split(shrinksFirst: thumbnail == nil)
    else { return nil }
    var request = self
    request.transforms = .chain(before)
    return (request, last)
  }
}
