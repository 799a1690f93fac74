public import FoundationEssentials

extension LoadBody {
  /// The producer of a ``LoadBody``. Implement it to write a custom loader.
  public protocol Producing: AnyObject, Sendable {
    /// Returns the next bytes, never empty; `nil` at the end.
    ///
    /// Called by one consumer at a time. Suspends until there are bytes. A producer may keep only a bounded amount ahead
    /// of the calls.
    ///
    /// - Throws: The error that ended the body early, preferably a ``LoadingError``; `CancellationError` when the calling
    ///   task was cancelled.
    func next() async throws -> Data?

    /// Stops and releases everything, because the consumer has left. Called at least once, at any time, from any thread,
    /// even after the end.
    func cancel()

    /// The metrics of the load, available at the end of the body at the latest. `nil` by default.
    var metrics: LoadResponse.Metrics? { get }
  }
}

extension LoadBody.Producing {
  /// `nil`: nothing was measured.
  public var metrics: LoadResponse.Metrics? { nil }
}

/// A body in memory.
final class BytesBody: LoadBody.Producing {
  private let chunks: ChunkList

  init(_ chunks: [Data]) {
    self.chunks = ChunkList(chunks)
  }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    return chunks.pop()
  }

  func cancel() {
    chunks.clear()
  }
}
