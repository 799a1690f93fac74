public import HTTPTypes

/// The `Cache-Control` of a request or a response (RFC 9111 §5.2, RFC 5861, RFC 8246).
///
/// Unknown directives are ignored. The strictest reading of a repeated or malformed directive counts: the shorter of
/// two lifetimes, and zero for an invalid one, so that the response is stale (compare RFC 9111 §4.2.1). Times are whole
/// seconds, at most ``longest``.
public struct CacheControlHeader: Hashable, Sendable {
  /// The scope of a directive with an optional list of field names.
  public enum Scope: Hashable, Sendable {
    /// The directive is absent.
    case none
    /// These fields only, in lower case.
    case fields(Set<String>)
    /// The whole response.
    case everything
  }

  /// The longest time, to which longer ones are clamped: 2^31 seconds, 68 years (RFC 9111 §1.2.2).
  public static let longest = 1 << 31

  /// `max-age`: the lifetime of a response, or the greatest age that a request accepts.
  public var maxAge: Int?
  /// `s-maxage`, which replaces ``maxAge`` in a shared cache.
  public var sharedMaxAge: Int?
  /// `no-store`.
  public var noStore = false
  /// `no-cache`: the scope that must be revalidated before use. In a request always everything.
  public var noCache = Scope.none
  /// `private`: the scope that a shared cache must not store.
  public var isPrivate = Scope.none
  /// `public`.
  public var isPublic = false
  /// `must-revalidate`.
  public var mustRevalidate = false
  /// `proxy-revalidate`, the same for shared caches.
  public var proxyRevalidate = false
  /// `must-understand`: caches that understand the status ignore ``noStore``.
  public var mustUnderstand = false
  /// `immutable` (RFC 8246): while the response is fresh, it does not change.
  public var isImmutable = false
  /// `no-transform` (RFC 9111 §5.2.1.6, §5.2.2.6): intermediaries must not change the content.
  public var noTransform = false
  /// `only-if-cached`, in a request.
  public var onlyIfCached = false
  /// `min-fresh`, in a request: how long the response must stay fresh.
  public var minFresh: Int?
  /// `max-stale`, in a request: how long the response may have been stale. Without a number, ``longest``.
  public var maxStale: Int?
  /// `stale-while-revalidate` (RFC 5861 §3): how long a stale response may be used while it is revalidated.
  public var staleWhileRevalidate: Int?
  /// `stale-if-error` (RFC 5861 §4): how long a stale response may be used when the server fails.
  public var staleIfError: Int?

  /// Creates an empty header without directives.
  public init() {}

  /// Reads the values of `Cache-Control` fields; O(length).
  public init(values: some Sequence<String>) {
    for value in values {
      var reader = DirectiveReader(value)
      while let directive = reader.next() { apply(directive) }
    }
  }

  /// Reads the fields of a response.
  public init(response headers: HTTPFields) {
    self.init(values: headers[values: .cacheControl])
  }

  /// Reads the fields of a request. `Pragma: no-cache` is `no-cache` where there is no `Cache-Control`
  /// (RFC 9111 §5.4).
  public init(request headers: HTTPFields) {
    let values = headers[values: .cacheControl]
    self.init(values: values)
    if noCache != .none { noCache = .everything }
    if values.isEmpty, Self.pragmaSaysNoCache(headers) { noCache = .everything }
  }

  static func pragmaSaysNoCache(_ headers: HTTPFields) -> Bool {
    headers[values: .pragma].contains { value in
      var reader = DirectiveReader(value)
      while let directive = reader.next() {
        if directive.name == "no-cache" { return true }
      }
      return false
    }
  }

  private mutating func apply(_ directive: DirectiveReader.Directive) {
    let argument = directive.argument
    switch directive.name {
    case "max-age": Self.lower(&maxAge, to: argument.seconds ?? 0)
    case "s-maxage": Self.lower(&sharedMaxAge, to: argument.seconds ?? 0)
    case "no-store": noStore = true
    case "no-cache": noCache.add(argument)
    case "private": isPrivate.add(argument)
    case "public": isPublic = true
    case "must-revalidate": mustRevalidate = true
    case "proxy-revalidate": proxyRevalidate = true
    case "must-understand": mustUnderstand = true
    case "immutable": isImmutable = true
    case "no-transform": noTransform = true
    case "only-if-cached": onlyIfCached = true
    case "min-fresh": minFresh = max(minFresh ?? 0, argument.seconds ?? Self.longest)
    case "max-stale": Self.lower(&maxStale, to: argument == .none ? Self.longest : argument.seconds ?? 0)
    case "stale-while-revalidate": Self.lower(&staleWhileRevalidate, to: argument.seconds ?? 0)
    case "stale-if-error": Self.lower(&staleIfError, to: argument.seconds ?? 0)
    default: break
    }
  }

  private static func lower(_ value: inout Int?, to other: Int) {
    value = min(value ?? other, other)
  }
}

extension DirectiveReader.Argument {
  /// A number of seconds (RFC 9111 §1.2.2), in quotes or without; `nil` for anything else.
  fileprivate var seconds: Int? {
    guard case .text(let text) = self else { return nil }
    return DeltaSeconds.read(text)
  }
}

extension CacheControlHeader.Scope {
  /// More names than this count as everything.
  private static let maxNames = 64

  fileprivate mutating func add(_ argument: DirectiveReader.Argument) {
    guard self != .everything, case .text(let text) = argument else {
      self = .everything
      return
    }
    var names = if case .fields(let names) = self { names } else { Set<String>() }
    for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard names.count < Self.maxNames, let name = FieldNames.read(part) else {
        self = .everything
        return
      }
      names.insert(name)
    }
    self = .fields(names)
  }

  /// Returns whether the scope covers a field, given in lower case.
  func covers(_ name: String) -> Bool {
    switch self {
    case .none: false
    case .fields(let names): names.contains(name)
    case .everything: true
    }
  }
}
