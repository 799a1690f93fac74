import CSandbox
public import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import Glibc

/// The process that decodes for another one: this program, started again.
///
/// A program that is started as a worker decodes until its connection ends, and never reaches its own code: a C initialiser
/// calls the loop before `main`. Programs whose pipelines use coders of their own begin `main` with
/// ``runIfAsked(coders:)`` instead, and say so by ``SandboxConfiguration/Entry/main``.
public enum DecodingWorker {
  /// Decodes for the process that started this program, with coders of one's own and those that decode in sandboxes only, and
  /// does not return then; returns at once if this program was not started as a worker.
  ///
  /// Call it first in `main`. Threads must not be running, and files of the coders must be open already: nothing can be opened
  /// afterwards.
  public static func runIfAsked(coders: CoderRegistry) {
    guard let text = getenv(CSANDBOX_ROLE), let role = WorkerRole(String(cString: text)), role.startsInMain
    else { return }
    run(role, coders: coders)
  }

  /// Coders that a test registers in the workers of its own program.
  nonisolated(unsafe) private static var testCoders: [any ImageDecoding] = []

  /// The number of the job in progress, for decoders of tests that forge replies.
  nonisolated(unsafe) package static var currentJob: UInt64 = 0

  /// Access to shared memory for decoders of tests.
  package struct TestAccess: Sendable {
    let input: UInt, output: UInt, capacity: Int

    /// Writes behind the shared memory for results.
    package func writeBehindResults() {
      UnsafeMutableRawPointer(bitPattern: output + UInt(WorkerLoop.reservation))?.storeBytes(
        of: 1, as: Int.self)
      // Memory that the host has not given.
      UnsafeMutableRawPointer(bitPattern: output + UInt(capacity) + 4096)?.storeBytes(of: 1, as: Int.self)
    }

    /// Writes to the input.
    package func writeToInput() {
      UnsafeMutableRawPointer(bitPattern: input)?.storeBytes(of: 1, as: Int.self)
    }

    /// Replies with a picture, and overwrites it for ever.
    package func scribble() {
      guard let picture = UnsafeMutableRawPointer(bitPattern: output) else { return }
      memset(picture, 0x11, 256)
      var writer = WireWriter()
      let info = ImageInfo(format: ImageFormat(rawValue: "evil"), size: PixelSize(width: 64, height: 1))
      writer.write(1)
      var image = ImageMessage(info: info)
      image.offset = 0
      writer.write(image)
      let reply = SandboxReply(id: DecodingWorker.currentJob, outcome: .inline(writer.bytes)).bytes
      _ = csandbox_send(CSANDBOX_SOCKET, reply, reply.count, 1)
      var value: Int32 = 0
      while true {
        memset(picture, value, 256)
        value &+= 1
      }
    }
  }

  /// Access to shared memory, in a worker.
  nonisolated(unsafe) package static var forTests: TestAccess?

  /// Registers a decoder of tests. Called before the loop begins, by the one thread that there is.
  package static func registerForTests(_ decoder: any ImageDecoding) { testCoders.append(decoder) }

  static func run(_ role: WorkerRole, coders: CoderRegistry) -> Never {
    var coders = coders.withSandboxedDecoders
    if role.isTest {
      csandbox_prepare_tests()
      for decoder in testCoders { coders.register(decoder) }
    }
    guard let worker = WorkerLoop(coders: coders) else { _exit(WorkerExit.memory) }
    CoderRegistry.warmUp(for: role.formats)
    var options = csandbox_lock_options()
    options.memory = role.memory
    options.processor_time = UInt64(role.processorTime)
    options.without_seccomp = role.withoutSeccomp ? 1 : 0
    options.without_landlock = role.withoutLandlock ? 1 : 0
    csandbox_set_violation_prefix(ViolationReport.mark)
    var posture = csandbox_posture()
    guard csandbox_lock(&options, &posture) == 0 else { _exit(WorkerExit.lock) }
    worker.greet(
      SandboxPosture(
        hasSeccomp: posture.has_seccomp != 0, landlockABI: Int(posture.landlock_abi),
        hasMemoryLimit: posture.has_address_limit != 0, isSanitized: csandbox_is_sanitized() != 0))
    worker.run()
  }
}

/// The exit statuses of workers.
enum WorkerExit {
  /// The host has closed the connection.
  static let done: Int32 = 0
  /// The shared memory cannot be mapped.
  static let memory: Int32 = 91
  /// The process could not be locked.
  static let lock: Int32 = 92
  /// A forbidden system call was reported.
  static let violation: Int32 = 93
  /// A message of the host is not understood, or a rule of the worker itself is broken.
  static let confusion: Int32 = 94
}

/// A forbidden system call, as the signal handler of a worker reports it.
enum ViolationReport {
  /// The first 8 bytes; replies begin with the number of a job, which is never this large.
  static let mark: UInt64 = .max

  /// Returns the number of the call, if this is such a report.
  static func number(in bytes: [UInt8]) -> Int? {
    var reader = WireReader(bytes)
    guard bytes.count == 16, (try? reader.word()) == mark, let number = try? reader.word() else { return nil }
    return Int(truncatingIfNeeded: number)
  }
}

/// Called by the initialiser in C.
@_cdecl("calotype_sandbox_worker")
public func calotypeSandboxWorker(_ text: UnsafePointer<CChar>) {
  guard let role = WorkerRole(String(cString: text)) else { _exit(WorkerExit.confusion) }
  DecodingWorker.run(role, coders: .standard)
}
