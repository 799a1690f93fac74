import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Explanations of requests.
extension ImagePipeline {
  /// Returns the way the pipeline would take to the image of a request now: its keys, the caches that would be asked and
  /// their answers, the question to the loader, and the size and cost of the decode.
  ///
  /// Nothing is loaded, decoded or stored. Records that are read from disk caches count as accessed. Not considered:
  /// ``Configuration/shouldLoad``, failures that the loader remembers, and larger images in memory
  /// (``ImageRequest/acceptsLarger``).
  ///
  /// ```swift
  /// print(await pipeline.explain(request))
  /// ```
  public nonisolated func explain(_ request: ImageRequest) async -> RequestExplanation {
    await RequestExplainer(context, prepared(request)).explanation()
  }
}

/// Follows the way of one request.
private struct RequestExplainer {
  private typealias Step = RequestExplanation.Step
  private let context: PipelineContext
  private let plan: ResolvedRequest
  private var request: ImageRequest { plan.request }
  private var policy: ImageRequest.CachePolicy { request.cachePolicy }

  init(_ context: PipelineContext, _ request: ImageRequest) {
    self.context = context
    plan = ResolvedRequest(request, context.configuration)
  }

  func explanation() async -> RequestExplanation {
    var steps: [Step] = []
    var info: ImageInfo?
    func ends() -> Bool {
      switch steps.last?.outcome {
      case .used, .fails: true
      default: false
      }
    }
    if let refusal = refusal() {
      steps.append(refusal)
    } else {
      steps.append(memory(&info))
      if !ends() { steps.append(await disk(&info)) }
      if !ends() { steps += await originalAndLoader(&info) }
    }
    info = info ?? context.headers.value(for: request.headerKey, allowingStale: true)?.info
    return RequestExplanation(
      source: RedactedURL.withoutUsers(request.source.description), key: request.key.hexDigest,
      originalKey: request.sourceKey.hexDigest, cachePolicy: policy.rawValue, cachingRule: rule, steps: steps,
      prediction: info.map(prediction))
  }

  private var rule: String {
    switch plan.cachingRule {
    case .http: "HTTP"
    case .never: "never"
    case .version: "until its version changes"
    case .lifetime(let lifetime): "\(lifetime)"
    }
  }

  /// The refusal of the loader or of the options, before caches are asked.
  private func refusal() -> Step? {
    do {
      // An interceptor may send the request elsewhere.
      if request.interceptor == nil { try plan.loader.check(request.source) }
      try plan.decodeOptions.check()
      return nil
    } catch {
      return Step(place: .loader, outcome: .fails, reason: "\(error)")
    }
  }

  /// The reason why a tier is not asked by the request.
  private func reason(_ tier: ImageRequest.CacheTiers) -> String? {
    if !policy.readsCaches { return "the policy reads no caches" }
    return request.readTiers.contains(tier) ? nil : "the request excludes it"
  }

  private func memory(_ info: inout ImageInfo?) -> Step {
    if let reason = reason(.memory) { return Step(place: .memory, outcome: .notAsked, reason: reason) }
    guard let memory = plan.memory else {
      let reason =
        plan.cachingRule == .never ? "the loader forbids keeping the bytes" : "the pipeline has none"
      return Step(place: .memory, outcome: .notAsked, reason: reason)
    }
    let now = context.configuration.now()
    guard let cached = memory.value(for: request.key, allowingStale: true, now: now) else {
      return Step(place: .memory, outcome: .absent, reason: nil)
    }
    info = cached.image.info
    let isFresh = memory.contains(request.key, now: now) && !request.hasCacheDirectives
    return step(.memory, isFresh: isFresh, isGoodEnough: isFresh || request.trustsAge)
  }

  private func step(_ place: Step.Place, isFresh: Bool, isGoodEnough: Bool) -> Step {
    if isFresh || (isGoodEnough && policy != .staleWhileRevalidate) {
      return Step(place: place, outcome: .used, reason: isFresh ? nil : "stale, which the request accepts")
    }
    let outcome: Step.Outcome = policy == .staleWhileRevalidate ? .usedWhileRevalidating : .stale
    return Step(place: place, outcome: outcome, reason: nil)
  }

