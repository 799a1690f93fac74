/// A set of requests that are being prefetched: an `AsyncSequence` of its progress, for any number of
/// observers.
///
/// ```swift
/// let prefetch = prefetcher.prefetch(requests)
/// let result = await prefetch.result
/// ```
///
/// It has already begun, and continues whether or not the value is held, until ``cancel()``,
/// ``Prefetcher/stop()``, or until a task that iterates over it or awaits its result is cancelled. An
/// iterator yields the newest progress that it has not yielded yet, the last one when all requests have
/// ended, and then the end; without requests there is only the end.
public struct Prefetch: AsyncSequence, Sendable {
  /// The progress.
  public typealias Element = Prefetch.Progress

  private let session: PrefetchSession

  init(_ session: PrefetchSession) { self.session = session }

  /// The current progress.
  public var progress: Prefetch.Progress { session.progress }

  /// The outcomes of all requests, once they have ended. Cancelling the waiting task cancels the remaining
  /// requests.
  public var result: Prefetch.Summary {
    get async {
      await withTaskCancellationHandler {
        var seen = 0
        while let progress = await session.next(after: seen) { seen = progress.finished }
        // The cancelling thread may not have come that far.
        if Task.isCancelled { session.cancel() }
        return session.result
      } onCancel: {
        session.cancel()
      }
    }
  }

  /// Cancels the remaining requests. Other prefetches of the same requests continue.
  public func cancel() { session.cancel() }

  /// Creates an iterator, which starts with its first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

  /// An iterator over the progress, for one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let session: PrefetchSession
    private var seen = 0

    fileprivate init(session: PrefetchSession) { self.session = session }

    /// Returns the newest progress, once it has changed; `nil` after the last, or when the task is
    /// cancelled, which cancels the remaining requests.
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
