import CalotypeSupport
public import FoundationEssentials

/// The bytes of a response, pulled chunk by chunk by one consumer.
///
/// Bytes that are not taken are not fetched either: a loader keeps a bounded amount ahead and then stops
/// reading. Leaving the loop early, dropping the body unread or cancelling the task closes the transfer.
///
/// ```swift
/// for try await chunk in response.body { decoder.append(chunk) }
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

  /// A body that `producer` feeds.
  public init(_ producer: any LoadBodyProducing) {
    token = Token(producer)
  }

  /// A body that is all there, in these chunks.
  public init(_ chunks: [Data]) {
    self.init(BytesBody(chunks))
  }

  /// What the load took, once the body has come to its end; `nil` before, and for sources that are not measured.
  public var metrics: LoadMetrics? { token.producer.metrics }

  /// Takes the body over.
  public func makeAsyncIterator() -> Iterator {
    Iterator(claim: token.claim())
  }

  /// Takes the body over for a producer that is built on it; `nil` if it has a consumer already.
  func claim() -> Claim? {
    token.claim()
  }

  /// Pulls chunks.
  public struct Iterator: AsyncIteratorProtocol {
    private var claim: Claim?
    private var failed: Bool

    fileprivate init(claim: Claim?) {
      self.claim = claim
      failed = claim == nil
    }

    /// The next bytes; `nil` at the end, and for ever after the end or an error.
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

  /// Lives as long as somebody could still read: cancels when the body and its iterator are gone.
  fileprivate final class Token: Sendable {
    let producer: any LoadBodyProducing
    private let claimed = Lock(false)

    init(_ producer: any LoadBodyProducing) {
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

  /// Cancels when the one iterator is gone, though the response with its body may still be held.
  final class Claim: Sendable {
    private let token: Token

    fileprivate init(_ token: Token) {
      self.token = token
    }

    /// The next bytes of the producer; ``LoadBody/Iterator/next()`` without its memory of the end.
    func next() async throws -> Data? {
      try await token.producer.next()
    }

    /// ``LoadBody/metrics`` of the body.
    var metrics: LoadMetrics? { token.producer.metrics }

    /// Cancels before the claim is gone.
    func cancel() {
      token.producer.cancel()
    }

    deinit {
      token.producer.cancel()
    }
  }
}
