import CalotypeSupport
import FoundationEssentials

/// The body of a ``ByteStream``: a task pulls the sequence, one chunk per request of the consumer.
///
/// Only the task uses the iterator, which need not be `Sendable`, and a consumer that leaves need not wait for a
/// sequence that ignores cancellation.
final class StreamBody: LoadBody.Producing {
  private typealias Machine = StreamMachine<Rendezvous<Result<Data?, any Error>>, Rendezvous<Bool>>

  private struct State {
    var machine = Machine()
    /// Set until the task starts.
    var pump: ByteStream.Pump?
    /// Set while the task has work.
    var task: Task<Void, Never>?
  }

  private let source: ImageSource
  private let expectedLength: Int?
  private let byteLimit: Int
  private let state: Lock<State>
  /// Where the consumer waits for chunks.
  private let chunks = Rendezvous<Result<Data?, any Error>>()
  /// Where the task waits until the next chunk is wanted.
  private let turns = Rendezvous<Bool>()

  init(_ pump: @escaping ByteStream.Pump, of source: ImageSource, expectedLength: Int?, byteLimit: Int) {
    self.source = source
    self.expectedLength = expectedLength
    self.byteLimit = byteLimit
    state = Lock(State(pump: pump))
  }

  func next() async throws -> Data? {
    let result = await withTaskCancellationHandler {
      let action = state.withLock { $0.machine.ask(chunks) }
      // An answer at once may be for a second consumer: it must not reach the one that waits.
      if case .answer(_, let reply) = action { return Self.result(reply, bringing: .success(nil)) }
      carryOut(action)
      return await chunks.receive()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func cancel() {
    // The machine ends before the task is cancelled, because many sequences end normally on cancellation.
    //
    // Released outside the lock: the release of a sequence may run arbitrary code.
    let (action, pump, task) = state.withLock { state in
      (state.machine.cancel(), state.pump.take(), state.task.take())
    }
    task?.cancel()
    carryOut(action)
    withExtendedLifetime(pump) {}
  }

  private func carryOut(_ action: Machine.Action, bringing result: Result<Data?, any Error> = .success(nil)) {
    switch action {
    case .none: break
    case .start: start()
    case .answer(let waiter, let reply): waiter.send(Self.result(reply, bringing: result))
    case .resume(let pump, let goesOn): pump.send(goesOn)
    }
  }

  private static func result(
    _ reply: Machine.Reply, bringing result: Result<Data?, any Error>
  ) -> Result<Data?, any Error> {
    switch reply {
    case .end: .success(nil)
    case .cancelled: .failure(CancellationError())
    case .taken: .failure(LoadingError.bodyAlreadyConsumed)
    case .brought: result
    }
  }

  // MARK: Task

  private func start() {
    // Without a pump it was cancelled, and the waiter has been answered.
    guard let pump = state.withLock({ $0.pump.take() }) else { return }
    let task = Task { await run(pump) }
    let isOver = state.withLock { state in
      if !state.machine.isOver { state.task = task }
      return state.machine.isOver
    }
    if isOver { task.cancel() }
  }

  private func run(_ pump: ByteStream.Pump) async {
    let end: Result<Data?, any Error>
    do {
      try await pull(pump)
      end = .success(nil)
    } catch let error where error is LoadingError || error is CancellationError {
      end = .failure(error)
    } catch {
      end = .failure(LoadingError.sourceFailed(source, reason: "\(error)"))
    }
    let (action, task) = state.withLock { ($0.machine.finish(), $0.task.take()) }
    carryOut(action, bringing: end)
    withExtendedLifetime(task) {}
  }

  private func pull(_ pump: ByteStream.Pump) async throws {
    var received = 0
    var isTooLarge = false
    try await pump { chunk in
      isTooLarge = chunk.count > byteLimit - received
      if isTooLarge { return false }
      received += chunk.count
      return await handOver(chunk)
    }
    if isTooLarge { throw LoadingError.tooLarge(source, limit: byteLimit, declared: expectedLength) }
    if let expectedLength, received < expectedLength {
      throw LoadingError.sourceFailed(
        source, reason: "it ended after \(received) of \(expectedLength) bytes")
    }
  }

  /// Returns when the next chunk is wanted; `false` if none will be.
  private func handOver(_ chunk: Data) async -> Bool {
    let action = state.withLock { $0.machine.bring(turns) }
    if case .resume(_, let goesOn) = action { return goesOn }
    carryOut(action, bringing: .success(chunk))
    return await turns.receive()
  }
}
