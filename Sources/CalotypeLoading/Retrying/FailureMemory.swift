import CalotypeSupport
import HTTPTypes

/// Remembers which sources failed for good, so that they are not asked again at once.
///
/// What failed is left alone for a minute, after the next failure for two, and so on up to a day; a success has to be
/// told by ``forget(_:)``. A source is the same if it is asked for with the same header fields and credential, because
/// another caller may be given what this one was not. Loaders of different ``ImageLoading/identity`` that share a memory
/// hear nothing of each other's failures: one may reach what another may not.
///
/// ```swift
/// let memory = FailureMemory()
/// if let failure = memory.failure(for: request) { return failure.message }
/// ```
///
/// All may be called from any thread, and nothing waits for long: to look up takes constant time, to remember O(log *n*),
/// ``count`` and ``entries`` go through all.
public final class FailureMemory: Sendable {
  private let configuration: Configuration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let book: Lock<FailureTable>

  /// - Parameters:
  ///   - configuration: How long, and how many.
  ///   - now: Tells the time.
  public init(
    configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.configuration = configuration
    self.now = now
    book = Lock(FailureTable(configuration: configuration))
  }

  /// Why the source should not be asked now; `nil` if it may be.
  ///
  /// - Parameter loader: Whose failures count: those of a loader with this identity. `nil` for those that the caller
  ///   recorded.
  public func failure(for request: LoadRequest, of loader: (any ImageLoading)? = nil) -> Failure? {
    let key = FailureKey(request, of: loader)
    let now = now()
    return book.withLock { $0.failure(for: key, byteLimit: request.byteLimit, now: now) }
  }

  /// The error for a caller who asks nevertheless; `nil` if the source may be asked.
  ///
  /// - Parameter loader: As for ``failure(for:of:)``.
  public func error(for request: LoadRequest, of loader: (any ImageLoading)? = nil) -> LoadingError? {
    let key = FailureKey(request, of: loader)
    let now = now()
    let failure = book.withLock { $0.failure(for: key, byteLimit: request.byteLimit, now: now) }
    guard let failure else { return nil }
    return .recentlyFailed(request.source, code: failure.code, retryAfter: now.duration(to: failure.until))
  }

  /// Remembers `error` if it speaks of the source and will not pass by itself.
  ///
  /// Those are statuses 4xx, but not the ones that ask for other credentials or more patience (401, 403, 407, 408, 425
  /// and 429); too many or refused redirects; responses that are malformed, empty, too large, of an unacceptable type or
  /// unreadable to a ``BodyTransforming``. What was too large is so for requests that accept no more.
  ///
  /// A status whose response says how long it is right (`Cache-Control`, `Expires`; RFC 9111 §4.2.1) is remembered for that
  /// long, and not at all where it must not be used unasked. That holds for each redirect that led to it, too; a temporary
  /// one that says nothing is good for ``Configuration/baseDuration``.
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

  /// Remembers a failure that shows later, such as bytes that are no image.
  ///
  /// A failure while the source is left alone anyway, of a request that was sent before, does not lengthen that.
  /// Sources with more than 16 KiB of URL and header fields are not remembered.
  public func record(code: String, message: String, for request: LoadRequest) {
    record(code: code, message: message, limit: nil, for: request)
  }

  private func record(
    code: String, message: String, limit: Int?, lifetime: Duration? = nil, for request: LoadRequest
  ) {
    let key = FailureKey(request)
    guard key.size <= FailureKey.maxSize else { return }
    // Messages quote servers, who have time to talk.
    let message =
      message.utf8.count > 500 ? String(decoding: message.utf8.prefix(500), as: UTF8.self) + "…" : message
    let now = now()
    book.withLock {
      $0.record(code: code, message: message, limit: limit, lifetime: lifetime, for: key, now: now)
    }
  }

  /// The source may be asked again, and if it fails that counts as the first time.
  ///
  /// - Parameter loader: As for ``failure(for:of:)``.
  public func forget(_ request: LoadRequest, of loader: (any ImageLoading)? = nil) {
    let key = FailureKey(request, of: loader)
    book.withLock { $0.forget(key) }
  }

  /// Forgets everything.
  public func removeAll() {
    book.withLock { $0.removeAll() }
  }

  /// What is left alone now, the one that is asked again soonest first.
  public var entries: [Failure] {
    let now = now()
    return book.withLock { $0.failures(now: now) }.sorted {
      $0.until == $1.until ? $0.source.description < $1.source.description : $0.until < $1.until
    }
  }

  /// How many sources are left alone now.
  public var count: Int {
    let now = now()
    return book.withLock { $0.count(now: now) }
  }

  /// The shortest of the times that the answers on the way say; `nil` where none says anything.
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
