/// A job that does not run: the reason, and when another attempt may succeed.
public struct AdmissionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason of a refusal.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The job needs more decoded bytes than the budget has.
    case tooLarge
    /// The configured number of jobs, or of bytes that they hold, waits already.
    case queueFull
    /// The predicted wait and the cost exceed the time that is left, or the longest wait.
    case overloaded
    /// The time that was left while the job waited no longer suffices.
    case expired
    /// The queue accepts no more jobs.
    case closed
  }

  /// The reason.
  public let reason: Reason
  /// The predicted time in which all accepted work is done; `nil` if another attempt cannot succeed.
  public let retryAfter: Duration?
  /// The quantity that exceeds its limit, in words.
  public let detail: String

  init(_ reason: Reason, retryAfter: Duration?, _ detail: String) {
    self.reason = reason
    self.retryAfter = retryAfter
    self.detail = detail
  }

  /// The name of the reason, which stays the same.
  public var code: String { reason.rawValue }

  /// The status of an HTTP response: 422, 429 or 503.
  public var status: Int {
    switch reason {
    case .tooLarge: 422
    case .queueFull: 429
    case .overloaded, .expired, .closed: 503
    }
  }

  /// A Boolean value that indicates whether another attempt may succeed.
  public var isRetryable: Bool { reason != .tooLarge }

  /// The value of a `Retry-After` field: whole seconds, rounded up, at least 1.
  public var retryAfterSeconds: Int? {
    retryAfter.map { duration in
      let nanoseconds = min(max(Nanoseconds.of(duration), 1), 86_400_000_000_000)
      return Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }
  }

  /// The reason, its cause and a remedy in one sentence.
  public var description: String {
    switch reason {
    case .tooLarge: "the image is too large: \(detail); request a smaller image"
    case .queueFull: "the queue is full: \(detail); try again in \(retryAfterSeconds ?? 1) s"
    case .overloaded: "the server is overloaded: \(detail); try again in \(retryAfterSeconds ?? 1) s"
    case .expired: "the deadline passed in the queue: \(detail); try again in \(retryAfterSeconds ?? 1) s"
    case .closed: "the server is shutting down: \(detail); try another server"
    }
  }
}
