/// Requests that are being prefetched: an `AsyncSequence` of how far that is, for any number of observers.
///
/// ```swift
/// let prefetch = prefetcher.prefetch(requests)
/// let result = await prefetch.result
/// ```
///
/// It has begun already. Whoever iterates gets the newest progress that they do not know yet, the last one when everything
/// has ended, and then the end; with no requests there is only the end. When nobody holds the value or an iterator of it
/// any more, what has not ended is given up: so it is when a loop over `prefetcher.prefetch(requests)` is left, or its task
/// is cancelled.
public struct Prefetch: AsyncSequence, Sendable {
  /// How far it is.
  public typealias Element = Prefetch.Progress

  /// Gives up what nobody holds. Apart from the session, which the books hold until it has ended.
  fileprivate final class Hold: Sendable {
    let session: PrefetchSession

    init(_ session: PrefetchSession) { self.session = session }

    deinit { session.cancel() }
  }

  private let hold: Hold

  init(_ session: PrefetchSession) { hold = Hold(session) }

  /// How far it is now.
  public var progress: Prefetch.Progress { hold.session.progress }

  /// What became of the requests, when all have ended. Cancelling the task that waits gives up what has not.
  public var result: Prefetch.Summary {
    get async {
      let session = hold.session
      return await withTaskCancellationHandler {
        var seen = 0
        while let progress = await session.next(after: seen) { seen = progress.finished }
        // The one who cancelled may not have come that far.
        if Task.isCancelled { session.cancel() }
        return withExtendedLifetime(hold) { session.result }
      } onCancel: {
        session.cancel()
      }
    }
  }

  /// Gives up what has not ended. Other prefetches of the same requests go on.
  public func cancel() { hold.session.cancel() }

  /// Takes part with the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(hold: hold) }

  /// Walks the progress. For one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let hold: Hold
    private var seen = 0

    fileprivate init(hold: Hold) { self.hold = hold }

    /// The newest progress, once it is another; `nil` after the last, or when the task is cancelled.
    public mutating func next() async -> Prefetch.Progress? {
      guard let progress = await hold.session.next(after: seen) else { return nil }
      seen = progress.finished
      return progress
    }
  }
}
