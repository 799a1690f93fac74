/// Requests that are being prefetched: an `AsyncSequence` of how far that is, for any number of observers.
///
/// ```swift
/// let prefetch = prefetcher.prefetch(requests)
/// let result = await prefetch.result
/// ```
///
/// It has begun already, and goes on whether or not the value is held, until ``cancel()``, ``Prefetcher/stop()``, or until a
/// task that iterates over it or awaits its result is cancelled. An iterator yields the newest progress that it has not
/// yielded yet, the last one when everything has ended, and then the end; with no requests there is only the end.
public struct Prefetch: AsyncSequence, Sendable {
  /// How far it is.
  public typealias Element = Prefetch.Progress

  private let session: PrefetchSession

  init(_ session: PrefetchSession) { self.session = session }

  /// How far it is now.
  public var progress: Prefetch.Progress { session.progress }

  /// What became of the requests, when all have ended. Cancelling the task that waits gives up what has not.
  public var result: Prefetch.Summary {
    get async {
      await withTaskCancellationHandler {
        var seen = 0
        while let progress = await session.next(after: seen) { seen = progress.finished }
        // The one who cancelled may not have come that far.
        if Task.isCancelled { session.cancel() }
        return session.result
      } onCancel: {
        session.cancel()
      }
    }
  }

  /// Gives up what has not ended. Other prefetches of the same requests go on.
  public func cancel() { session.cancel() }

  /// Takes part with the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

  /// Walks the progress. For one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let session: PrefetchSession
    private var seen = 0

    fileprivate init(session: PrefetchSession) { self.session = session }

    /// The newest progress, once it is another; `nil` after the last, or when the task is cancelled, which gives
    /// up what has not ended.
    public mutating func next() async -> Prefetch.Progress? {
      guard let progress = await session.next(after: seen) else {
        if Task.isCancelled { session.cancel() }
        return nil
      }
      seen = progress.finished
      return progress
    }
  }
}
