import CalotypeSupport
import FoundationEssentials

/// One transfer, shared by its consumer and the loader's thread.
///
/// It keeps the loader alive, so that a body can be read to its end after all other references to the loader are gone.
final class Transfer: LoadBody.Producing {
  typealias HeadWaiter = Waiter<Result<ResponseHead, any Error>>
  typealias ChunkWaiter = Rendezvous<Result<Data?, any Error>>
  typealias Machine = TransferMachine<HeadWaiter, ChunkWaiter>

  let url: URL
  let target: HTTPRequestStep
  /// The origin whose slots it takes.
  let host: String
  let request: LoadRequest
  /// The time of the call, for the total timeout.
  let submitted: MonotonicTime
  /// The priority, unless the request has a live one.
  private let initialPriority: UInt8
  private let core: CurlCore
  private let loader: CurlLoader
  /// For all waits of the consumer: an object for each would cost every chunk of a body.
  private let chunks = ChunkWaiter()
  private let machine: Lock<Machine>
  private let measured = Lock<LoadResponse.Metrics?>(nil)

  init(url: URL, target: HTTPRequestStep, request: LoadRequest, core: CurlCore, loader: CurlLoader) {
    self.url = url
    self.target = target
    host = target.url.origin.description
    self.request = request
    initialPriority = (request.priority ?? Task.currentPriority).rawValue
    self.core = core
    self.loader = loader
    submitted = .now
    machine = Lock(Machine(highWater: loader.configuration.highWater))
  }

  // MARK: Consumer, any thread

  /// Hands the transfer to the loader's thread and waits for the head.
  func head() async throws -> ResponseHead {
    guard request.priority == nil, request.livePriority == nil else { return try await submit() }
    return try await withTaskPriorityEscalationHandler {
      try await submit()
    } onPriorityEscalated: { _, priority in
      core.post(.prioritise(self, priority.rawValue))
    }
  }

  private func submit() async throws -> ResponseHead {
    let waiter = HeadWaiter()
    let result = await withTaskCancellationHandler {
      let action = machine.withLock { $0.awaitHead(waiter) }
      carryOut(action)
      if case .none = action.answer, let refusal = core.submit(self) {
        fail(refusal)
        deliver()
      }
      return await waiter.value()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  var metrics: LoadResponse.Metrics? { measured.withLock { $0 } }

  func next() async throws -> Data? {
    if Task.isCancelled { cancel() }
    if let taken = machine.withLock({ $0.takeNow() }) {
      if taken.resumeProducer { core.post(.resume(self)) }
      return try taken.result.get()
    }
    let result = await withTaskCancellationHandler {
      let action = machine.withLock { $0.awaitChunk(chunks) }
      // An answer at once may be for a second consumer: it must not reach the one that waits.
      if case .chunk(_, let result) = action.answer {
        carryOut(action, answering: false)
        return result
      }
      carryOut(action)
      return await chunks.receive()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func cancel() {
    carryOut(machine.withLock { $0.leave() })
  }

  // MARK: Loader's thread

  /// The present priority; larger goes first.
  var priority: UInt8 { request.livePriority?.value.rawValue ?? initialPriority }

  /// Reports each change of the priority to the loader's thread, until it is cancelled; `nil` if the priority cannot
  /// change.
  func observePriority() -> LivePriority.Observation? {
    // Weak, because the transfer owns the request and with it the priority.
    request.livePriority?.observe { [core, weak self] in
      if let self { core.post(.followPriority(self)) }
    }
  }

  var isGone: Bool { machine.withLock { $0.isGone } }

  func receive(_ head: ResponseHead) {
    machine.withLock { $0.receive(head) }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Machine.Receipt {
    machine.withLock { $0.receive(bytes) }
  }

  func receive(_ metrics: LoadResponse.Metrics) {
    measured.withLock { $0 = metrics }
  }

  func complete() {
    machine.withLock { $0.finish(.success(())) }
  }

  func fail(_ error: LoadingError) {
    machine.withLock { $0.finish(.failure(error)) }
  }

  /// Answers the consumer if it waits and an answer is available.
  func deliver() {
    carryOut(machine.withLock { $0.deliver() })
  }

  private func carryOut(_ action: Machine.ConsumerAction, answering: Bool = true) {
    if action.resumeProducer { core.post(.resume(self)) }
    if action.stopProducer { core.post(.cancel(self)) }
    guard answering else { return }
    switch action.answer {
    case .none: break
    case .head(let waiter, let result): waiter.resolve(result)
    case .chunk(let waiter, let result): waiter.send(result)
    }
  }
}
