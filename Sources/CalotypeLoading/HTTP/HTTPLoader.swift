import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Loads over HTTP as a busy server needs it: with retries, bodies that go on after a broken connection, fallbacks, a memory
/// of what failed, and hooks.
///
/// What goes over the wire is the affair of another loader, by default ``CurlLoader``. Whoever loads URLs that were given by
/// others must make that one with ``AddressPolicy/public``.
///
/// ```swift
/// var curl = CurlLoader.Configuration()
/// curl.addressPolicy = .public
/// var configuration = HTTPLoader.Configuration()
/// configuration.interceptors = [Authorizing(tokens)]
/// let loader = HTTPLoader(configuration, transport: CurlLoader(curl))
/// ```
///
/// A load goes through these, in this order: the failure memory, which answers for a source that failed a short while ago;
/// interceptors of the request; the circuit breaker of the host; the transport; interceptors of the response; the gates for
/// status and content type. If one of them fails, the ``RetryPolicy`` says whether to begin again. When all is in vain, the
/// next of ``LoadRequest/fallbacks`` is asked.
///
/// A body that breaks off is continued where it stopped, if the server says by a strong `ETag` and `Accept-Ranges` that it
/// can (RFC 9110 §13.1.5, §14); otherwise it is loaded again, and what was delivered is compared with what comes. If that
/// is something else, the body ends with ``LoadingError/contentChanged(_:received:)``.
public final class HTTPLoader: ImageLoading {
  /// Policies and hooks.
  public let configuration: Configuration
  /// What the requests are sent with.
  public let transport: any ImageLoading
  /// Those of the body transforms, the interceptors and the transport.
  public let identity: String
  let breakers: CircuitBreakers?
  let timing: Timing
  let counters = Counters()

  /// - Parameters:
  ///   - configuration: Policies and hooks.
  ///   - transport: What the requests are sent with: any loader that honours ``LoadRequest/statuses``, and
  ///     ``LoadRequest/headers`` if bodies are to be continued.
  public convenience init(
    _ configuration: Configuration = Configuration(), transport: any ImageLoading = CurlLoader.shared
  ) {
    self.init(configuration, transport: transport, timing: .real)
  }

  /// For tests, which have a time of their own.
  package init(_ configuration: Configuration, transport: any ImageLoading, timing: Timing) {
    self.configuration = configuration
    self.transport = transport
    identity = LoaderIdentity.text([
      "transforms": LoaderIdentity.text(configuration.bodyTransforms.map(\.identity)),
      "interceptors": LoaderIdentity.text(configuration.interceptors.map(\.identity)),
      "transport": transport.identity,
    ])
    self.timing = timing
    breakers = configuration.circuitBreaker.map { CircuitBreakers(policy: $0) }
  }

  /// What the loader has done so far.
  public var statistics: Statistics { counters.current }

