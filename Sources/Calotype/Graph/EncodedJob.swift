import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Produces one encoded image: finds it, confirms it, or encodes the result of an ``ImageJob``.
struct EncodedJob: Sendable {
  let context: PipelineContext
  let job: Job<EncodedImage>
  let plan: ResolvedRequest
  let output: EncodedOutput
  let log = StageLog()
  /// The newest purge when the job began.
  let epoch: Int

  /// An encoded image that was found.
  private struct Found {
    let image: EncodedImage
    let isFresh: Bool
    /// Whether the request accepts it without revalidation.
    let isGoodEnough: Bool
    /// Whether it is only to be used until there is a new one.
    var isPurged = false
  }

  init(_ context: PipelineContext, _ job: Job<EncodedImage>, _ plan: ResolvedRequest, _ output: EncodedOutput)
  {
    (self.context, self.job, self.plan, self.output) = (context, job, plan, output)
    epoch = context.purges.withLock { $0.now }
  }

  /// - Parameter turn: A slot among the loads, if the job has one already.
  func run(turn: WorkQueue.Turn?) async {
    var turn = turn
    defer { turn?.end() }
    do {
      try plan.decodeOptions.check()
      job.publishStart()
      var policy = plan.request.cachePolicy
      let found = await find()
      var remaining: Subscription<EncodedImage>?
      defer { remaining?.leave() }
      if let found, found.isGoodEnough || found.isPurged || policy == .staleWhileRevalidate {
        if found.isFresh || (policy != .staleWhileRevalidate && !found.isPurged) || policy == .cacheOnly {
          return job.finish(.success(found.image))
        }
        context.counters.count { $0.staleHits += 1 }
        remaining = stays()
        job.publish(interim: found.image)
        policy = .http
      }
      var attempts = 0
      while true {
        var leader = plan.request.source as ImageSource?
        do {
          return try await makeTogether(policy: policy, found, turn: turn.take(), leader: &leader)
        } catch let error as LoadingError {
          // Keys may leave out parts of the URL, such as a signature: a failure of another URL says nothing about this one.
          attempts += 1
          guard leader != plan.request.source, attempts < 3, !Task.isCancelled else { throw error }
        }
      }
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
      if case .httpStatus(_, let status, _, _) = error as? LoadingError, status == 404 || status == 410 {
        await forget(output.candidates)
      }
    }
  }

  /// Adds a subscription that keeps the job running after all others have left with a stale image.
  private func stays() -> Subscription<EncodedImage>? {
    job.join(SubscriptionOptions(JobRequirements(), priority: .veryLow))
  }

  // MARK: Existing images

  private func find() async -> Found? {
    let request = plan.request
    guard request.cachePolicy.readsCaches else { return nil }
    let now = context.configuration.now
    if request.readTiers.contains(.memory), let image = plan.encodedInMemory(output, allowingStale: true) {
      let isFresh = !request.hasCacheDirectives && image.freshness(at: now()) != .zero
      return Found(
        image: image.found(in: .memory, isStale: !isFresh), isFresh: isFresh,
        isGoodEnough: isFresh || request.trustsAge)
    }
    guard request.readTiers.contains(.disk), let disk = plan.encodedDisk else { return nil }
    for options in output.candidates {
      guard let found = await read(options, from: disk), let choice = output.choice(for: found.image.content)
      else { continue }
      return choice.options == options ? found : await read(choice.options, from: disk)
    }
    return nil
  }

  private func read(_ options: EncodeOptions, from disk: any DataCaching) async -> Found? {
    let key = plan.request.encodedKey(as: options)
    guard
      let (record, isPurged, reservation) = await context.readRecord(
        key, from: disk, plan, log, for: job.priority)
    else { return nil }
    // The bytes are delivered, and belong to the callers from now on.
    defer { reservation?.release() }
    let judged = context.judged(record.metadata, isPurged: isPurged, for: plan.request)
    guard let image = EncodedImage(record, provenance: judged.provenance) else { return nil }
    context.counters.count { $0.diskHits += 1 }
    if judged.isGoodEnough { keepInMemory(image, options) }
    return Found(
      image: image, isFresh: judged.isFresh, isGoodEnough: judged.isGoodEnough, isPurged: judged.isPurged)
  }

  // MARK: New images

