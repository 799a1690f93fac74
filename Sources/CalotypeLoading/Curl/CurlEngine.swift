/// The machinery behind a ``CurlLoader``: its thread, its queue and its connections.
protocol CurlEngine: AnyObject, Sendable {
  /// The figures as of the last turn of the loop.
  var statistics: CurlLoader.Statistics { get }

  /// Starts or queues a transfer, and returns when the head of the final response has arrived.
  ///
  /// - Parameters:
  ///   - step: The first request.
  ///   - request: The request it is made of.
  ///   - loader: Kept alive until the body has been read or dropped.
  func load(_ step: HTTPRequestStep, _ request: LoadRequest, for loader: CurlLoader) async throws
    -> LoadResponse

  /// Changes the limits; `nil` keeps one.
  func setLimits(_ concurrent: Int?, perHost: Int?)

  /// Stops or resumes starting transfers.
  func setSuspended(_ isSuspended: Bool)

  /// Cancels all transfers.
  func cancelAll()

  /// Returns when all transfers have ended, or the time has passed. Accepts no new transfers from now on.
  ///
  /// - Returns: Whether all transfers have ended.
  func drain(within timeout: Duration) async -> Bool

  /// Returns when everything that was asked of the thread before has been carried out.
  func settle() async

  /// Asks the thread to end.
  func close()

  /// Returns when the thread has released its connections.
  func waitUntilEnded() async
}
