import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// Turns originals into pixels: at once, or while they arrive.
extension ImagePipeline {
  /// Runs `body` on a decoding thread when there is one, and room for the pixels.
  nonisolated func decoding<Result: Sendable>(
    _ run: ImageRun, bytes: Int, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    let plan = run.plan
    let allowance = try await stage(.wait, plan, run.log) {
      try await decodes.enter(priority: run.job.priority, bytes: bytes, continues: bytes == 0)
    }
    defer { decodes.leave() }
    let result = try await stage(.decode, plan, run.log) { try await workers.run(body) }
    // The pixels count as long as the job has them.
    run.allowances.append(allowance)
    return result
  }

  /// The image of an original, by what has been decoded of it already if there is something.
  nonisolated func decode(_ loaded: LoadedSource, _ run: ImageRun) async throws -> MadeImage {
    let plan = run.plan
    let options = plan.decodeOptions
    let data = loaded.data
    run.log.add(loaded.log)
    let image: Image
    var animation: AnimatedImage?
    if let decoder = run.decoder, loaded.source == .loader {
      run.decoder = nil
      counters.count { $0.decodes += 1 }
      // Given back with the decoder if that fails.
      let allowance = run.takeDecoderAllowance()
      image = try await decoding(run, bytes: 0) { try decoder.finish(data) }
      if let allowance { run.allowances.append(allowance) }
    } else {
      image = try await decodeTogether(loaded, run)
    }
    if plan.request.frames == .all {
      animation = try await decoding(run, bytes: 0) {
        try AnimatedImage(data: data, coders: plan.coders, options: options)
      }
      if animation?.frameCount == 1 { animation = nil }
    }
    return MadeImage(
      image: image, animation: animation, source: loaded.source, provenance: loaded.provenance,
      byteCount: data.count, log: run.log)
  }

  /// Decodes an original as a whole, together with the other sizes that are wanted of it now.
  private nonisolated func decodeTogether(_ loaded: LoadedSource, _ run: ImageRun) async throws -> Image {
    let (plan, orders) = (run.plan, loaded.orders)
    let options = plan.decodeOptions
    let data = loaded.data
    let info =
      if let info = loaded.info { info } else {
        try await workers.run {
          try plan.coders.probe(data, limits: plan.limits, formatHint: options.formatHint)
        }
      }
    let group = try plan.coders.decodeGroup(of: loaded.data, info: info, options: options)
    let byteCount = byteCount(info, run)
    while true {
      let order = DecodeOrder(options, group: group, byteCount: byteCount)
      orders.add(order)
      defer { orders.remove(order) }
      let allowance = try await stage(.wait, plan, run.log) {
        try await decodes.enter(priority: run.job.priority, bytes: byteCount, ticket: order.ticket)
      }
      if let allowance {
        defer { decodes.leave() }
        let taken = orders.take(order, from: decodes)
        if !taken.isEmpty {
          let image = try await decode(taken, of: loaded, run)
          // The pixels count as long as the job has them.
          run.allowances.append(allowance)
          return image
        }
      }
      // Somebody else is at it.
      switch try await stage(.wait, plan, run.log, { try await order.outcome() }) {
      case .image(let image):
        if let allowance = order.allowance { run.allowances.append(allowance) }
        return image
      case .retry: continue
      }
    }
  }

  /// Decodes an original for those who wait for it, the first of whom is the caller.
  private nonisolated func decode(
    _ orders: [DecodeOrder], of loaded: LoadedSource, _ run: ImageRun
  ) async throws -> Image {
    let (plan, data, others) = (run.plan, loaded.data, orders.dropFirst())
    counters.count { $0.decodes += 1 }
    do {
      let images = try await stage(.decode, plan, run.log) {
        try await workers.run {
          try plan.coders.decode(data, thumbnails: orders.map(\.thumbnail), options: orders[0].options)
        }
      }
      for (order, image) in zip(orders, images).dropFirst() { order.fulfil(.image(image)) }
      return images[0]
    } catch let error as ImagingError where error != .cancelled && orders.count > 1 {
      // It may be the fault of one of them: each for itself.
      for order in others { order.fulfil(.retry) }
      return try await decode([orders[0]], of: loaded, run)
    } catch {
      for order in others { order.fulfil(.retry) }
      throw error
    }
  }

  /// Decodes what has arrived, if it is worth while, and shows what can be seen of it.
  nonisolated func decodeArrived(_ arrival: Arrival, _ run: ImageRun) async {
    guard let bytes = arrival.bytes, !bytes.isSpooled else { return giveUpDecoding(run) }
    let previews = run.job.demand.previews
    if run.decoder == nil {
      // Whole bodies are decoded with less effort, and several sizes at a time.
      guard !run.hasGivenUpDecoding,
        !previews.isEmpty || elapsed() - arrival.start >= ArrivalDecoder.patience,
        arrival.progress.received != arrival.progress.expected
      else { return }
      run.decoder = ArrivalDecoder(
        run.plan.coders.makeIncrementalDecoder(options: run.plan.decodeOptions), start: arrival.start)
    }
    guard let decoder = run.decoder, decoder.isWorthWhile(arrival.progress) else { return }
    let elapsed = elapsed
    do {
      let preview = try await decodes.run(priority: run.job.priority, continues: true) {
        try await workers.run {
          try decoder.advance(bytes, arrival.progress, previews: previews, now: elapsed)
        }
      }
      if let info = decoder.info, run.decoderAllowance == nil {
        guard let allowance = decodes.takeIfThereIsRoom(bytes: byteCount(info, run)) else {
          return giveUpDecoding(run)
        }
        run.decoderAllowance = allowance
      }
      if let preview { run.job.publish(preview: preview) }
    } catch {
      // The whole body has the last word.
      giveUpDecoding(run)
    }
  }

  /// Bytes of pixels that a decode will take, and the next step if there is one: that does not wait for room again, or all
  /// could wait for each other.
  private nonisolated func byteCount(_ info: ImageInfo, _ run: ImageRun) -> Int {
    let count = run.plan.decodeOptions.outputByteCount(for: info)
    let (sum, overflow) = count.addingReportingOverflow(run.job.demand.isTransformed ? count : 0)
    return overflow ? .max : sum
  }

  private nonisolated func giveUpDecoding(_ run: ImageRun) {
    run.decoder = nil
    run.decoderAllowance = nil
    run.hasGivenUpDecoding = true
  }
}
