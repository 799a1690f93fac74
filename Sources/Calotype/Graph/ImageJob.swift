import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Produces one image: finds the stored result, decodes the original, or applies a step to the result of
/// another job.
// `@unchecked`: used only by the task of one job, one call after the other.
final class ImageJob: @unchecked Sendable {
  let context: PipelineContext
  let job: Job<ImageResult>
  let plan: ResolvedRequest
  let log = StageLog()
  /// The newest purge when the job began.
  let epoch: Int
  /// A slot among the loads, held until it is known whether it is needed.
  var turn: WorkQueue.Turn?
  /// A subscription to the original that exists already.
  private var included: Subscription<OriginalData>?
  /// Closures that give up the subscriptions to other jobs, held until the image is made.
  private var leave: [@Sendable () -> Void] = []
  /// Closures that wait until the results that other jobs made for this one are stored.
  private var sources: [@Sendable () async -> Void] = []
  /// The reservations for the pixels of the result.
  var reservations: [MemoryReservation] = []
  /// The slot of a decoder while the bytes arrive.
  lazy var slot = context.arriving.add()
  var hasSlot = false
  var hasPublishedStale = false
  private let start: Duration

  init(
    _ context: PipelineContext, _ job: Job<ImageResult>, _ plan: ResolvedRequest, turn: WorkQueue.Turn? = nil,
    included: Subscription<OriginalData>? = nil
  ) {
    self.context = context
    self.job = job
    self.plan = plan
    self.turn = turn
    self.included = included
    start = context.elapsed()
    epoch = context.purges.withLock { $0.now }
  }

  func run() async {
    defer { end() }
    do {
      try plan.decodeOptions.check()
    } catch {
      return job.finish(.failure(error))
    }
    var policy = plan.request.cachePolicy
    var found = await findResult()
    var known: CachedResult?
    do {
      job.publishStart()
      if let found, found.isGoodEnough || policy == .staleWhileRevalidate {
        if found.isFresh || policy != .staleWhileRevalidate {
          endTurn()
          return finish(found)
        }
        context.counters.count { $0.staleHits += 1 }
        publishStale(found)
        policy = .http
      }
      known = found.map(CachedResult.init)
      found = nil
      let made = try await makeResult(policy: policy, known: known)
      // Before the job ends: the next request finds the image there.
      keepInMemory(made)
      if !made.provenance.isStorable, plan.request.cachePolicy.writesCaches {
        plan.memory?.remove(plan.request.key)
      }
      finish(made)
      if !made.provenance.isStorable { await forgetResults(known: known) }
      await keepOnDisk(made)
      for waitUntilStored in sources { await waitUntilStored() }
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
      if case .httpStatus(_, let status, _, _) = error as? LoadingError, status == 404 || status == 410 {
        await forgetResults(known: known)
      }
    }
  }

  /// Delivers the image to all subscribers. Its reservations are released as soon as no job works with it.
  private func finish(_ made: ImageResult) {
    job.keep(reservations)
    reservations = []
    job.finish(.success(timed(made)))
    end()
  }

  /// Returns the image as the job delivers it, with its timings.
  private func timed(_ made: ImageResult) -> ImageResult {
    made.changed { made in
      made.duration = context.elapsed() - start
      made.log = log
    }
  }

  /// Releases all resources.
  private func end() {
    endTurn()
    included.take()?.leave()
    for leave in leave { leave() }
    leave = []
    reservations = []
    if hasSlot {
      context.arriving.remove(slot)
      hasSlot = false
    }
  }

  func endTurn() {
    turn.take()?.end()
  }

  /// Keeps a subscription to another job until the image is made.
  private func keep<Other>(_ place: Subscription<Other>) {
    leave.append { place.leave() }
    sources.append { await place.job.waitUntilStored() }
    job.onWake { [weak place] in place?.lookAgain() }
  }

  /// Removes results of an original that is gone or must not be kept any longer, so that no later request
  /// uses them.
  private func forgetResults(known: CachedResult?) async {
    let policy = plan.request.cachePolicy
    guard policy.writesCaches, known != nil || !policy.readsCaches else { return }
    plan.memory?.remove(plan.request.key)
    if let disk = plan.disk, let key = plan.resultKey { await context.removeRecord(key, from: disk) }
  }

