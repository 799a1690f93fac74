import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
public import CalotypeSettings
import CalotypeURLs
public import FoundationEssentials
public import HTTPTypes
import Synchronization
import Tracing

/// The image server, without a transport.
///
/// ```swift
/// let server = try ImageServer(settings, parts: await ServerParts(settings))
/// switch server.answer(to: request) {
/// case .ready(let response): send(response)
/// case .pending(let work): send(await work())      // cancel the task when the client leaves
/// }
/// ```
///
/// Hits in memory, refusals, and 304s are ready at once; only pixels queue.
public final class ImageServer: Sendable {
  /// The answer to a request.
  public enum Answer: Sendable {
    /// The response.
    case ready(ServedResponse)
    /// The work that leads to it. Cancelling its task ends what nobody else waits for.
    case pending(@Sendable () async -> ServedResponse)
  }

  let parts: ServerParts
  let metrics = ServerMetrics()
  let fetcher: SourceFetcher
  let renderer: Renderer
  let work = SharedWork<WorkKey, StoredResult>()
  let informer: InfoMaker
  let watermarks: WatermarkLibrary
  /// The images of requests in place of those that cannot be loaded.
  let fallbacks: ImageShelf
  let refreshes = Mutex(Set<CacheKey>())
  let now: @Sendable () -> Date
  let canaryLimit: Duration
  let diskLimit = Duration.seconds(2)
  let probes = SharedWork<Probe, Bool>()
  /// Of tiny images.
  let misses = Mutex(MissCount())
  private let observer: @Sendable (RequestRecord) -> Void
  let droppedLogLines: @Sendable () -> Int
  private let current: Mutex<ServingRules>
  private let draining = Mutex(false)

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - parts: The parts that were made of the same settings.
  ///   - canaryLimit: The time in which a tiny image has to be made. The server is not ready after two in a row that were not.
  ///   - now: The present.
  ///   - droppedLogLines: The number of log lines that were dropped, for metrics.
  ///   - observer: Gets the facts about each request when its response is ready. Must return at once.
  public init(
    _ settings: Settings, parts: ServerParts, canaryLimit: Duration = .milliseconds(250),
    now: @escaping @Sendable () -> Date = { Date.now },
    droppedLogLines: @escaping @Sendable () -> Int = { 0 },
    observer: @escaping @Sendable (RequestRecord) -> Void = { _ in }
  ) throws {
    self.observer = observer
    self.droppedLogLines = droppedLogLines
    self.parts = parts
    self.now = now
    self.canaryLimit = canaryLimit
    current = Mutex(try ServingRules(settings, watermark: parts.watermarkImage))
    fetcher = SourceFetcher(parts.pipeline, now: now)
    renderer = Renderer(
      pipeline: parts.pipeline, admission: parts.admission, metrics: metrics, spans: parts.spans)
    let (store, fetcher) = (parts.store, fetcher)
    fallbacks = ImageShelf(
      limit: settings.fallback.cacheSize, fetcher: fetcher, store: store, now: now)
    var pixels: [String: Bitmap] = [:]
    if let image = parts.watermarkImage { pixels[image.id] = parts.watermark }
    watermarks = WatermarkLibrary(
      limit: settings.watermark.cacheSize, byteLimit: parts.watermarkBytes,
      shelf: ImageShelf(limit: settings.watermark.cacheSize, fetcher: fetcher, store: store, now: now),
      pipeline: parts.pipeline, admission: parts.admission, server: pixels)
    informer = InfoMaker(
      pipeline: parts.pipeline, admission: parts.admission, metrics: metrics, fetcher: fetcher,
      store: parts.store)
  }

  /// The rules in force.
  public var rules: ServingRules { current.withLock { $0 } }

  /// Replaces the rules, whole. Requests in progress keep theirs.
  ///
  /// - Throws: The error of the settings; the rules then stay as they are.
  public func reload(_ settings: Settings) throws {
    let rules = try ServingRules(settings, watermark: parts.watermarkImage)
    current.withLock { $0 = rules }
  }

  /// Whether the server is about to end: it is not ready then. Requests are still answered.
  public var isDraining: Bool { draining.withLock { $0 } }

  /// Reports that the server is not ready from now on. Requests are still answered.
  public func announceEnd() { draining.withLock { $0 = true } }

  /// Waits until results are on disk.
  public func flush() async { await parts.store.flush() }

