import CalotypeCaching

extension CachingError {
  /// The error of a cache for that of a command.
  init(_ error: RedisError, operation: String) {
    self =
      switch error {
      case .unavailable: .failed(operation: operation, reason: "no connection to Redis", isRetryable: true)
      case .timedOut: .failed(operation: operation, reason: "Redis did not answer in time", isRetryable: true)
      case .queueFull:
        .failed(operation: operation, reason: "too many commands wait for Redis", isRetryable: true)
      case .refused(let code):
        .failed(operation: operation, reason: "Redis refused: \(code)", isRetryable: false)
      case .unexpectedReply:
        .failed(operation: operation, reason: "Redis answered with another kind of value", isRetryable: false)
      case .cancelled: .cancelled
      }
  }
}
