import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeIsolation

@Suite("Attacks on a sandbox", .enabled(if: !Sanitizer.isOn))
struct AttackTests {
  /// What must come of an attack.
  enum Expected {
    case picture
    case crash(Set<Int>)
    case violation
    case violationOf(Int)
    case timeout
    case memory
  }

  static let cases: [(HostileDecoder.Attack, Expected)] = [
    (.none, .picture), (.writeToNull, .crash([Int(SIGSEGV)])), (.trap, .crash([Int(SIGILL), Int(SIGTRAP)])),
    (.abort, .crash([Int(SIGABRT)])), (.fatalError, .crash([Int(SIGILL), Int(SIGTRAP)])),
    (.overflowStack, .crash([Int(SIGSEGV)])), (.spin, .timeout), (.sleep, .violation),
    (.exhaustMemory, .picture), (.writeBehindResults, .crash([Int(SIGSEGV), Int(SIGBUS)])),
    (.writeToInput, .crash([Int(SIGSEGV)])), (.scribble, .picture), (.replyToAnotherJob, .violation),
    (.replyWithHugeSize, .violation), (.replyWithBadText, .violation), (.replyWithHalf, .violation),
    (.replyWithNoise, .violation), (.replyWithTooMuch, .violation), (.openFile, .violation),
    (.openSocket, .violation), (.connect, .violation), (.execute, .violation), (.fork, .violation),
    (.traceHost, .violation), (.readHost, .violation), (.killHost, .violation), (.createMemory, .violation),
    (.makeExecutable, .violation), (.closeConnection, .violation), (.callX32, .violation),
    (.call386, .violation), (.exit, .violation),
  ]

  @Test("each attack ends with the right error, in time, and the next image is decoded", arguments: cases)
  func attack(_ attack: HostileDecoder.Attack, _ expected: Expected) throws {
    // A busy machine takes its time to fill the memory of a worker.
    let deadline = attack == .exhaustMemory ? 20_000 : 500
    let service = Sandboxes.service { $0.deadline = .milliseconds(deadline) }
    #expect(Sandboxes.error(.none, service) == nil)
    let start = ContinuousClock.now
    let error = Sandboxes.error(attack, service)
    let time = ContinuousClock.now - start
    switch (expected, error) {
    case (.picture, nil): break
    case (.crash(let signals), .decoderCrashed(let format, let signal)):
      #expect(format == HostileDecoder.format)
      #expect(signals.contains(signal))
    case (.violation, .sandboxViolation): break
    case (.timeout, .limitExceeded(.duration, _, let limit)):
      #expect(limit == 500)
      #expect(time >= .milliseconds(500))
    default: Issue.record("\(attack): \(error.map { "\($0)" } ?? "a picture")")
    }
    // One that replies and goes on delays the next image, and nobody else.
    let next = Sandboxes.error(.none, service)
    if attack == .scribble { #expect(next?.code == "limitExceeded") } else { #expect(next == nil) }
    #expect(Sandboxes.error(.none, service) == nil)
  }

  @Test("a reply to a job before is no reply to the next one")
  func replyTwice() throws {
    let service = Sandboxes.service()
    _ = Sandboxes.error(.replyTwice, service)
    // The second reply is there already when the next job begins: its worker is replaced, and the next image is not to blame.
    #expect(Sandboxes.error(.none, service) == nil)
    #expect(Sandboxes.error(.none, service) == nil)
    #expect(service.statistics.violations <= 1 && service.statistics.quarantined == 0)
  }

  @Test("the environment of a worker has nothing of the host's")
  func environment() throws {
    setenv("CALOTYPE_TEST_SECRET", "do-not-tell", 1)
    let service = Sandboxes.service()
    let image = try Sandboxes.registry(service).decode(HostileDecoder.image(.environment))
    let text = image.bitmap.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    #expect(text.hasPrefix("CALOTYPE_SANDBOX_WORKER="))
    #expect(!text.contains("do-not-tell"))
  }

  @Test("an input that has killed is refused at once, by every sandbox of the service, and others are not")
  func quarantine() throws {
    let service = Sandboxes.service()
    let coders = Sandboxes.registry(service)
    let deadly = HostileDecoder.image(.abort, argument: 7)
    #expect(throws: ImagingError.decoderCrashed(HostileDecoder.format, signal: Int(SIGABRT))) {
      try coders.decode(deadly)
    }
    let starts = service.statistics.starts
    for _ in 0..<3 {
      #expect(throws: ImagingError.decoderCrashed(HostileDecoder.format, signal: Int(SIGABRT))) {
        try coders.decode(deadly)
      }
    }
    #expect(service.statistics.starts == starts)
    #expect(service.statistics.refusals >= 3)
    #expect(service.statistics.quarantined == 1)
    _ = try coders.decode(HostileDecoder.image(.none, argument: 7))
  }

  @Test("every system call by its number returns, or ends the worker; the host lives")
  func systemCalls() throws {
    let service = Sandboxes.service { $0.deadline = .seconds(2) }
    var returned: [UInt64] = []
    for number in UInt64(0)...460 {
      switch Sandboxes.error(.systemCall, argument: number, service) {
      case nil: returned.append(number)
      case .sandboxViolation: break
      // The connection waits for a message that is none, or ends; memory is taken away from under the program.
      case .limitExceeded, .decoderCrashed, .corrupt: returned.append(number)
      case let error?: Issue.record("\(number): \(error)")
      }
    }
    // Reading, opening, sockets, processes: nothing of them returned.
    #if arch(x86_64)
    for number: UInt64 in [0, 2, 41, 42, 56, 57, 58, 59, 62, 101, 257, 310, 319, 435] {
      #expect(!returned.contains(number), "\(number)")
    }
    #endif
    #expect(returned.count <= 24, "\(returned)")
  }

  @Test("a thousand crashes leave nothing behind")
  func crashes() throws {
    let service = Sandboxes.service(workers: 2)
    for _ in 0..<20 { _ = Sandboxes.error(.writeToNull, service) }
    let (mappings, descriptors) = (Self.mappings, Self.descriptors)
    for _ in 0..<1000 {
      guard case .decoderCrashed = Sandboxes.error(.writeToNull, service) else {
        Issue.record("no crash")
        return
      }
    }
    #expect(service.statistics.crashes >= 1020)
    // Tests beside this one open some, too.
    #expect(Self.descriptors <= descriptors + 400)
    #expect(Self.zombies <= 2)
    // Other tests of this process come and go.
    #expect(Self.mappings <= mappings + 200)
    #expect(Sandboxes.error(.none, service) == nil)
  }

  @Test("other images are decoded while some crash and some hang")
  func neighbours() async throws {
    let service = Sandboxes.service(workers: 2) { $0.deadline = .milliseconds(300) }
    let workers = WorkerExecutor(name: "sandbox-test", threads: 8)
    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          try await workers.run {
            let attack: HostileDecoder.Attack = index % 16 == 5 ? .abort : index % 16 == 9 ? .spin : .none
            return (Sandboxes.error(attack, service) == nil) == (attack == .none)
          }
        }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(results.count == 64)
    #expect(!results.contains(false))
  }

  /// The number of memory mappings of this process.
  static var mappings: Int {
    guard let file = try? FileDescriptor("/proc/self/maps", O_RDONLY) else { return 0 }
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let length = read(file.number, &buffer, buffer.count)
      if length <= 0 { return count }
      count += buffer[..<length].count { $0 == 10 }
    }
  }

  /// The number of children that have ended and that nobody has waited for.
  static var zombies: Int {
    var info = siginfo_t()
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo != 0 ? 1 : 0
  }

  static var descriptors: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
