import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import Crypto
import FoundationEssentials

/// Makes results of the bytes of sources: header, plan, admission, and then pixels on the workers of the pipeline.
struct Renderer: Sendable {
  let pipeline: ImagePipeline
  let admission: Admission
  let metrics: ServerMetrics
  /// The pixels of the watermark of the server.
  let watermark: Bitmap?
  let spans: StageSpans

  /// Returns the result of an order.
  ///
  /// - Parameters:
  ///   - deadline: The time of ``Admission/now`` at which nobody waits any more.
  /// - Throws: The errors that ``Failure/init(_:)`` knows.
  func result(of source: SourceBytes, for order: ImageOrder, deadline: Duration) async throws -> StoredResult
  {
    let info = try header(of: source.data, order)
    let accept = PlanRequest(
      order.options, of: info, accept: order.accept, hints: order.hints, byteCount: source.data.count)
    switch try order.rules.planner.plan(accept) {
    case .passThrough(let plan): return try passedThrough(source, plan, info, order)
    case .render(let plan):
      let rendering = try plan.rendering(of: info, watermark: watermark)
      let job = AdmissionJob(
        cost: AdmissionCost(milliseconds: plan.cost.milliseconds, byteCount: plan.cost.byteCount),
        source: order.source.share, deadline: deadline, heldByteCount: source.data.count,
        formats: CostPair(info.format.rawValue, to: plan.encode.format.rawValue))
      let ticket = try await spans.within(.admission) { try await admission.admit(job) }
      defer { ticket.finish() }
      metrics.observe(.queue, ticket.wait)
      let start = ContinuousClock.now
      var pixels = try await encoded(source, plan, rendering, accept, order)
      let duration = ContinuousClock.now - start
      ticket.finish(actual: duration)
      metrics.observe(.processing, duration)
      pixels.timings.durations[.queue] = ticket.wait
      return stored(pixels, source, info, plan, rendering, order)
    }
  }

  /// An image in its final form.
  private struct Pixels {
    var data: Data
    var size: PixelSize
    var timings = ServerTiming()
  }

  /// Returns the header of a source.
  private func header(of data: Data, _ order: ImageOrder) throws -> ImageInfo {
    var limits = pipeline.configuration.decodeLimits
    // The planner compares the source with the limits of the server, or of the URL.
    limits.maxPixels = max(limits.maxPixels, order.rules.planner.policy.limits.sourcePixels)
    return try pipeline.configuration.coders.probe(data, limits: limits)
  }

  private func encoded(
    _ source: SourceBytes, _ plan: RenderPlan, _ rendering: Rendering, _ facts: PlanRequest,
    _ order: ImageOrder
  ) async throws -> Pixels {
    let id = order.identity.text + " " + source.version
    var request = ImageRequest(
      source: .data(source.data, id: id), decoding: rendering.decode, cachePolicy: .loaderOnly)
    request.limits = rendering.decode.limits
    if plan.decode.frames != nil {
      request.frames = .all
      let image = try await pipeline.encoded(request, as: rendering.encode)
      return Pixels(data: image.data, size: PixelSize(width: image.width, height: image.height))
    }
    let response = try await pipeline.response(for: request)
    var image = response.image
    var timings = ServerTiming([.decode: response.timings[.decode]])
    var (plan, trims) = (plan, [PixelSize]())
    let start = ContinuousClock.now
    // Each trim decides on the size of the picture that the rest of the plan begins with.
    while let position = plan.pendingTrim {
      trims.append(image.bitmap.size)
      guard case .render(let next) = try order.rules.planner.plan(facts, trimmedTo: trims) else { break }
      let rest = try next.transforms(from: position + 1, watermark: watermark)
      image = try await spans.within(.transform) { [image] in
        try await pipeline.transform(image, by: rest)
      }
      plan = next
    }
    let transformed = ContinuousClock.now
    timings.durations[.transform] = response.timings[.transform] + (transformed - start)
    let data = try await spans.within(.encode) { [image] in
      try await pipeline.encode(image, as: rendering.encode)
    }
    timings.durations[.encode] = ContinuousClock.now - transformed
    metrics.count(.encodes)
    return Pixels(data: data, size: image.bitmap.size, timings: timings)
  }

  private func stored(
    _ pixels: Pixels, _ source: SourceBytes, _ info: ImageInfo, _ plan: RenderPlan, _ rendering: Rendering,
    _ order: ImageOrder
  ) -> StoredResult {
    let format = plan.encode.format
    let notices =
      plan.notices.map(\.rawValue).sorted()
      + rendering.approximations.map { "approximate-\($0.rawValue)" }.sorted()
    return StoredResult(
      data: pixels.data, contentType: format.mediaType, fileExtension: "." + format.name,
      entityTag: Self.tag(of: pixels.data, order.rules), width: pixels.size.width, height: pixels.size.height,
      source: facts(of: source, info), freshUntil: source.freshUntil, isStorable: source.isStorable,
      varyingHeaders: plan.varyingHeaders, notices: notices, tags: order.options.cacheTags,
      timings: pixels.timings)
  }

  /// Returns the bytes of a source as a result.
  private func passedThrough(
    _ source: SourceBytes, _ plan: PassThroughPlan, _ info: ImageInfo, _ order: ImageOrder
  ) throws -> StoredResult {
    if plan.reason == .drawing, order.rules.settings.limits.sanitizesSVG {
      throw Failure(
        .unsupportedSource,
        detail: "SVG cannot be cleaned of scripts; request another format, or set SANITIZE_SVG to false")
    }
    return StoredResult(
      data: source.data, contentType: info.format.mimeType ?? "application/octet-stream",
      fileExtension: plan.format.map { "." + $0.name } ?? "",
      entityTag: Self.tag(of: source.data, order.rules),
      width: info.size.width, height: info.size.height, source: facts(of: source, info),
      freshUntil: source.freshUntil, isStorable: source.isStorable, varyingHeaders: [], notices: [],
      tags: order.options.cacheTags)
  }

  private func facts(of source: SourceBytes, _ info: ImageInfo) -> StoredResult.SourceFacts {
    let size = info.orientation.apply(to: info.size)
    return StoredResult.SourceFacts(
      version: source.version, byteCount: source.data.count, width: size.width, height: size.height,
      cacheControl: source.fields[.cacheControl], expires: source.fields[.expires],
      entityTag: source.fields[.eTag], lastModified: source.fields[.lastModified],
      modified: source.modified)
  }

  /// Returns the tag of bytes: 128 bits of a digest, with the text that invalidates earlier tags.
  private static func tag(of data: Data, _ rules: ServingRules) -> EntityTag? {
    var hash = SHA256()
    hash.update(data: Array(rules.settings.httpCache.etagBuster.utf8))
    hash.update(data: data)
    let text = Data(hash.finalize().prefix(16)).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return EntityTag("\"\(text)\"")
  }
}
