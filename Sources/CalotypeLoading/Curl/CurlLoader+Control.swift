extension CurlLoader {
  /// Changes how many transfers run at a time. Running transfers continue; queued ones start as soon as there is room.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The limit over all hosts, at least one; `nil` keeps the present limit.
  ///   - maxConcurrentPerHost: The limit per scheme, host and port, at least one; `nil` keeps the present limit.
  public func setLimits(maxConcurrent: Int? = nil, maxConcurrentPerHost: Int? = nil) {
    engine.setLimits(maxConcurrent, perHost: maxConcurrentPerHost)
  }

  /// Starts no transfer until ``resume()``. Running transfers continue.
  public func suspend() {
    engine.setSuspended(true)
  }

  /// Starts queued transfers again.
  public func resume() {
    engine.setSuspended(false)
  }

  /// Cancels all transfers, running and queued, as if their tasks had been cancelled.
  public func cancelAll() {
    engine.cancelAll()
  }

  /// Accepts no new transfers, lets running and queued ones end, and shuts the loader down.
  ///
  /// - Parameter timeout: Transfers that have not ended by then fail with ``LoadingError/loaderClosed(_:)``.
  /// - Returns: Whether all transfers ended by themselves.
  @discardableResult public func drain(within timeout: Duration) async -> Bool {
    let hasFinished = await engine.drain(within: timeout)
    await shutDown()
    return hasFinished
  }

  /// Ends all transfers with ``LoadingError/loaderClosed(_:)``, and returns when the thread has released its connections.
  /// Later loads fail with the same error.
  public func shutDown() async {
    engine.close()
    await engine.waitUntilEnded()
  }
}
