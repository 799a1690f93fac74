import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Loads over HTTP with retries, resumption of broken bodies, fallbacks, remembered failures, circuit breakers and
/// hooks.
///
/// Another loader is the transport, by default ``CurlLoader``. For URLs from users, configure the transport with
/// ``AddressPolicy/public``, to prevent SSRF.
///
/// ```swift
/// var curl = CurlLoader.Configuration()
/// curl.addressPolicy = .public
/// var configuration = HTTPLoader.Configuration()
/// configuration.interceptors = [Authorizing(tokens: tokens)]
/// let loader = HTTPLoader(configuration, transport: CurlLoader(curl))
/// ```
///
/// A load passes, in this order: the failure memory, which answers for a source that failed recently; interceptors of
/// the request; the circuit breaker of the host; the transport; interceptors of the response; the checks of status and
/// content type. If one of them fails, the ``RetryPolicy`` decides whether to retry. When retries are exhausted, the
/// next of ``LoadRequest/fallbacks`` is tried. With a ``HedgingPolicy``, a request whose response is late is sent a second
/// time.
///
/// A body that breaks off is resumed where it stopped, if the server supports that by a strong `ETag` and
/// `Accept-Ranges` (RFC 9110 §13.1.5, §14); otherwise it is loaded again, and compared with the delivered bytes. If it
/// differs, the body ends with ``LoadingError/contentChanged(_:received:)``.
public final class HTTPLoader: ImageLoading, HookCarrying {
  /// Policies and hooks.
  public let configuration: Configuration
  /// The loader that sends the requests.
  public let transport: any ImageLoading
  /// The identities of the body transforms, the interceptors and the transport.
  public let identity: String
  let breakers: CircuitBreakers?
  /// `nil` without ``Configuration/hedging``.
  let hedges: Lock<HedgeTable>?
  let timing: Timing
  let counters = Counters()

  /// - Parameters:
  ///   - configuration: Policies and hooks.
  ///   - transport: The loader that sends the requests: any that honours ``LoadRequest/statuses``, and
  ///     ``LoadRequest/headers`` if bodies are to be resumed.
  public convenience init(
    _ configuration: Configuration = Configuration(), transport: any ImageLoading = CurlLoader.shared
  ) {
    self.init(configuration, transport: transport, timing: .real)
  }

  /// For tests, which inject the time.
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
    hedges = configuration.hedging.map { Lock(HedgeTable(policy: $0)) }
  }

  /// The activity of the loader.
  public var statistics: Statistics { counters.current }

  /// Returns the rule of the transport.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    transport.cachingRule(for: source)
  }

  /// Asks the transport, unless interceptors may send the request elsewhere.
  ///
  /// - Throws: The errors of the transport.
  public func check(_ source: ImageSource) throws {
    if configuration.interceptors.isEmpty { try transport.check(source) }
  }

  /// Accepts the sources of the transport.
  public func accepts(_ source: ImageSource) -> Bool {
    transport.accepts(source)
  }

  /// Returns when the head of an accepted response has arrived, after retries and fallbacks if needed.
  ///
  /// - Throws: ``LoadingError``, that of the last source tried; `CancellationError`; errors of interceptors and body
  ///   transforms.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    if request.exchange != nil { return try await transport.load(request) }
    let deadline = request.timeouts.total.map { timing.now().advanced(by: $0) }
    let request = identified(request)
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

  /// Loads one source, up to its last error.
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
      let opened = try await open(attempts)
      do {
        try await opened.validate(for: request, by: request.hooks)
      } catch {
        attempts.bodyEnded((error as? LoadingError).map { CircuitBreaker.Outcome($0) } ?? .neutral)
        throw error
      }
      let transforms = configuration.bodyTransforms + (request.hooks?.bodyTransforms ?? [])
      let response = try opened.transformed(by: transforms, byteLimit: request.byteLimit)
      // After a 304 there is no body to observe.
      if response.isNotModified { configuration.failureMemory?.forget(request) }
      return response.replacingBody(InstrumentedBody(response.body, attempts: attempts))
    } catch let error as LoadingError {
      configuration.failureMemory?.record(error, for: request)
      throw error
    }
  }

  /// Removes all parts in ``Configuration/partials``.
  ///
  /// - Throws: The errors of ``PartialStore/removeAll()``.
  public func removeParts() async throws {
    _ = try await configuration.partials?.removeAll()
  }

  /// Remembers that the bytes of the source are not an image: until the failure expires,
  /// ``Configuration/failureMemory`` answers loads of the same request.
  public func reject(_ request: LoadRequest, code: String, message: String) {
    configuration.failureMemory?.record(code: code, message: message, for: identified(request))
  }

  /// Returns the request with the identity of this loader, and of the request's own hooks.
  private func identified(_ request: LoadRequest) -> LoadRequest {
    var request = request
    request.loaderIdentity =
      request.hooks.map { LoaderIdentity.text(["loader": identity, "hooks": $0.identity]) } ?? identity
    return request
  }

  /// Returns the response with a resumable body, which continues an earlier load if a part of it was stored.
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
      // The resource has changed: this is the new version, from the beginning.
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

  /// The outcome of a request for the rest of a body.
  private enum Resumption {
    /// A response as if no part had been stored.
    case stitched(LoadResponse)
    /// The whole body, from the beginning.
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
      // A server that fails on a range request may answer a plain one.
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
  /// Returns the request for a fallback URL, without fields that identify the client to the first server.
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