  /// Publishes a stale image. Subscribers that accept it may leave; the job continues for the next request.
  private func publishStale(_ known: ImageResult) {
    staysOpen()
    hasPublishedStale = true
    let known = timed(known).changed { $0.provenance.isStale = true }
    // The following steps may need the memory.
    reservations = []
    job.publish(interim: known)
  }

  /// Adds a separate subscription that keeps the job running after all others have left.
  private func staysOpen() {
    var demand = JobRequirements()
    demand.tiers = []
    if !hasPublishedStale, let place = job.join(SubscriptionOptions(demand, priority: .veryLow)) {
      leave.append { place.leave() }
    }
  }

  // MARK: Existing results

  /// Returns the result in memory or on disk, regardless of its age.
  private func findResult() async -> ImageResult? {
    let request = plan.request
    guard request.cachePolicy.readsCaches else { return nil }
    // Another job may have ended between the caller's lookup and this one.
    if request.readTiers.contains(.memory), let found = findInMemory() { return found }
    guard request.readTiers.contains(.disk), let disk = plan.disk, let key = plan.resultKey,
      let (record, isPurged, reservation) = await context.readRecord(
        key, from: disk, plan, log, for: job.priority)
    else { return nil }
    defer { reservation?.release() }
    let judged = context.judged(record.metadata, isPurged: isPurged, for: request)
    let held = reservation.flatMap { WorkQueue.HeldBytes($0.bytes, of: $0) }
    guard let image = await decodeResult(record, key, held: held) else { return nil }
    context.counters.count { $0.diskHits += 1 }
    let found = ImageResult(
      .init(
        image: image, source: .disk, provenance: judged.provenance, byteCount: record.data.count,
        record: record, isFresh: judged.isFresh, isGoodEnough: judged.isGoodEnough, isFound: true, log: log))
    if judged.isGoodEnough { keepInMemory(found) }
    return found
  }

  private func findInMemory() -> ImageResult? {
    guard let memory = plan.memory else { return nil }
    let request = plan.request
    func found(_ cached: CachedImage, isFresh: Bool, isGoodEnough: Bool) -> ImageResult {
      var provenance = cached.provenance
      provenance.isStale = !isFresh
      return ImageResult(
        .init(
          image: cached.image, animation: cached.animation, source: .memory, provenance: provenance,
          isFresh: isFresh, isGoodEnough: isGoodEnough, isFound: true))
    }
    let now = context.configuration.now
    if let cached = memory.value(for: request.key, allowingStale: request.trustsAge, now: now()) {
      let isFresh =
        !request.hasCacheDirectives && (!request.trustsAge || memory.contains(request.key, now: now()))
      return found(cached, isFresh: isFresh, isGoodEnough: isFresh || request.trustsAge)
    }
    return memory.value(for: request.key, allowingStale: true, now: now()).map {
      found($0, isFresh: false, isGoodEnough: false)
    }
  }

  private func decodeResult(
    _ record: CacheRecord, _ key: CacheKey, held: WorkQueue.HeldBytes?
  ) async -> Image? {
    let plan = plan
    do {
      let options = DecodeOptions(limits: plan.limits, damage: .strict, colors: .asStored)
      let info = try await context.probing(record.data, by: plan.coders) {
        try plan.coders.probe(record.data, limits: plan.limits)
      }
      return try await decoding(options, info, held: held) {
        let stored = try plan.coders.decode(record.data, options: options)
        let info = ImageInfo(stored: record.metadata) ?? stored.info
        return Image(
          bitmap: stored.bitmap, info: info,
          orientation: plan.request.decoding.appliesOrientation ? .topLeft : info?.orientation ?? .topLeft)
      }
    } catch is CancellationError {
      return nil
    } catch ImagingError.cancelled {
      return nil
    } catch is PipelineError {
      return nil
    } catch ImagingError.limitExceeded {
      // The limits of a request say nothing about the record.
      return nil
    } catch {
      // The record may be of another version. It is made again.
      await context.removeRecord(key, from: plan.disk)
      return nil
    }
  }

  // MARK: New results

