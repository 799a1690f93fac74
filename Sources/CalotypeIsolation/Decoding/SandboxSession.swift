import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import Synchronization

/// A decoder in a worker that lives longer than a job. If its worker dies, or has to make room, it is made again in another
/// one, from all that it has seen.
///
/// One thread at a time, like the decoders that it stands for.
final class SandboxSession {
  /// Sessions in a worker; the least recently used one makes room.
  static let limitPerWorker = 16

  private static let numbers = Atomic<UInt64>(1)

  let service: DecodingSandbox
  let options: DecodeOptions
  private let hasWholeInput: Bool
  /// The number, in whichever worker it is.
  private let number = SandboxSession.numbers.add(1, ordering: .relaxed).newValue
  /// The worker that has the session.
  private var worker: Int?

  /// - Parameters:
  ///   - service: The sandbox.
  ///   - options: The options of the decoder.
  ///   - hasWholeInput: Whether the input of each step is a whole file, which is to blame if it kills the worker. A part may be
  ///     another file by itself.
  init(_ service: DecodingSandbox, _ options: DecodeOptions, hasWholeInput: Bool) {
    self.service = service
    self.hasWholeInput = hasWholeInput
    self.options = service.bounded(options)
  }

  deinit {
    if let worker { service.pool.endSession(number, of: worker) }
  }

  /// A step of a session.
  struct Step {
    var body: (UInt64) -> SandboxRequest.Body
    var input: Data?
  }

  /// Does a step, after those that the worker has not seen.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - beginning: The first bytes of the image, as far as they have come.
  ///   - history: Returns the steps before it: the opening of the session, and all bytes that it has got.
  ///   - read: Reads the result of the step.
  func perform<Result>(
    _ step: Step, of beginning: Data, after history: () -> [Step],
    _ read: (inout WireReader, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(ImagingError) -> Result {
    if hasWholeInput { try service.pool.checkQuarantine(beginning) }
    let waiting = MonotonicTime.now.advanced(by: SandboxPool.longestWait)
    var attempts = JobAttempts()
    var format = options.formatHint ?? ImageFormat.sniff(beginning)
    while true {
      let (process, isThere) = try take(for: format, isFresh: attempts.needsFreshWorker, until: waiting)
      let job = SandboxJob(data: beginning, limits: options.limits)
      let served = process.served
      let attempt = Swift.Result { () throws(WorkerFailure) in
        if !isThere, let error = try replay(history(), in: process, job) {
          return Swift.Result<Result, ImagingError>.failure(error)
        }
        return try run(step, process, job, read)
      }
      switch attempt {
      case .success(let outcome):
        process.served += 1
        if case .failure(let error) = outcome, let missing = service.missing(by: error, in: process) {
          (format, worker) = (missing, nil)
          process.sessions[number] = nil
          process.endedSessions.append(number)
          service.pool.giveBack(process)
          continue
        }
        process.sessions[number] = MonotonicTime.now.nanoseconds
        worker = process.number
        service.pool.giveBack(process)
        return try outcome.get()
      case .failure(let failure):
        worker = nil
        let error = service.end(process, after: failure, job)
        if attempts.goesOn(after: failure, served: served) { continue }
        if failure.blamesInput, hasWholeInput { service.pool.quarantine(beginning, because: error) }
        throw error
      }
    }
  }

  /// Does the steps before the next one in a worker that has not seen them. Returns the error of a step that succeeded
  /// before.
  private func replay(
    _ history: [Step], in process: SandboxProcess, _ job: SandboxJob
  ) throws(WorkerFailure) -> ImagingError? {
    try makeRoom(in: process)
    for past in history {
      if case .failure(let error) = try run(past, process, job, { reader, _ in reader.skip() }) {
        return error
      }
    }
    return nil
  }

  private func run<Result>(
    _ step: Step, _ process: SandboxProcess, _ job: SandboxJob,
    _ read: (inout WireReader, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(WorkerFailure) -> Swift.Result<Result, ImagingError> {
    try process.perform(
      step.body(number), input: step.input, limit: job.resultLimit(service.configuration),
      until: service.deadline(options.limits), read)
  }

  /// Returns a worker, and whether it has the session.
  private func take(
    for format: ImageFormat?, isFresh: Bool, until deadline: MonotonicTime
  ) throws(ImagingError) -> (SandboxProcess, Bool) {
    if let worker, let process = try service.pool.take(number: worker, until: deadline) {
      if process.sessions[number] != nil { return (process, true) }
      return (process, false)
    }
    return (try service.pool.take(for: format, isFresh: isFresh, until: deadline), false)
  }

  private func makeRoom(in process: SandboxProcess) throws(WorkerFailure) {
    while process.sessions.count >= Self.limitPerWorker,
      let oldest = process.sessions.min(by: { $0.value < $1.value })?.key
    {
      process.sessions[oldest] = nil
      _ = try process.perform(
        .close(session: oldest), input: nil, limit: 0, until: service.deadline(options.limits)
      ) { _, _ in }
    }
  }
}
