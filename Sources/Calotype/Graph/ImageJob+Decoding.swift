import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Decodes originals: at once, or while they arrive.
extension ImageJob {
  /// The limit for work that is done in place: handing it to another thread would take longer.
  private static let smallWork = Duration.microseconds(100)

  /// Returns the claim of a decode on the queue.
  private func claim(
    _ options: DecodeOptions, _ info: ImageInfo, held: WorkQueue.HeldBytes?
  ) -> WorkQueue.Claim {
    let cost = max(1_000, options.predictedDuration(for: info).nanosecondCount)
    let bytes = options.workingByteCount(for: info)
    // Reserved now, because jobs that wait again for their next step could deadlock.
    let next = job.demand.isTransformed ? options.outputByteCount(for: info) : 0
    let (sum, overflow) = bytes.addingReportingOverflow(next)
    return WorkQueue.Claim(
      flow: QueueFlow(partition: plan.request.partition), cost: cost, bytes: overflow ? .max : sum,
      held: held)
  }

  /// Runs `body` on a decoding thread when one is free and its pixels fit in memory.
  func decoding<Result: Sendable>(
    _ options: DecodeOptions, _ info: ImageInfo, held: WorkQueue.HeldBytes?,
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    let claim = claim(options, info, held: held)
    let turn = try await wait(claim, ticket: nil)
    guard let turn else { throw CancellationError() }
    defer { turn.end() }
    let result = try await context.stage(.decode, plan, log) {
      try await compute(claim.cost, body)
    }
    hold(turn, options, info)
    return result
  }

  /// Waits for a turn with memory for the pixels; returns `nil` if the ticket was withdrawn before.
  ///
  /// - Throws: ``PipelineError/exceedsMemory(_:bytes:limit:)``; `CancellationError`.
  private func wait(_ claim: WorkQueue.Claim, ticket: WorkQueue.Ticket?) async throws -> WorkQueue.Turn? {
    do {
      return try await context.stage(.wait, plan, log) {
        try await context.decodes.enter(priority: job.priority, claim, ticket: ticket)
      }
    } catch let refusal as MemoryRefusal {
      throw PipelineError.exceedsMemory(
        plan.request.source.description, bytes: refusal.bytes, limit: refusal.limit)
    } catch let shortage as MemoryDeadlock {
      throw PipelineError.overloaded(
        plan.request.source.description, waiting: shortage.waiting, retryAfter: context.decodes.predictedWait)
    }
  }

  /// Keeps the pixels reserved as long as jobs have them, and releases the remaining memory of the decode.
  private func hold(_ turn: WorkQueue.Turn, _ options: DecodeOptions, _ info: ImageInfo) {
    guard let reservation = turn.reservation else { return }
    let output = options.outputByteCount(for: info)
    reservation.shrink(to: job.demand.isTransformed ? output * 2 : output)
    reservations.append(reservation)
  }

  /// Runs work of a predicted cost in nanoseconds: on a worker thread, unless it is tiny.
  private func compute<Result: Sendable>(
    _ cost: Int64, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    if cost < Self.smallWork.nanosecondCount {
      try Task.checkCancellation()
      return try body()
    }
    return try await context.workers.run(body)
  }

  /// Returns the image of an original, continuing a decode in progress if there is one.
  func decode(_ loaded: OriginalData) async throws -> ImageResult {
    let plan = plan
    let options = plan.decodeOptions
    let data = loaded.data
    log.add(loaded.log)
    var image: Image
    var animation: AnimatedImage?
    let sharing = try await sharing(of: loaded)
    if let sharing, let known = context.sharedImages.image(for: sharing) {
      // The same bytes from another URL.
      if hasSlot { slot.giveUp() }
      image = known
    } else if hasSlot, loaded.source == .loader, let (decoder, reservation) = slot.takeForGood() {
      context.counters.count { $0.decodes += 1 }
      // The reservation exists already; from now on it counts as decoded pixels.
      if let reservation {
        _ = reservation.move(to: .decoded)
        reservations.append(reservation)
      }
      // Without a turn: a job that holds memory must not wait behind jobs that wait for it. The threads are
      // bounded, too.
      image = try await context.stage(.decode, plan, log) {
        try await context.workers.run { try decoder.finish(data) }
      }
    } else {
      image = try await decodeTogether(loaded)
    }
    if let sharing, !image.isDamaged, !image.isPartial { context.sharedImages.add(image, for: sharing) }
    if plan.request.frames == .all {
      animation = try await context.stage(.decode, plan, log) {
        try await context.workers.run { try AnimatedImage(data: data, coders: plan.coders, options: options) }
      }
      if animation?.frameCount == 1 { animation = nil }
    }
    return ImageResult(
      .init(
        image: image, animation: animation, source: loaded.source,
        provenance: image.isDamaged
          ? loaded.provenance.limited(at: context.configuration.now()) : loaded.provenance,
        byteCount: data.count, log: log))
  }

  /// Returns the identity of the pixels, if images are kept that other URLs can share.
  private func sharing(of loaded: OriginalData) async throws -> SharedImages.Key? {
    // The pixels between two steps are reserved with the decode.
    guard context.sharesImages(of: plan), !job.demand.isTransformed else { return nil }
    let data = loaded.data
    let content =
      if let content = loaded.content { content as KeyedHash? } else {
        try await context.probing(data) { KeyedHash(of: data) }
      }
    guard let content else { return nil }
    let request = plan.request
    return SharedImages.Key(
      content: content, byteCount: data.count,
      form: RequestIdentity.form(of: request) + (request.limits == nil ? "" : "limits \(plan.limits)"),
      partition: request.partition)
  }

