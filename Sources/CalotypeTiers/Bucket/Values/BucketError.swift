/// A failure of a bucket. Holds no secrets, and nothing of a server's answer but its code and a short message.
@nonexhaustive public enum BucketError: Error, Hashable, Codable, Sendable {
  /// The configuration cannot be used.
  case invalidConfiguration(reason: String)
  /// No keys could be had.
  case noCredentials(reason: String)
  /// The server answered with a status that reports a failure: the status, the code of S3, the message, and the
  /// time to wait before another request, if the server names one.
  case refused(status: Int, code: String, message: String, retryAfter: Duration? = nil)
  /// The server could not be reached, or the connection broke.
  case unreachable(reason: String)
  /// A deadline passed.
  case timedOut
  /// The answer violates the protocol.
  case malformedAnswer(reason: String)
  /// Requests are not sent for a while, because the last ones failed.
  case suspended
  /// Too many requests of this process wait already.
  case overloaded
  /// The task was cancelled.
  case cancelled

  /// A stable name for logs, metrics and machine-readable output.
  public var code: String {
    switch self {
    case .invalidConfiguration: "bucketConfiguration"
    case .noCredentials: "bucketCredentials"
    case .refused: "bucketRefused"
    case .unreachable: "bucketUnreachable"
    case .timedOut: "bucketTimedOut"
    case .malformedAnswer: "bucketAnswer"
    case .suspended: "bucketSuspended"
    case .overloaded: "bucketOverloaded"
    case .cancelled: "cancelled"
    }
  }

  /// Whether the same request may succeed later.
  public var isRetryable: Bool {
    switch self {
    case .refused(let status, let code, _, _):
      status == 429 || (500...599).contains(status) && status != 501 || code == "RequestTimeout"
        || code == "ExpiredToken"
    case .unreachable, .timedOut, .suspended, .overloaded, .noCredentials, .cancelled: true
    case .invalidConfiguration, .malformedAnswer: false
    }
  }

  /// Whether the server asks for fewer requests.
  var asksForFewer: Bool {
    if case .refused(let status, let code, _, _) = self {
      status == 503 || status == 429 || code == "SlowDown"
    } else {
      false
    }
  }
}

extension BucketError: CustomStringConvertible {
  /// The failure and a remedy.
  public var description: String {
    switch self {
    case .invalidConfiguration(let reason): "the bucket cannot be used: \(reason)"
    case .noCredentials(let reason): "no keys for the bucket: \(reason)"
    case .refused(let status, let code, let message, _): "the bucket answered \(status) \(code): \(message)"
    case .unreachable(let reason): "the bucket cannot be reached: \(reason)"
    case .timedOut: "the bucket did not answer in time"
    case .malformedAnswer(let reason): "the answer of the bucket cannot be read: \(reason)"
    case .suspended: "the bucket is not asked for a while, because the last requests to it failed"
    case .overloaded: "too many requests to the bucket wait already: make fewer at a time"
    case .cancelled: "cancelled before the bucket answered"
    }
  }
}