  /// Makes the image, or takes it from the node that makes it.
  private func makeTogether(
    policy: ImageRequest.CachePolicy, _ found: Found?, turn: WorkQueue.Turn?, leader: inout ImageSource?
  ) async throws {
    var turn = turn
    defer { turn?.end() }
    var lease: NodeLease?
    if context.configuration.nodes.flights != nil, let form = output.candidates.first {
      // Other loads may use the slot in the meantime.
      turn.take()?.end()
      let key = plan.request.encodedKey(as: form)
      switch await context.flight(for: key, plan, policy: policy, waits: found == nil) {
      case .lead(let given): lease = given
      case .busy:
        if let found { return job.finish(.success(found.image.found(in: found.image.source, isStale: true))) }
      case .failed(let error): throw error
      case .record(let record):
        let judged = context.judged(record.metadata, isPurged: false, for: plan.request)
        if judged.isGoodEnough, let image = EncodedImage(record, provenance: judged.provenance),
          let choice = output.choice(for: image.content)
        {
          keepInMemory(image, choice.options)
          return job.finish(.success(image))
        }
      case .stored:
        for wait in FlightOutcome.readPauses {
          try await context.configuration.clock.sleep(for: wait)
          if let found = await find(), found.isGoodEnough { return job.finish(.success(found.image)) }
        }
      }
    }
    do {
      let made = try await make(policy: policy, known: found?.image, turn: turn.take(), leader: &leader)
      guard let lease else { return }
      if made.isStorableOnDisk, !made.isStale {
        await lease.end(with: made.data, metadata(of: made), at: context.configuration.now())
      } else {
        await lease.lease.end(.isPrivate)
      }
    } catch {
      await lease?.end(with: error)
      throw error
    }
  }

  /// Confirms the known image, or encodes a new one; ends the job and stores the image.
  ///
  /// - Parameter leader: Becomes the source of the job whose error is thrown.
  /// - Returns: The image.
  private func make(
    policy: ImageRequest.CachePolicy, known: EncodedImage?, turn: WorkQueue.Turn?, leader: inout ImageSource?
  ) async throws -> EncodedImage {
    var turn = turn
    defer { turn?.end() }
    var original: OriginalData?
    var place: Subscription<OriginalData>?
    defer { place?.leave() }
    // Held until the image is made, so that it is made of the same bytes.
    if known?.provenance.version != nil || (policy != .cacheOnly && plan.mayPassThrough(output)) {
      let subscription = try context.subscribe(
        toOriginalOf: plan, policy: policy, want: SubscriptionOptions(of: job), turn: turn.take())
      place = subscription
      leader = subscription.job.leader
      let loaded = try await self.original(from: subscription, known: known)
      if let known, let version = known.provenance.version, version == loaded.provenance.version {
        let confirmed = known.confirmed(loaded.provenance).found(
          in: known.source, isStale: loaded.provenance.isStale)
        subscription.leave()
        await finish(confirmed, isNew: false, as: output.choice(for: known.content))
        await subscription.job.waitUntilStored()
        return confirmed
      }
      original = loaded
    }
    var request = plan.request
    if policy != request.cachePolicy { request.cachePolicy = policy }
    // No caller has requested the image itself: it is stored in no cache.
    let want = SubscriptionOptions(of: job) { $0.tiers.formIntersection(.originals) }
    let image = try context.subscribe(to: request, want: want, turn: turn.take())
    defer { image.leave() }
    leader = image.job.leader
    job.onWake { [weak image] in image?.lookAgain() }
    while true {
      switch try await image.next([.interim]) {
      case .started, .arrived, .preview: continue
      case .interim(let made):
        job.publish(interim: try await encode(made, original: nil).0)
      case .ended(let made):
        let (encoded, choice) = try await encode(made, original: original)
        // Their memory is not needed any more.
        image.leave()
        place?.leave()
        // An image of an earlier version may have had other traits, and another form.
        if known != nil || !plan.request.cachePolicy.readsCaches {
          await forget(output.candidates.filter { $0 != choice.options })
        }
        await finish(encoded, isNew: true, as: choice)
        await image.job.waitUntilStored()
        await place?.job.waitUntilStored()
        return encoded
      }
    }
  }

  private func original(
    from place: Subscription<OriginalData>, known: EncodedImage?
  ) async throws -> OriginalData {
    while true {
      switch try await place.next([.interim]) {
      case .started, .arrived, .preview: continue
      case .interim(let loaded):
        guard let known, known.provenance.version == loaded.provenance.version else { continue }
        job.publish(interim: known.found(in: known.source, isStale: true))
      case .ended(let loaded): return loaded
      }
    }
  }