  /// Decodes a whole original, together with the other sizes that are wanted now.
  private func decodeTogether(_ loaded: OriginalData) async throws -> Image {
    let (plan, orders) = (plan, loaded.orders)
    let options = plan.decodeOptions
    let data = loaded.data
    let info =
      // That of the original describes its first page.
      if let info = loaded.info, options.page == 0 { info } else {
        try await context.probing(data, by: plan.coders) {
          try plan.coders.decodableInfo(
            of: data, limits: plan.limits, formatHint: options.formatHint, page: options.page)
        }
      }
    let group = try plan.coders.decodeGroup(of: loaded.data, info: info, options: options)
    let claim = claim(options, info, held: WorkQueue.HeldBytes(loaded.reservedBytes, of: loaded))
    while true {
      let order = DecodeRequest(options, group: group, byteCount: claim.bytes)
      orders.add(order)
      defer { orders.remove(order) }
      if let turn = try await wait(claim, ticket: order.ticket) {
        defer { turn.end() }
        let taken = orders.take(order, memory: context.memory)
        if !taken.isEmpty {
          let image = try await decode(taken, of: loaded, info, cost: claim.cost)
          hold(turn, options, info)
          return image
        }
      }
      // Another job is decoding it.
      switch try await context.stage(.wait, plan, log, { try await order.outcome() }) {
      case .image(let image):
        if let reservation = order.reservation { reservations.append(reservation) }
        return image
      case .retry: continue
      }
    }
  }

  /// Decodes an original for all requests that wait for it; the first of them is the caller's.
  private func decode(
    _ orders: [DecodeRequest], of loaded: OriginalData, _ info: ImageInfo, cost: Int64
  ) async throws -> Image {
    let (plan, data, others) = (plan, loaded.data, orders.dropFirst())
    context.counters.count { $0.decodes += 1 }
    do {
      let images = try await context.stage(.decode, plan, log) {
        try await compute(cost * Int64(orders.count)) {
          try plan.coders.decode(
            data, thumbnails: orders.map(\.thumbnail), info: info, options: orders[0].options)
        }
      }
      for (order, image) in zip(orders, images).dropFirst() { order.fulfil(.image(image)) }
      return images[0]
    } catch let error as ImagingError where error != .cancelled && orders.count > 1 {
      // One of the requests may be the cause: each is retried alone.
      for order in others { order.fulfil(.retry) }
      return try await decode([orders[0]], of: loaded, info, cost: cost)
    } catch {
      for order in others { order.fulfil(.retry) }
      throw error
    }
  }

  /// Decodes the bytes that have arrived, if worthwhile, and publishes previews.
  ///
  /// - Parameter isShared: Whether other jobs want other sizes of the same bytes.
  func decodeArrived(_ arrival: Arrival, isShared: Bool) async {
    guard let bytes = arrival.bytes, !bytes.isSpooled, plan.request.expectedDigest == nil else {
      if hasSlot { slot.giveUp() }
      return
    }
    let previews = job.demand.previews
    // One decode for all sizes takes less time than one for each.
    if isShared, previews.isEmpty {
      if hasSlot { slot.giveUp() }
      return
    }
    if !hasSlot || (slot.isEmpty && !slot.isGivenUp) {
      // Whole bodies are decoded with less effort.
      guard !previews.isEmpty || context.elapsed() - arrival.start >= StreamingDecoder.patience,
        arrival.progress.received != arrival.progress.expected
      else { return }
      hasSlot = true
      let decoder = StreamingDecoder(
        plan.coders.makeIncrementalDecoder(options: plan.decodeOptions), start: arrival.start)
      slot.fill(decoder) { [weak job] in job?.dropPreview() }
    }
    guard let decoder = slot.take() else { return }
    guard decoder.isWorthWhile(arrival.progress), await reserve(for: decoder, bytes, arrival.progress) else {
      return slot.putBack()
    }
    let elapsed = context.elapsed
    do {
      // In turns of its own, queued with all others, so that neither delays the other for long.
      let claim = WorkQueue.Claim(flow: QueueFlow(partition: plan.request.partition), cost: 2_000_000)
      let preview = try await context.decodes.run(priority: job.priority, claim) {
        try await context.workers.run {
          try decoder.advance(bytes, arrival.progress, previews: previews, now: elapsed)
        }
      }
      // A coder that needs all bytes at once gets them when they have arrived.
      if decoder.isCollecting { slot.giveUp() }
      slot.putBack()
      if let preview, !slot.isGivenUp { job.publish(preview: preview) }
    } catch {
      // The decode of the whole body decides.
      slot.giveUp()
      slot.putBack()
    }
  }

  /// Reserves the memory of a decoder in advance: its canvas, according to the header, and its copy of the
  /// bytes.
  ///
  /// - Returns: Whether the decoder may continue: not before the header has arrived, nor when memory is
  ///   short.
  private func reserve(for decoder: StreamingDecoder, _ bytes: StreamingBody, _ progress: LoadProgress) async
    -> Bool
  {
    let plan = plan
    if decoder.header == nil, decoder.mayHaveHeader(progress) {
      let start = bytes.bytes(from: 0)
      decoder.header = try? await context.probing(start, by: plan.coders) {
        try plan.coders.decodableInfo(
          of: start, limits: plan.limits, formatHint: plan.request.decoding.formatHint)
      }
    }
    guard let header = decoder.header else { return false }
    let canvas = plan.decodeOptions.fedByteCount(for: header)
    let (sum, overflow) = canvas.addingReportingOverflow(max(progress.expected ?? 0, progress.received))
    if slot.reserve(overflow ? .max : sum, of: context.memory) { return true }
    slot.giveUp()
    return false
  }
}
