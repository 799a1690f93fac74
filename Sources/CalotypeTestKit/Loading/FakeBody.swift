import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// The body of a ``FakeReply``: takes a step only when it is asked for bytes.
final class FakeBody: LoadBody.Producing {
  private enum Ending {
    case complete
    case cancelled
  }

  private struct State {
    var steps: ArraySlice<FakeReply.Step>
    var received = 0
    var ending: Ending?
    /// The wait of the consumer.
    var wait: Wait?
  }

  private let request: LoadRequest
  private let url: URL
  private let expectedLength: Int?
  private let journal: EventLog<LoaderEntries>
  private let state: Lock<State>

  init(_ reply: FakeReply, request: LoadRequest, url: URL, journal: EventLog<LoaderEntries>) {
    self.request = request
    self.url = url
    self.journal = journal
    expectedLength = reply.expectedLength
    state = Lock(State(steps: reply.steps[...]))
    if reply.steps.isEmpty { end(.complete) }
  }

  func next() async throws -> Data? {
    // A complete body is not cancelled any more.
    if state.withLock({ $0.ending == .complete }) { return nil }
    do {
      try Task.checkCancellation()
      while let step = try takeStep() {
        switch step {
        case .bytes(let data): if let data = try deliver(data) { return data }
        case .wait(let gate): try await hold { try await gate.wait($0) }
        case .signal(let gate): gate.open()
        case .fail(let error): throw error
        case .breakOff:
          let received = state.withLock { $0.received }
          throw LoadingError.truncatedBody(url, received: received, expected: expectedLength)
        case .hang: try await hold { try await $0() }
        }
      }
      end(.complete)
      return nil
    } catch {
      end(error is CancellationError ? .cancelled : .complete)
      throw error
    }
  }

  func cancel() {
    end(.cancelled)
  }

  private func takeStep() throws -> FakeReply.Step? {
    try state.withLock { state in
      if state.ending == .cancelled { throw CancellationError() }
      return state.steps.popFirst()
    }
  }

  /// The bytes, unless there are none; with the last of them the body is complete.
  private func deliver(_ data: Data) throws -> Data? {
    guard !data.isEmpty else { return nil }
    let (received, isLast) = state.withLock { state in
      state.received += data.count
      return (state.received, state.steps.isEmpty)
    }
    guard received <= request.byteLimit else {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: expectedLength)
    }
    journal.note { $0.delivered[request.source, default: 0] += data.count }
    if isLast { end(.complete) }
    return data
  }

  /// Waits for something, unless the consumer leaves before.
  private func hold(_ body: (Wait) async throws -> Void) async throws {
    let wait = Wait()
    let hasEnded = state.withLock { state in
      if state.ending == nil { state.wait = wait }
      return state.ending != nil
    }
    if hasEnded { throw CancellationError() }
    defer { state.withLock { $0.wait = nil } }
    try await body(wait)
  }

  /// Ends the body, once, and tells the loader.
  private func end(_ ending: Ending) {
    let (isFirst, wait) = state.withLock { state -> (Bool, Wait?) in
      guard state.ending == nil else { return (false, nil) }
      state.ending = ending
      state.steps = []
      defer { state.wait = nil }
      return (true, state.wait)
    }
    guard isFirst else { return }
    journal.note { $0.end(isCancelled: ending == .cancelled) }
    wait?.end(.failure(CancellationError()))
  }
}
