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
    let info = try await header(of: source.data, order)
    let facts = PlanRequest(
      order.options, of: info, accept: order.accept, hints: order.hints, byteCount: source.data.count)
    switch try order.rules.planner.plan(facts) {
    case .passThrough(let plan): return try passedThrough(source, plan, info, order)
    case .render(let plan):
      let work = PixelWork(
        data: source.data, request: facts, plan: plan, planner: order.rules.planner,
        coders: pipeline.configuration.coders, watermark: watermark, spans: spans)
      let job = AdmissionJob(
        cost: AdmissionCost(milliseconds: plan.cost.milliseconds, byteCount: plan.cost.byteCount),
        source: order.source.share, deadline: deadline, heldByteCount: source.data.count,
        formats: CostPair(info.format.rawValue, to: plan.encode.format.rawValue))
      let ticket = try await spans.within(.admission) { try await admission.admit(job) }
      defer { ticket.finish() }
      metrics.observe(.queue, ticket.wait)
      let start = ContinuousClock.now
      var (made, time) = try await pipeline.compute { try WorkTime.measure { try work.outcome() } }
      ticket.finish(actual: time)
      metrics.observe(.processing, ContinuousClock.now - start)
      metrics.count(.decodes)
      metrics.count(.encodes)
      made.timings.durations[.queue] = ticket.wait
      return stored(made, source, info, order)
    }
  }

  /// Returns the header of a source. Another process may read it, which a thread of the pipeline waits for.
  private func header(of data: Data, _ order: ImageOrder) async throws -> ImageInfo {
    var limits = pipeline.configuration.decodeLimits
    // The planner compares the source with the limits of the server, or of the URL.
    limits.maxPixels = max(limits.maxPixels, order.rules.planner.policy.limits.sourcePixels)
    limits.maxBytes = max(limits.maxBytes, data.count)
    return try await pipeline.compute(priority: .high) { [limits, coders = pipeline.configuration.coders] in
      try coders.probe(data, limits: limits)
    }
  }

  private func stored(
    _ made: PixelWork.Outcome, _ source: SourceBytes, _ info: ImageInfo, _ order: ImageOrder
  ) -> StoredResult {
    let format = made.plan.encode.format
    let notices =
      made.plan.notices.map(\.rawValue).sorted()
      + made.approximations.map { "approximate-\($0.rawValue)" }.sorted()
    return StoredResult(
      data: made.data, contentType: format.mediaType, fileExtension: "." + format.name,
      entityTag: Self.tag(of: made.data), width: made.size.width, height: made.size.height,
      source: facts(of: source, info, order), freshUntil: source.freshUntil, isStorable: source.isStorable,
      varyingHeaders: made.plan.varyingHeaders, notices: notices, tags: order.options.cacheTags,
      timings: made.timings)
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
      entityTag: Self.tag(of: source.data),
      width: info.size.width, height: info.size.height, source: facts(of: source, info, order),
      freshUntil: source.freshUntil, isStorable: source.isStorable, varyingHeaders: [], notices: [],
      tags: order.options.cacheTags)
  }

  private func facts(
    of source: SourceBytes, _ info: ImageInfo, _ order: ImageOrder
  ) -> StoredResult.SourceFacts {
    let size = info.orientation.apply(to: info.size)
    var facts = StoredResult.SourceFacts(
      version: source.version, byteCount: source.data.count, width: size.width, height: size.height)
    facts.describe(source.fields, modified: source.modified, order.rules.settings)
    return facts
  }

  /// Returns the tag of bytes: 128 bits of a digest.
  static func tag(of data: Data) -> EntityTag? {
    let text = Data(SHA256.hash(data: data).prefix(16)).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return EntityTag("\"\(text)\"")
  }
}