  /// Returns the result of the original, or the existing one if the original is unchanged.
  private func makeResult(policy: ImageRequest.CachePolicy, known: CachedResult?) async throws -> ImageResult
  {
    // Memory that other jobs need must not be held while another party is asked.
    reservations = []
    guard let (prefix, last) = plan.request.lastStep else {
      return try await makeFromOriginal(policy: policy, known: known)
    }
    // If the original is unchanged, the existing result is still valid.
    if let known, known.version != nil {
      let loaded = try await original(policy: policy, isDecoded: false) { loaded in
        known.version == loaded.provenance.version ? await again(known) : nil
      }
      if let made = await confirmed(known, by: loaded) { return made }
    }
    return try await makeFromPrefix(prefix, last, policy: policy)
  }

  /// Applies the last step to the result of the job that performs the preceding steps.
  private func makeFromPrefix(
    _ prefix: ImageRequest, _ last: TransformChain, policy: ImageRequest.CachePolicy
  ) async throws -> ImageResult {
    var prefix = prefix
    if policy != prefix.cachePolicy { prefix.cachePolicy = policy }
    // No caller has requested that image: it is stored in no cache, unless a caller requests it meanwhile.
    let want = SubscriptionOptions(of: job) { demand in
      demand.tiers.formIntersection(.originals)
      demand.isTransformed = true
    }
    let place = try context.subscribe(to: prefix, want: want, turn: turn.take())
    keep(place)
    func step(_ made: ImageResult) async throws -> ImageResult {
      let input = made.image
      var output = input
      if !(input.info?.frameCount ?? 1 > 1 && plan.request.decoding.animationTransforms == .none) {
        context.counters.count { $0.transforms += 1 }
        output = try await transformed(input, by: last)
      }
      // The size may differ from the decoded one; usually, it is the same.
      reservations += place.job.reservations
      log.add(made.log)
      return ImageResult(
        .init(
          image: output, source: made.source, provenance: made.provenance, byteCount: made.byteCount, log: log
        ))
    }
    while true {
      switch try await place.next([.previews, .interim]) {
      case .started, .arrived: continue
      case .preview(let preview):
        if let shown = try? await transformed(preview, by: last) { job.publish(preview: shown) }
      case .interim(let made):
        if !hasPublishedStale { publishStale(try await step(made)) }
      case .ended(let made):
        return try await step(made)
      }
    }
  }

  private func transformed(_ input: Image, by chain: TransformChain) async throws -> Image {
    let claim = WorkQueue.Claim(
      flow: QueueFlow(partition: plan.request.partition), cost: Int64(input.bitmap.byteCount))
    return try await context.stage(.transform, plan, log) {
      try await context.transforms.run(priority: job.priority, claim) {
        try await context.workers.run { try input.transformed(by: chain) }
      }
    }
  }

  private func makeFromOriginal(policy: ImageRequest.CachePolicy, known: CachedResult?) async throws
    -> ImageResult
  {
    var policy = policy
    var known = known
    while true {
      let loaded = try await original(policy: policy, isDecoded: true) { loaded in
        if let known, known.version == loaded.provenance.version { return await again(known) }
        let made = try await decode(loaded)
        known = CachedResult(made)
        return made
      }
      if let known, let made = await confirmed(known, by: loaded) { return made }
      do {
        let made = try await decode(loaded)
        let isFlawed = made.image.isPartial || made.image.isDamaged
        if isFlawed { await reject(loaded, because: nil) }
        // A damaged original in the cache says nothing about the bytes that the loader would deliver.
        guard isFlawed, loaded.source == .diskOriginal, policy.asksAgain else { return made }
      } catch let error as ImagingError where error.blamesInput {
        await reject(loaded, because: error)
        guard loaded.source == .diskOriginal, policy.asksAgain else { throw error }
      }
      policy = .reload
      if hasSlot { slot.giveUp() }
      reservations = []
    }
  }

  /// Returns a result that was found before: one on disk is read again rather than held during a request to
  /// the server.
  private func again(_ known: CachedResult) async -> ImageResult? {
    if let made = known.made { return made }
    return await findResult().flatMap { $0.provenance.version == known.version ? $0 : nil }
  }

  /// Returns the known result, if the original is still the one that it was made from.
  private func confirmed(_ known: CachedResult, by loaded: OriginalData) async -> ImageResult? {
    guard let version = known.version, version == loaded.provenance.version, let found = await again(known),
      !found.image.isPartial, !found.image.isDamaged
    else { return nil }
    log.add(loaded.log)
    return found.changed { made in
      made.provenance = loaded.provenance
      made.provenance.tags = found.provenance.tags.merging(loaded.provenance.tags)
      made.isConfirmed = hasPublishedStale && !loaded.provenance.isStale
      made.log = log
    }
  }

