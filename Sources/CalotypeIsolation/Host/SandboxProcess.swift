import CSandbox
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import Glibc

/// A worker and the memory that it shares with this process.
// `@unchecked`: it is used by one thread at a time, which has taken it out of the pool; the lock of the pool orders them.
final class SandboxProcess: @unchecked Sendable {
  /// Shared memory of a new worker.
  static let inputSize = 1 << 20, outputSize = 64 << 20
  /// The interval at which cancellation and deadlines are looked at while a worker computes.
  static let pollInterval = 4_000

  /// A number that no other worker of the pool has.
  let number: Int
  let posture: SandboxPosture
  /// The formats whose libraries it has opened.
  let formats: Set<ImageFormat>
  let pid: Int32
  private var process: csandbox_process
  private let memory: SharedMemory
  /// The number of the job in progress: a random one, so that no message sent before the job is taken for its reply.
  private var job: UInt64 = 0
  private var numbers = JobNumbers()
  private var buffer = [UInt8](repeating: 0, count: SandboxReply.byteLimit + 64)
  /// The sessions in the worker, and the numbers of their last jobs.
  var sessions: [UInt64: UInt64] = [:]
  /// Sessions that have ended in the host, and not yet in the worker.
  var endedSessions: [UInt64] = []
  /// Images that were decoded.
  var served = 0
  private(set) var isAlive = true
  /// The processor time, after the end.
  private(set) var processorTime = Duration.zero
  /// The processor time so far, while it lives.
  var currentProcessorTime: Duration { .nanoseconds(Int64(clamping: csandbox_processor_time(pid))) }
  /// A Boolean value that indicates whether shared memory has pages.
  private(set) var hasMemory = false

  /// Starts a worker, and waits until it is locked.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of all workers.
  ///   - number: The number.
  ///   - formats: The formats whose libraries it opens.
  init(
    _ configuration: SandboxConfiguration, number: Int, formats: Set<ImageFormat>
  ) throws(SandboxStartFailure) {
    self.number = number
    self.formats = formats
    guard getenv(CSANDBOX_ROLE) == nil else {
      throw SandboxStartFailure(
        reason: "this process is a worker that did not begin as one", isLasting: true)
    }
    let memory = try SharedMemory()
    self.memory = memory
    var process = csandbox_process(pid: -1, pidfd: -1, socket: -1)
    let program =
      switch configuration.executable {
      case .thisProgram: "/proc/self/exe"
      case .path(let path): path
      }
    let status = program.withCString { program in
      configuration.role(opening: formats).description.withCString { role in
        var options = csandbox_start_options(
          program: program, role: role, input: memory.inputForReading.number, output: memory.output.number)
        return csandbox_start(&options, &process)
      }
    }
    guard status == 0 else {
      throw SandboxStartFailure(
        reason: "\(program) cannot be started: \(SystemError.text(of: -status))",
        isLasting: [ENOENT, EACCES, EPERM, ENOEXEC, ENOSYS].contains(-status))
    }
    self.process = process
    pid = process.pid
    csandbox_set_timeout(process.socket, 10_000_000)
    let count = csandbox_receive(process.socket, &buffer, buffer.count)
    do {
      guard count > 0 else { throw WireError(reason: "there is none") }
      posture = try SandboxGreeting(Array(buffer[..<count])).posture
    } catch {
      var end = csandbox_end()
      csandbox_kill(&process)
      let death = csandbox_reap(&process, 1000, &end) == 0 ? WorkerDeath(end) : nil
      guard count != -Int(EAGAIN) else {
        throw SandboxStartFailure(reason: "\(program) does not become a worker within 10 s")
      }
      throw SandboxStartFailure(
        reason: "\(program) ends instead of becoming a worker" + (death.map { " (\($0))" } ?? ""),
        isLasting: death != nil && death != .memory)
    }
    csandbox_set_timeout(process.socket, Int32(Self.pollInterval))
  }

  deinit {
    if isAlive { _ = end(killing: true) }
  }