  /// Answers a request, whose target is the one that came over the wire.
  public func answer(to request: HTTPRequest) -> Answer {
    // A copy of all settings would count the references of each: here and below, single ones are read.
    let rules = rules
    let route = Route(
      request.path ?? "", prefix: rules.settings.server.pathPrefix,
      healthPath: rules.settings.server.healthPath)
    var watch = RequestWatch(
      request, isProbe: [.health, .ready, .metrics].contains(route),
      continuesTraces: rules.settings.metrics.continuesTraces, tracer: parts.spans.tracer)
    func ready(_ response: ServedResponse) -> Answer {
      // Begun here, because a request ends when it is ready.
      metrics.begin()
      return .ready(finished(response, rules, watch, .hit))
    }
    func pending(_ work: @escaping @Sendable () async -> ServedResponse) -> Answer {
      .pending { [self, watch] in
        // Begun here, because the work of a client that has left already is never performed.
        metrics.begin()
        let response = await ServiceContext.withValue(watch.span.context) { await work() }
        return finished(response, rules, watch, .miss)
      }
    }
    if request.method == .options { return ready(preflight(request, rules)) }
    if route == .image, request.method == .head, rules.settings.compatibility.answersEveryHead {
      return ready(ServedResponse(status: .ok, declaredLength: 1))
    }
    guard route.methods.contains(request.method) else {
      var response = failed(Failure(.methodNotAllowed), request, rules)
      response.fields[.allow] = (route.methods + [.options]).map(\.rawValue).joined(separator: ", ")
      return ready(response)
    }
    switch route {
    case .landing:
      return ready(ServedResponse(status: .ok, text: Self.landing, type: "text/html; charset=utf-8"))
    case .health:
      var response = ServedResponse(status: .ok, text: rules.settings.server.healthMessage)
      response.fields[.cacheControl] = "no-cache"
      return ready(response)
    case .none: return ready(failed(Failure(.notRouted), request, rules))
    case .playground(let name): return ready(playground(name, request, rules))
    case .ready: return pending { [self] in await readiness() }
    case .metrics, .purge:
      guard
        rules.secrets.isEmpty && route == .metrics
          || rules.secrets.allow(request.headerFields[.authorization])
      else { return ready(failed(Failure(.unauthorized), request, rules)) }
      // The request is one of those that it counts.
      return pending { [self] in
        route == .metrics ? metricsPage(rules) : await purge(request, rules)
      }
    case .image, .info:
      do {
        switch try route == .info
          ? info(request, rules, &watch.subject) : image(request, rules, &watch.subject)
        {
        case .ready(let response): return ready(response)
        case .pending(let work): return pending(work)
        }
      } catch {
        return ready(failed(Failure(error), request, rules))
      }
    }
  }

  /// Returns the response to a request that failed.
  func failed(_ failure: Failure, _ request: HTTPRequest, _ rules: ServingRules) -> ServedResponse {
    let accept = CalotypePlanning.AcceptHeader(request.headerFields[.accept] ?? "")
    let reply = rules.errors.reply(
      to: failure,
      prefersJSON: accept.names("application/problem+json") || accept.names("application/json"))
    var fields = reply.fields
    fields.append(contentsOf: rules.crossOrigin.fields(origin: request.headerFields[.origin]))
    fields.setVary(["Accept"] + rules.varyingHeaders)
    let body = Data(reply.body.utf8)
    let isHead = request.method == .head
    var response = ServedResponse(
      status: reply.status, fields: fields, body: isHead ? Data() : body,
      declaredLength: isHead ? body.count : nil, errorCode: failure.reason.rawValue)
    response.errorDetail = failure.detail
    return response
  }

  /// Adds the fields of all responses, and counts the response.
  private func finished(
    _ response: ServedResponse, _ rules: ServingRules, _ watch: RequestWatch, _ path: ServerMetrics.ImagePath
  ) -> ServedResponse {
    var response = response
    response.fields[.requestID] = watch.requestID
    let name = rules.settings.server.name
    if !name.isEmpty { response.fields[.server] = name }
    for pair in rules.settings.server.responseHeaders {
      if let name = HTTPField.Name(pair.name) { response.fields[name] = pair.value }
    }
    let record = watch.record(of: response)
    metrics.end(status: response.status.code, error: response.errorCode, after: record.duration)
    if record.subject != nil, record.errorCode == nil { metrics.observe(path, record.duration) }
    watch.end(record)
    observer(record)
    return response
  }

  private func preflight(_ request: HTTPRequest, _ rules: ServingRules) -> ServedResponse {
    var fields = rules.crossOrigin.fields(origin: request.headerFields[.origin])
    fields[.allow] = "GET, HEAD, OPTIONS"
    return ServedResponse(status: .ok, fields: fields)
  }

  private static let landing = """
    <!doctype html><html lang="en"><meta charset="utf-8"><title>Calotype</title>
    <body style="font: 16px system-ui; margin: 4em auto; max-width: 36em">
    <h1>Calotype</h1><p>The image server is running. Paths have the form
    <code>/signature/options/plain/source@format</code>.</p></body></html>
    """
}