  // MARK: Originals

  /// Waits for the original. Its subscription is kept until the image is made, so that requests for other
  /// sizes can join meanwhile.
  ///
  /// - Parameters:
  ///   - isDecoded: Whether to decode the bytes while they arrive.
  ///   - stale: Makes the image of a stale original.
  private func original(
    policy: ImageRequest.CachePolicy, isDecoded: Bool, stale: (OriginalData) async throws -> ImageResult?
  ) async throws -> OriginalData {
    var attempts = 0
    while true {
      let place = try subscribeToOriginal(policy: policy)
      keep(place)
      do {
        return try await original(from: place, isDecoded: isDecoded, stale: stale)
      } catch let error as LoadingError {
        // Keys may leave out parts of the URL, such as a signature: a failure of another URL says nothing
        // about this one.
        attempts += 1
        guard place.job.leader != plan.request.source, attempts < 3, !Task.isCancelled else { throw error }
        // The next bytes may be those of another image: a decoder must not continue with them.
        if hasSlot { slot.giveUp() }
      }
    }
  }

  private func subscribeToOriginal(
    policy: ImageRequest.CachePolicy
  ) throws -> Subscription<OriginalData> {
    if let included = included.take() {
      if policy == plan.request.cachePolicy {
        endTurn()
        return included
      }
      included.leave()
    }
    return try context.subscribe(
      toOriginalOf: plan, policy: policy, want: SubscriptionOptions(of: job), turn: turn.take())
  }

  private func original(
    from place: Subscription<OriginalData>, isDecoded: Bool,
    stale: (OriginalData) async throws -> ImageResult?
  ) async throws -> OriginalData {
    while true {
      let signal: JobEvent<OriginalData>
      if hasSlot, let delay = slot.postponed {
        signal = try await next(of: place, repeatingAfter: delay)
      } else {
        signal = try await place.next([.progress, .interim])
      }
      switch signal {
      case .started, .preview: continue
      case .arrived(let arrival):
        if isDecoded { await decodeArrived(arrival, isShared: place.job.subscriberCount > 1) }
      case .interim(let loaded):
        guard !hasPublishedStale, let made = try? await stale(loaded) else { continue }
        publishStale(made)
      case .ended(let loaded): return loaded
      }
    }
  }

  /// Returns the next event, or, if none comes for a while, the progress of the transfer again.
  private func next(
    of place: Subscription<OriginalData>, repeatingAfter delay: Duration
  ) async throws -> JobEvent<OriginalData> {
    let clock = context.configuration.clock
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await clock.sleep(for: delay, tolerance: nil)
        place.lookAgain()
      }
      defer { group.cancelAll() }
      return try await place.next([.progress, .interim])
    }
  }

  /// Removes bytes that are not a whole image from the caches, and informs the loader about the bytes it
  /// has delivered.
  private func reject(_ loaded: OriginalData, because error: ImagingError?) async {
    loaded.reject()
    // If the request has its own coders or format, the request may be at fault.
    guard plan.judgesForAll else { return }
    if let error, loaded.source == .loader {
      plan.loader.reject(plan.loadRequest, code: error.code, message: error.description)
    }
    if plan.request.cachePolicy.writesCaches {
      await context.removeRecord(plan.request.sourceKey, from: plan.originals)
    }
  }
}

/// A result that may still be valid. A result that is in no disk cache is held.
private struct CachedResult {
  let version: Checksum?
  let made: ImageResult?

  init(_ made: ImageResult) {
    version = made.provenance.version
    self.made = made.source == .disk ? nil : made
  }
}

extension ImageRequest.CachePolicy {
  /// Whether the loader may be asked when a cached entry turns out to be useless.
  fileprivate var asksAgain: Bool {
    self == .http || self == .ignoreHTTPFreshness || self == .staleWhileRevalidate
  }
}

extension ImageRequest {
  /// The last step, and the request for the image before it; `nil` when everything is done during decoding.
  ///
  /// Neighbouring colour steps count as one: they share a pass over the pixels.
  fileprivate var lastStep: (before: ImageRequest, last: TransformChain)? {
    guard frames == .first, let (before, last) = chain.split(shrinksFirst: identity.decoding.thumbnail == nil)
    else { return nil }
    var request = self
    request.transforms = .chain(before)
    return (request, last)
  }
}
