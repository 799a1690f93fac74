/// A request that failed: the reason, and the facts that its response depends on.
public struct Failure: Error, Hashable, Sendable {
  /// The reason.
  public var reason: FailureReason
  /// The status of the origin, for ``FailureReason/sourceStatus``.
  public var originStatus: Int?
  /// The time after which another attempt may succeed.
  public var retryAfter: Duration?
  /// The cause and a remedy, for developers: shown only if the table says so.
  public var detail: String

  /// Describes a failure.
  public init(
    _ reason: FailureReason, originStatus: Int? = nil, retryAfter: Duration? = nil, detail: String = ""
  ) {
    self.reason = reason
    self.originStatus = originStatus
    self.retryAfter = retryAfter
    self.detail = detail
  }
}