  private func disk(_ info: inout ImageInfo?) async -> Step {
    if let reason = reason(.disk) { return Step(place: .disk, outcome: .notAsked, reason: reason) }
    guard let disk = plan.disk, let key = plan.resultKey else {
      return Step(place: .disk, outcome: .notAsked, reason: reasonWithoutResults)
    }
    guard let (record, isPurged) = await read(key, from: disk) else {
      return Step(place: .disk, outcome: .absent, reason: nil)
    }
    info = ImageInfo(stored: record.metadata) ?? info
    let judged = context.judged(record.metadata, isPurged: isPurged, for: request)
    return step(.disk, isFresh: judged.isFresh, isGoodEnough: judged.isGoodEnough)
  }

  /// Reads a record as jobs do, in its turn.
  private func read(_ key: CacheKey, from cache: any DataCaching) async -> (
    record: CacheRecord, isPurged: Bool
  )? {
    guard
      let (record, isPurged, reservation) = await context.readRecord(
        key, from: cache, plan, StageLog(), for: LivePriority(.low))
    else { return nil }
    reservation?.release()
    return (record, isPurged)
  }

  private var reasonWithoutResults: String {
    if plan.cachingRule == .never { return "the loader forbids keeping the bytes" }
    if request.source.url == nil { return "the names of bytes mean nothing to other programs" }
    if plan.caches.disk == nil { return "the pipeline has none" }
    if plan.resultEncoding == nil { return "the pipeline stores no results" }
    if request.isPlain { return "the image is that of the original" }
    if request.frames != .first { return "results hold one frame" }
    return "results hold neither other colours nor metadata"
  }

  private func originalAndLoader(_ info: inout ImageInfo?) async -> [Step] {
    var steps: [Step] = []
    var kept: CachedOriginal?
    if let reason = reason(.originals) {
      steps.append(Step(place: .originals, outcome: .notAsked, reason: reason))
    } else if let originals = plan.originals {
      kept = await read(request.sourceKey, from: originals).flatMap {
        CachedOriginal($0.record, isPurged: $0.isPurged)
      }
      if kept == nil { steps.append(Step(place: .originals, outcome: .absent, reason: nil)) }
      if let data = kept?.data, !data.isEmpty {
        info = (try? await context.probing(data, by: plan.coders) { try plan.probe(data) }) ?? info
      }
    } else {
      let reason =
        request.source.url?.isFileURL == true ? "files are not copied" : "there is none for this source"
      steps.append(Step(place: .originals, outcome: .notAsked, reason: reason))
    }
    switch context.sourceStep(for: request, policy: policy, kept: kept) {
    case .use(let stored):
      let reason = stored.provenance.isStale ? "stale, which the request accepts" : nil
      steps.append(Step(place: .originals, outcome: .used, reason: reason))
    case .useThenAsk(_, let fields):
      steps.append(Step(place: .originals, outcome: .usedWhileRevalidating, reason: nil))
      steps.append(question(fields))
    case .ask(let fields):
      if kept != nil { steps.append(Step(place: .originals, outcome: .stale, reason: nil)) }
      steps.append(question(fields))
    case .fail(let error):
      steps.append(Step(place: kept == nil ? .loader : .originals, outcome: .fails, reason: "\(error)"))
    }
    return steps
  }

  private func question(_ fields: HTTPFields) -> Step {
    Step(place: .loader, outcome: fields.isEmpty ? .asked : .askedConditionally, reason: nil)
  }

  private func prediction(_ info: ImageInfo) -> RequestExplanation.Prediction {
    let options = plan.decodeOptions
    let size = options.outputSize(for: info)
    return RequestExplanation.Prediction(
      format: info.format.rawValue, originalWidth: info.size.width, originalHeight: info.size.height,
      frameCount: info.frameCount, width: size.width, height: size.height, pixelByteCount: size.byteCount,
      decodeByteCount: options.workingByteCount(for: info),
      decodeMilliseconds: options.predictedDuration(for: info) / .milliseconds(1))
  }
}
