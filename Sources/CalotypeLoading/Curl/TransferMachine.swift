import FoundationEssentials

/// The state machine of one transfer: the loader's thread appends bytes, a consumer takes them.
///
/// Pure: every event returns the action that the caller must carry out after leaving the lock. Each waiter is returned
/// exactly once, by the event that answers it.
struct TransferMachine<HeadWaiter: Sendable, ChunkWaiter: Sendable>: Sendable {
  /// The state of the consumer.
  private enum Consumer {
    case starting
    case awaitingHead(HeadWaiter)
    case between
    case awaitingChunk(ChunkWaiter)
    case gone
  }

  /// A waiter and its answer.
  enum Answer {
    case none
    case head(HeadWaiter, Result<ResponseHead, any Error>)
    case chunk(ChunkWaiter, Result<Data?, any Error>)
  }

  /// The action that an event requires.
  struct ConsumerAction {
    var answer = Answer.none
    /// The producer was paused and may go on.
    var resumeProducer = false
    /// The producer must stop, because the consumer has left.
    var stopProducer = false
  }

  /// The fate of received bytes.
  enum Receipt: Equatable {
    case accepted(buffered: Int)
    case pause
    case abort
  }

  /// Bytes to buffer ahead of the consumer.
  let highWater: Int
  private var consumer = Consumer.starting
  private var head: ResponseHead?
  private var buffer = Data()
  private var end: Result<Void, LoadingError>?
  private var paused = false

  init(highWater: Int) {
    self.highWater = highWater
  }

  /// The consumer has left or has received the end.
  var isGone: Bool {
    if case .gone = consumer { true } else { false }
  }

  // MARK: Consumer

  /// The consumer waits for the head.
  mutating func awaitHead(_ waiter: HeadWaiter) -> ConsumerAction {
    guard case .starting = consumer else {
      return ConsumerAction(answer: .head(waiter, .failure(CancellationError())))
    }
    consumer = .awaitingHead(waiter)
    return deliver()
  }

  /// The consumer wants a chunk.
  mutating func awaitChunk(_ waiter: ChunkWaiter) -> ConsumerAction {
    switch consumer {
    case .between:
      consumer = .awaitingChunk(waiter)
      return deliver()
    case .gone:
      return ConsumerAction(answer: .chunk(waiter, .failure(CancellationError())))
    case .starting, .awaitingHead, .awaitingChunk:
      return ConsumerAction(answer: .chunk(waiter, .failure(LoadingError.bodyAlreadyConsumed)))
    }
  }

  /// Returns a chunk or the end without waiting; `nil` when the consumer must wait.
  mutating func takeNow() -> (result: Result<Data?, any Error>, resumeProducer: Bool)? {
    guard case .between = consumer else { return nil }
    return take()
  }

  /// The consumer leaves: its task was cancelled, or the body was released.
  mutating func leave() -> ConsumerAction {
    var action = ConsumerAction()
    switch consumer {
    case .awaitingHead(let waiter): action.answer = .head(waiter, .failure(CancellationError()))
    case .awaitingChunk(let waiter): action.answer = .chunk(waiter, .failure(CancellationError()))
    case .starting, .between: break
    case .gone: return action
    }
    consumer = .gone
    buffer = Data()
    action.stopProducer = end == nil
    return action
  }

  // MARK: Producer

  /// The head of the response arrived.
  mutating func receive(_ head: ResponseHead) {
    if end == nil { self.head = head }
  }

  /// Bytes of the body arrived. ``Receipt/pause`` and ``Receipt/abort`` do not take them.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Receipt {
    if end != nil || isGone { return .abort }
    if !buffer.isEmpty, bytes.count > highWater - buffer.count {
      paused = true
      return .pause
    }
    if buffer.isEmpty { buffer.reserveCapacity(capacity(atLeast: bytes.count)) }
    buffer.append(contentsOf: bytes)
    return .accepted(buffered: buffer.count)
  }

  /// The transfer has ended. The first end counts.
  mutating func finish(_ result: Result<Void, LoadingError>) {
    if end == nil { end = result }
  }

  /// Answers the consumer if possible.
  ///
  /// Separate from the producer's other events, so that one turn of the loop, which may bring the head, all bytes and
  /// the end, wakes the consumer once.
  mutating func deliver() -> ConsumerAction {
    switch consumer {
    case .awaitingHead(let waiter):
      if let head {
        consumer = .between
        return ConsumerAction(answer: .head(waiter, .success(head)))
      }
      switch end {
      case .failure(let error):
        consumer = .gone
        return ConsumerAction(answer: .head(waiter, .failure(error)))
      case .success, nil:
        return ConsumerAction()
      }
    case .awaitingChunk(let waiter):
      consumer = .between
      if let taken = take() {
        return ConsumerAction(answer: .chunk(waiter, taken.result), resumeProducer: taken.resumeProducer)
      }
      consumer = .awaitingChunk(waiter)
      return ConsumerAction()
    case .starting, .between, .gone:
      return ConsumerAction()
    }
  }

  private mutating func take() -> (result: Result<Data?, any Error>, resumeProducer: Bool)? {
    if !buffer.isEmpty {
      let chunk = buffer
      buffer = Data()
      let resume = paused && end == nil
      paused = false
      return (.success(chunk), resume)
    }
    switch end {
    case nil: return nil
    case .success: return (.success(nil), false)
    case .failure(let error): return (.failure(error), false)
    }
  }

  /// A declared length saves growing the buffer, but reserves no more than the high-water mark.
  private func capacity(atLeast count: Int) -> Int {
    min(max(count, min(head?.expectedLength ?? 0, highWater)), max(highWater, count))
  }
}
