import CalotypeSupport
public import FoundationEssentials

/// The bytes of a response, pulled chunk by chunk by one consumer.
///
/// Bytes that are not consumed are not fetched (back-pressure): a loader keeps a bounded amount ahead and then stops
/// reading. Leaving the loop early, dropping the body unread or cancelling the task closes the transfer.
///
/// ```swift
/// for try await chunk in response.body { try decoder.append(chunk) }
/// ```
///
/// The first iterator takes the body over; iterators made after it fail with
/// ``LoadingError/bodyAlreadyConsumed``.
public struct LoadBody: AsyncSequence, Sendable {
  /// Some bytes, never empty.
  public typealias Element = Data
  /// ``LoadingError`` or `CancellationError`.
  public typealias Failure = any Error

  private let token: Token

  /// Creates a body of a producer.
  public init(_ producer: any LoadBody.Producing) {
    token = Token(producer)
  }

  /// Creates a body of chunks in memory.
  public init(_ chunks: [Data]) {
    self.init(BytesBody(chunks))
  }

  /// The metrics of the load after the end of the body; `nil` before, and for sources that are not measured.
  public var metrics: LoadResponse.Metrics? { token.producer.metrics }

  /// Takes over the body.
  public func makeAsyncIterator() -> Iterator {
    Iterator(claim: token.claim())
  }

  /// Takes over the body for a producer that wraps it; `nil` if it already has a consumer.
  func claim() -> Claim? {
    token.claim()
  }

  /// An iterator over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    private var claim: Claim?
    private var failed: Bool

    fileprivate init(claim: Claim?) {
      self.claim = claim
      failed = claim == nil
    }

    /// Returns the next bytes; `nil` at the end, and always after the end or an error.
    ///
    /// - Throws: The error of the body: ``LoadingError`` of the loaders of this package, ``LoadingError/bodyAlreadyConsumed`` for a
    ///   second iteration, `CancellationError`.
    public mutating func next() async throws -> Data? {
      if failed {
        failed = false
        throw LoadingError.bodyAlreadyConsumed
      }
      guard let claim else { return nil }
      do {
        if let chunk = try await claim.next() { return chunk }
        self.claim = nil
        return nil
      } catch {
        self.claim = nil
        throw error
      }
    }
  }

  /// Cancels the producer when the body and its iterator have been released.
  fileprivate final class Token: Sendable {
    let producer: any LoadBody.Producing
    private let claimed = Lock(false)

    init(_ producer: any LoadBody.Producing) {
      self.producer = producer
    }

    deinit {
      producer.cancel()
    }

    func claim() -> Claim? {
      let first = claimed.withLock { claimed in
        defer { claimed = true }
        return !claimed
      }
      return first ? Claim(self) : nil
    }
  }

  /// Cancels the producer when the iterator has been released, even if the body is still held.
  final class Claim: Sendable {
    private let token: Token

    fileprivate init(_ token: Token) {
      self.token = token
    }

    /// Returns the next bytes of the producer. Unlike ``LoadBody/Iterator/next()``, it does not remember the end.
    func next() async throws -> Data? {
      try await token.producer.next()
    }

    /// The metrics of the body.
    var metrics: LoadResponse.Metrics? { token.producer.metrics }

    /// Cancels before the claim is released.
    func cancel() {
      token.producer.cancel()
    }

    deinit {
      token.producer.cancel()
    }
  }
}
