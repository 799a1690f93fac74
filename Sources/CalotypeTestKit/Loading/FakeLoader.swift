public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader in memory that does exactly what a test tells it to, and records what is asked of it.
///
/// Every URL has a reply: fixed, one after the other, or computed from the request. It behaves as a loader of HTTP does:
/// statuses that a request does not let through are errors, what a request holds already is answered with 304, more than
/// `byteLimit` is refused, and a body is produced only as fast as it is taken. It retries nothing: for retries, it is the transport
/// of an `HTTPLoader`.
///
/// ```swift
/// let loader = FakeLoader()
/// let gate = Gate()
/// loader.route(url, .body(bytes).behind(gate))
/// let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
/// async let image = pipeline.image(for: url)
/// try await loader.waitForRequests(url)
/// gate.open()
/// _ = try await image
/// #expect(loader.peakRunning == 1)
/// ```
///
/// An unknown URL gets status 404. Sources that are no URLs are not accepted.
public final class FakeLoader: ImageLoading {
  /// Makes the reply to a request; it may wait, and throws what the load is to fail with.
  ///
  /// Called in the isolation of the load, and cancelled with its task.
  public typealias Answer = @Sendable (LoadRequest) async throws -> FakeReply

  private let journal = EventLog(LoaderEntries())
  private let routes = Lock<[URL: Answer]>([:])
  private let fallback: Answer

  /// A loader that asks `answer` about each URL that has no route.
  public init(_ answer: @escaping Answer = { _ in .status(404) }) {
    fallback = answer
  }

  /// A loader that knows these URLs.
  public convenience init(_ replies: [URL: FakeReply]) {
    self.init()
    for (url, reply) in replies { route(url, reply) }
  }

  // MARK: Replies

  /// Answers the requests for `url` with one reply after the other, and with the last one from then on. Replaces what was
  /// there.
  public func route(_ url: URL, _ reply: FakeReply, _ others: FakeReply...) {
    let replies = [reply] + others
    let next = Lock(0)
    route(url) { _ in
      let index = next.withLock { next in
        defer { next = min(next + 1, replies.count - 1) }
        return next
      }
      return replies[index]
    }
  }

  /// Answers every request for `url` with what `answer` makes of it. Replaces what was there.
  public func route(_ url: URL, _ answer: @escaping Answer) {
    routes.withLock { $0[url] = answer }
  }

  // MARK: What it saw

  /// All requests so far, in the order they came in.
  public var requests: [LoadRequest] { journal.entries.requests }

  /// All requests for `url` so far.
  public func requests(for url: URL) -> [LoadRequest] { requests.filter { $0.source.url == url } }

  /// Loads that run: from the request until the last bytes were taken, the load failed or was cancelled.
  public var running: Int { journal.entries.running }

  /// The most loads that ran at the same time.
  public var peakRunning: Int { journal.entries.peakRunning }

  /// Loads that were given up before their end: their task was cancelled, or the consumer of the body left.
  public var cancellations: Int { journal.entries.cancellations }

  /// Bytes of the bodies of `url` that were taken.
  public func bytesDelivered(_ url: URL) -> Int { journal.entries.delivered[.url(url)] ?? 0 }

  /// Suspends until `count` requests for `url` have come in.
  ///
  /// - Throws: `CancellationError`, as the other waits.
  public func waitForRequests(_ url: URL, count: Int = 1) async throws {
    try await journal.wait { $0.requests.count { $0.source.url == url } >= count }
  }

  /// Suspends until `count` loads were given up.
  ///
  /// - Throws: `CancellationError`.
  public func waitForCancellations(_ count: Int = 1) async throws {
    try await journal.wait { $0.cancellations >= count }
  }

  /// Suspends until exactly `count` loads run.
  ///
  /// - Throws: `CancellationError`.
  public func waitUntilRunning(_ count: Int) async throws {
    try await journal.wait { $0.running == count }
  }

  /// Suspends until no load runs.
  ///
  /// - Throws: `CancellationError`.
  public func waitUntilIdle() async throws {
    try await journal.wait { $0.running == 0 }
  }

  // MARK: Loading

  /// Whether the source is a URL.
  public func accepts(_ source: ImageSource) -> Bool { source.url != nil }

  /// Answers with the reply of the URL.
  ///
  /// - Throws: The error of the reply; `LoadingError.httpStatus` for a status that the request does not let through,
  ///   `LoadingError.tooLarge` for a declared length above its limit, `LoadingError.unsupportedScheme` for a source that is
  ///   no URL; `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard let url = request.source.url else { throw LoadingError.unsupportedScheme(request.source) }
    journal.note { $0.begin(request) }
    do {
      try Task.checkCancellation()
      let answer = routes.withLock { $0[url] } ?? fallback
      let reply = try await answer(request)
      try await reply.headGate?.wait()
      return try respond(reply, to: request, url)
    } catch {
      journal.note { $0.end(isCancelled: error is CancellationError) }
      throw error
    }
  }

  private func respond(_ reply: FakeReply, to request: LoadRequest, _ url: URL) throws -> LoadResponse {
    if let failure = reply.failure { throw failure }
    var reply = reply
    if reply.isHeld(by: request) {
      reply.status = 304
      reply.steps = []
      reply.expectedLength = nil
    }
    let place = reply.url ?? url
    if let status = reply.status, !request.accepts(status: status) {
      throw LoadingError.httpStatus(url, status: status, headers: reply.headers)
    }
    if let declared = reply.expectedLength, declared > request.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: declared)
    }
    let body = FakeBody(reply, request: request, url: place, journal: journal)
    return LoadResponse(
      url: place, status: reply.status, headers: reply.headers, expectedLength: reply.expectedLength,
      contentType: reply.headers[.contentType], body: LoadBody(body))
  }
}