  /// Encodes an image, or takes the bytes of its original if they hold just that.
  private func encode(
    _ made: ImageResult, original: OriginalData?
  ) async throws -> (EncodedImage, OutputNegotiation.Outcome) {
    let (plan, output, context) = (plan, output, context)
    let pixels = made.image.bitmap.size
    let cost = output.candidates.map { $0.predictedDuration(for: pixels).nanosecondCount }.max() ?? 0
    let claim = WorkQueue.Claim(flow: QueueFlow(partition: plan.request.partition), cost: cost)
    return try await context.stage(.encode, plan, log) {
      try await context.encodes.run(priority: job.priority, claim) {
        try await context.workers.run {
          let content = try OutputNegotiation.Content(of: made)
          guard let choice = output.choice(for: content) else {
            throw ImagingError.invalidParameter(name: "among", reason: "there is no format to choose from")
          }
          let options = choice.options
          let making = made.log.timings.making
          if let original, plan.passesThrough(original, of: made, as: options) {
            return (
              EncodedImage(
                original.data, format: options.format, size: pixels, content: content, cost: making, of: made),
              choice
            )
          }
          context.counters.count { $0.encodes += 1 }
          let start = ContinuousClock.now
          let data =
            if let animation = made.animation, options.holdsAnimations {
              try plan.coders.encode(animation, as: options)
            } else {
              try plan.coders.encode(made.image, as: options)
            }
          let cost = making + (ContinuousClock.now - start)
          let info = try? plan.coders.probe(data)
          // The outcome, where the format was left to the content.
          let format = options.format == .automatic ? info?.format ?? .automatic : options.format
          let size = info?.size ?? pixels
          return (
            EncodedImage(data, format: format, size: size, content: content, cost: cost, of: made), choice
          )
        }
      }
    }
  }

  /// Delivers an image and stores it.
  private func finish(_ image: EncodedImage, isNew: Bool, as choice: OutputNegotiation.Outcome?) async {
    guard let options = choice?.options else { return job.finish(.success(image)) }
    // Before the job ends: the next request finds the image there.
    keepInMemory(image, options)
    job.finish(.success(image))
    if image.isStorable {
      await keepOnDisk(image, options, isNew: isNew)
    } else if plan.request.cachePolicy.writesCaches {
      await context.removeRecord(plan.request.encodedKey(as: options), from: plan.encodedDisk)
    }
  }

  // MARK: Storing

  /// Removes encoded forms of the image from the caches.
  private func forget(_ forms: [EncodeOptions]) async {
    guard plan.request.cachePolicy.writesCaches else { return }
    for options in forms {
      let key = plan.request.encodedKey(as: options)
      plan.encodedMemory?.remove(plan.request.encodedMemoryKey(as: options))
      await context.removeRecord(key, from: plan.encodedDisk)
    }
  }

  private func keepInMemory(_ image: EncodedImage, _ options: EncodeOptions) {
    guard let memory = plan.encodedMemory, plan.request.cachePolicy.writesCaches else { return }
    let (key, memoryKey) = (plan.request.encodedKey(as: options), plan.request.encodedMemoryKey(as: options))
    let demand = job.demand
    let tags = image.provenance.tags.merging(demand.tags.sorted())
    let epoch = min(epoch, image.provenance.epoch ?? epoch)
    guard image.isStorable, demand.tiers.contains(.memory), context.isValid(key, tags: tags, since: epoch)
    else {
      if !image.isStorable { memory.remove(memoryKey) }
      return
    }
    let freshness = image.freshness(at: context.configuration.now())
    memory.store(
      image, for: memoryKey, cost: image.cost,
      timeToLive: image.isDamaged ? [freshness, memory.timeToLive].compactMap(\.self).min() : nil,
      freshFor: freshness, tags: tags.merging([plan.request.encodedTag]))
    // A purge may have taken place meanwhile.
    if !context.isValid(key, tags: tags, since: epoch) { memory.remove(memoryKey) }
  }

  /// Returns the metadata of an image on disk.
  private func metadata(of image: EncodedImage) -> RecordMetadata {
    let demand = job.demand
    let tags = image.provenance.tags.merging(demand.tags.sorted())
    var metadata = RecordMetadata(tags: tags.merging([plan.request.encodedTag]))
    image.store(in: &metadata)
    metadata.position = image.provenance.position
    metadata.setURL(image.provenance.url, for: plan.request)
    metadata.add(userInfo: demand.userInfo)
    return metadata
  }

  private func keepOnDisk(_ image: EncodedImage, _ options: EncodeOptions, isNew: Bool) async {
    let demand = job.demand
    guard image.isStorableOnDisk, !image.isStale, demand.tiers.contains(.disk),
      let disk = plan.encodedDisk?.writable
    else { return }
    // Confirmed without any freshness lifetime: the stored entry says the same.
    let now = context.configuration.now()
    if !isNew, image.provenance.freshUntil.map({ $0 <= now }) ?? true { return }
    let key = plan.request.encodedKey(as: options)
    let (plan, epoch) = (plan, min(epoch, image.provenance.epoch ?? epoch))
    do {
      _ = try await context.storing(
        image.data.count, isResult: true, plan, priority: LivePriority(.background)
      ) {
        let metadata = self.metadata(of: image)
        return try await context.store(
          image.data, metadata, for: key, in: disk, maxAge: plan.caches.maxAge.results, plan, log,
          since: epoch)
      }
    } catch {
      // The caller has the image; the cache remains without it, and without an older version.
      context.counters.count(cacheError: error)
      if isNew { await context.removeRecord(key, from: disk) }
    }
  }
}

