extension CurlLoader {
  /// Changes how many transfers run at a time. Those that run go on; others start as soon as there is room.
  ///
  /// - Parameters:
  ///   - maxConcurrent: Over all hosts, at least one; `nil` leaves it.
  ///   - maxConcurrentPerHost: Per scheme, host and port, at least one; `nil` leaves it.
  public func setLimits(maxConcurrent: Int? = nil, maxConcurrentPerHost: Int? = nil) {
    core.setLimits(maxConcurrent, perHost: maxConcurrentPerHost)
  }

  /// Starts no transfer until ``resume()``; those that run go on.
  public func suspend() {
    core.post(.suspend(true))
  }

  /// Starts what waits.
  public func resume() {
    core.post(.suspend(false))
  }

  /// Ends all transfers, running and waiting, as if their tasks had been cancelled.
  public func cancelAll() {
    core.post(.cancelAll)
  }

  /// Accepts nothing more, lets what runs and waits come to its end, and ends the loader.
  ///
  /// - Parameter timeout: What has not ended by then fails with ``LoadingError/loaderClosed(_:)``.
  /// - Returns: Whether everything ended by itself.
  @discardableResult public func drain(within timeout: Duration) async -> Bool {
    let finished = await withCheckedContinuation { waiter in
      core.drain(by: MonotonicTime.now.advanced(by: timeout), waiter)
    }
    await shutdown()
    return finished
  }

  /// Ends all transfers with ``LoadingError/loaderClosed(_:)``, and returns when the thread has let go of its connections.
  /// What is loaded later fails so too.
  public func shutdown() async {
    core.close()
    await withCheckedContinuation { core.whenEnded($0) }
  }
}
