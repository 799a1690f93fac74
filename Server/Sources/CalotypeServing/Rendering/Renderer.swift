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
  let spans: StageSpans

  /// Returns the result of an order.
  ///
  /// - Parameters:
  ///   - watermarks: Those that may be drawn.
  ///   - deadline: The time of ``Admission/now`` after which the result is of no use.
  /// - Throws: The errors that ``Failure/init(_:)`` knows.
  func result(
    of source: SourceBytes, for order: ImageOrder, watermarks: LoadedWatermarks, deadline: Duration
  ) async throws -> StoredResult {
    let info = try await pipeline.header(of: source.data, order.rules)
    let facts = PlanRequest(
      order.options, of: info, accept: order.accept, hints: order.hints, watermarks: watermarks.images,
      byteCount: source.data.count)
    switch try order.rules.planner.plan(facts) {
    case .passThrough(let plan): return try await passedThrough(source, plan, info, order)
    case .render(let plan):
      let work = PixelWork(
        data: source.data, request: facts, plan: plan, planner: order.rules.planner,
        coders: pipeline.configuration.coders, watermarks: watermarks, spans: spans)
      let job = AdmissionJob(
        cost: AdmissionCost(milliseconds: plan.cost.milliseconds, byteCount: plan.cost.byteCount),
        source: order.source.share, deadline: deadline,
        heldByteCount: source.data.count + watermarks.heldByteCount,
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
      return stored(made, source, info, order, makingTime: time)
    }
  }

  private func stored(
    _ made: PixelWork.Outcome, _ source: SourceBytes, _ info: ImageInfo, _ order: ImageOrder,
    makingTime: Duration
  ) -> StoredResult {
    // Of several formats the content has chosen one.
    let chosen = made.plan.encode.candidates.isEmpty ? nil : ImageFormat.sniff(made.data)
    let format = chosen.flatMap { RequestedFormat($0) } ?? made.plan.encode.format
    let notices =
      made.plan.notices.map(\.rawValue).sorted()
      + made.approximations.map { "approximate-\($0.rawValue)" }.sorted()
    return StoredResult(
      data: made.data, contentType: format.mediaType, fileExtension: "." + format.name,
      entityTag: Self.tag(of: made.data), width: made.size.width, height: made.size.height,
      source: facts(of: source, info, order), freshUntil: source.freshUntil, isStorable: source.isStorable,
      varyingHeaders: made.plan.varyingHeaders, notices: notices, tags: order.options.cacheTags,
      makingTime: makingTime, timings: made.timings)
  }

  /// Returns the bytes of a source as a result.
  private func passedThrough(
    _ source: SourceBytes, _ plan: PassThroughPlan, _ info: ImageInfo, _ order: ImageOrder
  ) async throws -> StoredResult {
    if plan.reason == .drawing, order.rules.settings.limits.sanitizesSVG {
      throw Failure(
        .unsupportedSource,
        detail: "SVG cannot be cleaned of scripts; request another format, or set SANITIZE_SVG to false")
    }
    var data = source.data
    if plan.reason == .drawing, let style = order.options.style, !style.isEmpty {
      data = try await pipeline.compute { try StyledDrawing(source.data, style: style).data }
    }
    return StoredResult(
      data: data, contentType: info.format.mimeType ?? "application/octet-stream",
      fileExtension: plan.format.map { "." + $0.name } ?? "",
      entityTag: Self.tag(of: data),
      width: info.size.width, height: info.size.height, source: facts(of: source, info, order),
      freshUntil: source.freshUntil, isStorable: source.isStorable, varyingHeaders: [], notices: [],
      tags: order.options.cacheTags, makingTime: .zero)
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