extension EncodedImage {
  /// Describes the bytes that were made of an image.
  fileprivate init(
    _ data: Data, format: ImageFormat, size: PixelSize, content: OutputNegotiation.Content, cost: Duration,
    of made: ImageResult
  ) {
    var provenance = made.provenance
    provenance.cost = cost
    self.init(
      data, format: format, size: size, content: content, isDamaged: made.image.isDamaged,
      isStorable: made.isStorable, source: made.source, provenance: provenance)
  }

  /// Returns the image as it is delivered.
  ///
  /// - Parameters:
  ///   - request: The request of the caller.
  ///   - variesOnAccept: Whether the form depends on a header field.
  func delivered(to request: ImageRequest, variesOnAccept: Bool) -> EncodedImage {
    var delivered = self
    delivered.variesOnAccept = variesOnAccept
    delivered.isForOneUser = request.identifiesUser
    return delivered
  }
}

extension OutputNegotiation.Content {
  /// Returns the traits of an image.
  ///
  /// - Throws: `ImagingError.outOfMemory`, `ImagingError.cancelled`.
  fileprivate init(of made: ImageResult) throws(ImagingError) {
    self.init(
      hasAlpha: try made.image.bitmap.hasTransparency(), isAnimated: made.animation != nil,
      isDrawing: made.image.bitmap.hasFlatAreas)
  }
}

extension ResolvedRequest {
  /// Returns the encoded image in memory.
  func encodedInMemory(_ output: EncodedOutput, allowingStale: Bool) -> EncodedImage? {
    guard let memory = encodedMemory else { return nil }
    return request.encodedInMemory(output, memory, allowingStale: allowingStale)
  }

  /// Returns whether the bytes of the original may be what is asked for.
  func mayPassThrough(_ output: EncodedOutput) -> Bool {
    request.isPlain && request.isEncodable && request.decoding.page == 0 && request.coders == nil
      && request.decoding.extras.isEmpty
      && output.candidates.contains { $0.extras.isEmpty && $0.maxPixelSize == nil }
  }

  /// Returns whether the bytes of an original are the encoded form of its image, with nothing to change or leave out.
  ///
  /// - Parameters:
  ///   - original: The original.
  ///   - made: The image that was decoded from it.
  ///   - options: The requested form.
  func passesThrough(_ original: OriginalData, of made: ImageResult, as options: EncodeOptions) -> Bool {
    // The image may have been made of other bytes: it was in memory, or these turned out to be damaged.
    guard let version = original.provenance.version, version == made.provenance.version, !original.isRejected
    else { return false }
    let data = original.data
    guard mayPassThrough(.options(options)), let info = made.image.info, info.format == options.format,
      !info.isDamaged, !made.image.isPartial, info.colorProfile == nil,
      info.dynamicRange == .standard,
      info.orientation == .topLeft || !request.decoding.appliesOrientation,
      info.frameCount == 1 || request.frames == .all,
      options.maxFileSize.map({ data.count <= $0 }) ?? true
    else { return false }
    return BareImage.isBare(data, format: info.format)
  }
}

extension ImageRequest {
  /// Returns the encoded image in a memory cache. A choice by content is made by that of any candidate that is there.
  func encodedInMemory(
    _ output: EncodedOutput, _ memory: MemoryCache<EncodedImage>, allowingStale: Bool
  ) -> EncodedImage? {
    let key = key
    func value(_ hash: Int) -> EncodedImage? {
      memory.value(for: key.variant(hash), allowingStale: allowingStale)
    }
    switch output {
    case .options(let options): return value(options.hashValue)?.delivered(to: self, variesOnAccept: false)
    case .negotiated(let negotiation):
      let table = negotiation.table
      for index in table.hashes.indices {
        guard var image = value(table.hashes[index]), let choice = table.choice(for: image.content)
        else { continue }
        if table.hashes[choice.index] != table.hashes[index] {
          guard let chosen = value(table.hashes[choice.index]) else { return nil }
          image = chosen
        }
        return image.delivered(to: self, variesOnAccept: choice.variesOnAccept)
      }
      return nil
    }
  }
}
