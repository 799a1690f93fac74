public import FoundationEssentials

/// The producing side of a ``LoadBody``: implement it to write a loader of your own.
public protocol LoadBodyProducing: AnyObject, Sendable {
  /// The next bytes, never empty; `nil` at the end.
  ///
  /// Called by one consumer at a time. It suspends until there are bytes, and a producer keeps no more than a
  /// bounded amount ahead of the calls.
  ///
  /// - Throws: What ended the body early, ``LoadingError`` if it is one; `CancellationError` when the calling
  ///   task was cancelled.
  func next() async throws -> Data?

  /// The consumer has left: stop and release everything. Called at least once, at any time, from any thread,
  /// also after the end.
  func cancel()

  /// What the load took; known at the end of the body at the latest. `nil` by default.
  var metrics: LoadMetrics? { get }
}

extension LoadBodyProducing {
  /// Nothing was measured.
  public var metrics: LoadMetrics? { nil }
}

/// A body that is all there.
final class BytesBody: LoadBodyProducing {
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