  /// That of the transport.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    transport.cachingRule(for: source)
  }

  /// Asks the transport; nobody where interceptors may send the request elsewhere.
  public func check(_ source: ImageSource) throws {
    if configuration.interceptors.isEmpty { try transport.check(source) }
  }

  /// Accepts what the transport does.
  public func accepts(_ source: ImageSource) -> Bool {
    transport.accepts(source)
  }

  /// Returns when the head of an acceptable response is there, after retries and fallbacks if need be.
  ///
  /// - Throws: ``LoadingError``, the one of the last source that was asked; `CancellationError`; what interceptors and body
  ///   transforms throw.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    let deadline = request.timeouts.total.map { timing.now().advanced(by: $0) }
    var request = request
    request.loaderIdentity = identity
    var candidate = request
    for fallback in request.fallbacks {
      do {
        return try await loadOne(candidate, by: deadline)
      } catch let error where !(error is CancellationError) && !Task.isCancelled {
        counters.count { $0.fallbacks += 1 }
        candidate = request.redirected(to: fallback)
      }
    }
    return try await loadOne(candidate, by: deadline)
  }

  /// One source, to its end or its last error.
  private func loadOne(_ request: LoadRequest, by deadline: ContinuousClock.Instant?) async throws
    -> LoadResponse
  {
    switch request.failurePolicy {
    case .respect:
      if let error = configuration.failureMemory?.error(for: request) {
        counters.count { $0.refusedByMemory += 1 }
        throw error
      }
    case .ignore: break
    case .reset: configuration.failureMemory?.forget(request)
    }
    let attempts = LoadAttempts(request, loader: self, deadline: deadline)
    do {
      let response = try await open(attempts)
        .transformed(by: configuration.bodyTransforms, byteLimit: request.byteLimit)
      // Whoever is told that nothing has changed need not read on to the end of nothing.
      if response.isNotModified { configuration.failureMemory?.forget(request) }
      return response.replacingBody(InstrumentedBody(response.body, attempts: attempts))
    } catch let error as LoadingError {
      configuration.failureMemory?.record(error, for: request)
      throw error
    }
  }

  /// Removes all of ``Configuration/partials``.
  public func removeParts() async throws {
    _ = try await configuration.partials?.removeAll()
  }

  /// Remembers that the bytes of the source were no image: until its time is over, ``Configuration/failureMemory`` answers
  /// loads of the same request.
  public func reject(_ request: LoadRequest, code: String, message: String) {
    var request = request
    request.loaderIdentity = identity
    configuration.failureMemory?.record(code: code, message: message, for: request)
  }

  /// The response, with a body that goes on by itself; from where an earlier load stopped, if a part of it was kept.
  private func open(_ attempts: LoadAttempts) async throws -> LoadResponse {
    let request = attempts.request
    guard request.headers[.range] == nil, !request.isConditional else { return try await attempts.open() }
    let store = configuration.partials
    var answer: LoadResponse?
    if let store, let partial = await store.resume(request) {
      switch try await resume(partial, attempts) {
      case .stitched(let response):
        counters.count { $0.resumed += 1 }
        return response
      // It has changed: this is the new one, from the beginning.
      case .whole(let response): answer = response
      case .useless: break
      }
      await partial.discard()
    }
    let response = if let answer { answer } else { try await attempts.open() }
    guard let subject = ResumableBody.Subject(response) else { return response }
    let partial = subject.isResumable ? await store?.begin(request, response) : nil
    return response.replacingBody(ResumableBody(response, of: subject, attempts: attempts, partial: partial))
  }

  /// What became of the question for the rest of a body.
  private enum Resumption {
    /// The response as if nothing had been kept.
    case stitched(LoadResponse)
    /// Everything from the beginning.
    case whole(LoadResponse)
    case useless
  }

  private func resume(_ partial: PartialFile, _ attempts: LoadAttempts) async throws -> Resumption {
    let kept = partial.head
    let offset = partial.length
    guard max(kept.total ?? 0, offset) <= attempts.request.byteLimit else { return .useless }
    let response: LoadResponse
    do {
      response = try await attempts.open(continuing: .init(offset: offset, etag: kept.etag))
    } catch let error as LoadingError where !error.isRetryable {
      // A server that cannot stand the question may well have the answer to another.
      return .useless
    } catch {
      partial.release()
      throw error
    }
    let answer = RangeResumption(
      status: response.status, headers: response.headers, isSamePlace: kept.isFrom(response.url),
      offset: offset,
      total: kept.total, etag: kept.etag)
    switch answer {
    case .rest, .complete:
      let whole = response.stitched(kept, url: response.url, isComplete: answer == .complete)
      guard let subject = ResumableBody.Subject(whole) else { return .useless }
      return .stitched(
        whole.replacingBody(
          ResumableBody(whole, of: subject, attempts: attempts, partial: partial, resumedAt: offset)))
    case .whole: return .whole(response)
    case .changed, .elsewhere: return .useless
    }
  }
}

extension LoadRequest {
  /// The same image from another place, which learns nothing that was meant for the first.
  fileprivate func redirected(to url: URL) -> LoadRequest {
    var request = self
    request.source = .url(url)
    request.fallbacks = []
    request.validators = nil
    if self.source.url.flatMap(LoadRequest.Origin.init) != LoadRequest.Origin(url) {
      request.credential = nil
      request.headers = headers.negotiating
    }
    return request
  }
}