  /// Has the worker do a job.
  ///
  /// - Parameters:
  ///   - body: The work.
  ///   - input: The bytes of the image.
  ///   - limit: The most bytes of shared memory for the result.
  ///   - deadline: The end of the time.
  ///   - read: Reads the result: a description, and the shared memory, which the worker may change at any time.
  func perform<Result>(
    _ body: SandboxRequest.Body, input: Data?, limit: Int, until deadline: MonotonicTime,
    _ read: (inout WireReader, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(WorkerFailure) -> Swift.Result<Result, ImagingError> {
    while let session = endedSessions.popLast() {
      _ = try exchange(.close(session: session), inputCount: 0, until: deadline)
    }
    if let input { try memory.setInput(input) }
    var outcome = try exchange(body, inputCount: input?.count ?? 0, until: deadline)
    if case .needs(let count) = outcome {
      guard count <= limit else {
        throw .violation(reason: "a result of \(count) bytes is too large", call: nil)
      }
      try memory.growOutput(by: count)
      outcome = try exchange(.fetch, inputCount: 0, until: deadline)
    }
    let bytes: [UInt8]
    switch outcome {
    case .failed(let error): return .failure(error)
    case .needs: throw .violation(reason: "a result grows", call: nil)
    case .inline(let inline): bytes = inline
    // Copied first: what was checked must not change afterwards.
    case .stored(let offset, let count):
      bytes = Array(UnsafeRawBufferPointer(rebasing: memory.results[offset..<offset + count]))
    }
    var reader = WireReader(bytes)
    do throws(WireError) {
      let result = try read(&reader, memory.results)
      try reader.end()
      return .success(result)
    } catch {
      throw .violation(reason: error.reason, call: nil)
    }
  }

  /// Bytes of shared memory for results.
  var outputCapacity: Int { memory.results.count }

  private func exchange(
    _ body: SandboxRequest.Body, inputCount: Int, until deadline: MonotonicTime
  ) throws(WorkerFailure) -> SandboxReply.Outcome {
    job = numbers.next()
    hasMemory = true
    let request = SandboxRequest(
      id: job, body: body, inputCount: inputCount, outputCapacity: memory.results.count,
      clearsBuffers: PixelPool.shared.zeroesOnReturn)
    let bytes = request.bytes
    guard bytes.count <= SandboxRequest.byteLimit else { throw .outOfMemory(byteCount: bytes.count) }
    switch csandbox_send(process.socket, bytes, bytes.count, 0) {
    case bytes.count: break
    case -Int(EAGAIN): throw .violation(reason: "it does not take its jobs", call: nil)
    default: throw .gone(end(killing: false))
    }
    while true {
      let count = csandbox_receive(process.socket, &buffer, buffer.count)
      if count > 0 { return try reply(Array(buffer[..<count])) }
      if count == -Int(EMSGSIZE) { throw .violation(reason: "a message is too long", call: nil) }
      guard count == -Int(EAGAIN) else { throw .died(end(killing: false)) }
      if Task.isCancelled { throw .cancelled }
      if MonotonicTime.now >= deadline { throw .deadline }
    }
  }

  private func reply(_ bytes: [UInt8]) throws(WorkerFailure) -> SandboxReply.Outcome {
    if let call = ViolationReport.number(in: bytes) {
      throw .violation(reason: "a forbidden system call", call: call)
    }
    do throws(WireError) {
      let reply = try SandboxReply(bytes, capacity: memory.results.count)
      guard reply.id == job else {
        throw WireError(reason: "a reply to job \(reply.id) instead of \(job)")
      }
      return reply.outcome
    } catch {
      throw .violation(reason: error.reason, call: nil)
    }
  }

  /// Ends the worker, and waits for its end.
  @discardableResult
  func end(killing: Bool) -> WorkerDeath {
    guard isAlive else { return .unknown }
    isAlive = false
    if killing { csandbox_kill(&process) }
    var end = csandbox_end()
    // One that has closed its connection and goes on is killed.
    guard csandbox_reap(&process, 100, &end) == 0 else { return .unknown }
    processorTime = .nanoseconds(Int64(clamping: end.processor_time))
    return WorkerDeath(end)
  }

  /// Returns memory of results and inputs to the system. The worker is idle.
  func releaseMemory() {
    hasMemory = false
    memory.release()
  }
}

/// The reason why a worker cannot be started.
struct SandboxStartFailure: Error {
  let reason: String
  /// A Boolean value that indicates whether another attempt would fail as well.
  var isLasting = false
}

extension SandboxConfiguration {
  /// The formats of which workers open libraries, once they are needed.
  var formatsOfLibraries: Set<ImageFormat> {
    CoderRegistry.formatsOfLibraries.filter { opensLibrary(of: $0) }
  }

  /// Returns true if workers open a library for a format.
  func opensLibrary(of format: ImageFormat) -> Bool {
    CoderRegistry.formatsOfLibraries.contains(format) && includes(format)
  }

  /// The parameters of a worker.
  func role(opening formats: Set<ImageFormat>) -> WorkerRole {
    var role = WorkerRole()
    role.memory = memory
    role.formats = formats
    role.startsInMain = entry == .main
    role.isTest = test.usesTestCoders
    role.withoutSeccomp = test.withoutSeccomp
    role.withoutLandlock = test.withoutLandlock
    // Each job has at most the deadline; all of them together, twice that.
    let seconds = Double(deadline.components.seconds) + 1
    let jobs = if case .images(let count) = reuse { Double(max(1, count)) } else { 1.0 }
    role.processorTime = Int(min(2 * seconds * jobs, 1e9))
    return role
  }
}
