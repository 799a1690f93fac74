import CalotypeSupport
import HTTPTypes

/// Remembers permanent failures, so that failed sources are not retried at once (negative caching).
///
/// A failed source is not retried for a minute, after the next failure for two, and so on up to a day; report a success
/// by ``forget(_:of:)``. Header fields and credential are part of a source's identity, because another caller may get a
/// different answer. Loaders with different ``ImageLoading/identity`` that share a memory do not see each other's
/// failures, because they may have different access.
///
/// ```swift
/// let memory = FailureMemory()
/// if let failure = memory.failure(for: request) { return failure.message }
/// ```
///
/// All members may be called from any thread without long waits: look-ups are O(1), recording is O(log *n*), ``count``
/// and ``entries`` are O(*n*).
public final class FailureMemory: Sendable {
  private let configuration: Configuration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let book: Lock<FailureTable>

  /// - Parameters:
  ///   - configuration: Lifetimes and count limit.
  ///   - now: The clock.
  public init(
    configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.configuration = configuration
    self.now = now
    book = Lock(FailureTable(configuration: configuration))
  }

  /// Returns the failure because of which the source should not be loaded now; `nil` if it may be loaded.
  ///
  /// - Parameters:
  ///   - request: The request that would be sent.
  ///   - loader: The loader whose failures count, by its identity; `nil` for failures that the caller recorded.
  public func failure(for request: LoadRequest, of loader: (any ImageLoading)? = nil) -> Failure? {
    let key = FailureKey(request, of: loader)
    let now = now()
    return book.withLock { $0.failure(for: key, byteLimit: request.byteLimit, now: now) }
  }

  /// Returns the error to throw instead of trying the source; `nil` if it may be tried.
  ///
  /// - Parameters:
  ///   - request: The request that would be sent.
  ///   - loader: As for ``failure(for:of:)``.
  public func error(for request: LoadRequest, of loader: (any ImageLoading)? = nil) -> LoadingError? {
    let key = FailureKey(request, of: loader)
    let now = now()
    let failure = book.withLock { $0.failure(for: key, byteLimit: request.byteLimit, now: now) }
    guard let failure else { return nil }
    return .recentlyFailed(request.source, code: failure.code, retryAfter: now.duration(to: failure.until))
  }

  /// Remembers `error` if it is a permanent failure of the source.
  ///
  /// These are statuses 4xx, except those about credentials or rate limits (401, 403, 407, 408, 425 and 429); too many
  /// or refused redirects; responses that are malformed, empty, too large, of an unacceptable type or unreadable to a
  /// ``BodyTransforming``. A failure because of the size applies to requests with no greater limit.
  ///
  /// A status with an explicit lifetime (`Cache-Control`, `Expires`; RFC 9111 §4.2.1) is remembered for that time, and
  /// not at all if it must be revalidated. The same applies to each redirect that led to it; a temporary redirect
  /// without a lifetime counts for ``Configuration/baseDuration``.
  public func record(_ error: LoadingError, for request: LoadRequest) {
    guard Self.isWorthRemembering(error) else { return }
    let limit: Int? = if case .tooLarge(_, let limit, _) = error { limit } else { nil }
    var lifetime: Duration?
    if case .httpStatus(_, _, let headers, let redirects) = error {
      lifetime = self.lifetime(of: headers, redirects)
    }
    if lifetime == .zero { return forget(request) }
    record(code: error.code, message: error.description, limit: limit, lifetime: lifetime, for: request)
  }

  /// Remembers a failure found after the load, such as bytes that are not an image.
  ///
  /// A failure of a request that was sent before an earlier failure does not extend its time. Sources with more than 16
  /// KiB of URL and header fields are not remembered.
  public func record(code: String, message: String, for request: LoadRequest) {
    record(code: code, message: message, limit: nil, for: request)
  }

  private func record(
    code: String, message: String, limit: Int?, lifetime: Duration? = nil, for request: LoadRequest
  ) {
    let key = FailureKey(request)
    guard key.size <= FailureKey.maxSize else { return }
    // Messages may quote servers at any length.
    let message =
      message.utf8.count > 500 ? String(decoding: message.utf8.prefix(500), as: UTF8.self) + "…" : message
    let now = now()
    book.withLock {
      $0.record(code: code, message: message, limit: limit, lifetime: lifetime, for: key, now: now)
    }
  }

  /// Forgets a failure: the source may be tried again, and the next failure counts as the first.
  ///
  /// - Parameters:
  ///   - request: The request that failed.
  ///   - loader: As for ``failure(for:of:)``.
  public func forget(_ request: LoadRequest, of loader: (any ImageLoading)? = nil) {
    let key = FailureKey(request, of: loader)
    book.withLock { $0.forget(key) }
  }

  /// Forgets everything.
  public func removeAll() {
    book.withLock { $0.removeAll() }
  }

  /// The remembered failures, the first to expire first.
  public var entries: [Failure] {
    let now = now()
    return book.withLock { $0.failures(now: now) }.sorted {
      $0.until == $1.until ? $0.source.description < $1.source.description : $0.until < $1.until
    }
  }

  /// The number of remembered failures.
  public var count: Int {
    let now = now()
    return book.withLock { $0.count(now: now) }
  }

  /// The shortest lifetime of a response and its redirects; `nil` where none is declared.
  private func lifetime(of headers: HTTPFields, _ redirects: [LoadResponse.Redirect]) -> Duration? {
    var lifetimes = [headers.explicitLifetime]
    lifetimes += redirects.compactMap { redirect in
      let said = redirect.headers.explicitLifetime
      return said == nil && redirect.isPermanent ? nil : .some(said)
    }
    guard let shortest = lifetimes.compactMap({ $0 }).min() else { return nil }
    return lifetimes.contains(nil) ? min(shortest, configuration.baseDuration) : shortest
  }

  private static func isWorthRemembering(_ error: LoadingError) -> Bool {
    switch error {
    case .httpStatus(_, let status, _, _):
      (400...499).contains(status) && ![401, 403, 407, 408, 425, 429].contains(status)
    case .unacceptableContentType, .tooLarge, .emptyBody, .tooManyRedirects, .redirectRefused, .protocolError,
      .bodyTransformFailed:
      true
    default: false
    }
  }
}
