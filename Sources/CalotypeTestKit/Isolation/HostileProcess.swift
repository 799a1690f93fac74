import CHostile
import CalotypeIsolation
import Glibc

/// The attacks of a ``HostileDecoder``.
enum HostileProcess {
  /// Returns if the attack has failed.
  static func perform(_ attack: HostileDecoder.Attack, _ argument: UInt64) {
    switch attack {
    case .none, .environment: break
    case .writeToNull: chostile_write_null()
    case .trap: trap()
    case .abort: Glibc.abort()
    case .fatalError: Swift.fatalError("as asked")
    case .overflowStack: _ = chostile_recurse(0)
    case .spin:
      var count: UInt64 = 0
      while true { count &+= 1 }
    case .sleep: Glibc.sleep(3600)
    case .exhaustMemory:
      var pages: [UnsafeMutableRawPointer] = []
      while let page = malloc(16 << 20) {
        memset(page, 1, 16 << 20)
        pages.append(page)
      }
      for page in pages { free(page) }
    case .writeBehindResults: DecodingWorker.forTests?.writeBehindResults()
    case .writeToInput: DecodingWorker.forTests?.writeToInput()
    case .scribble: DecodingWorker.forTests?.scribble()
    case .replyTwice:
      reply(id: DecodingWorker.currentJob, [2, 0])
      reply(id: DecodingWorker.currentJob, [2, 0])
    case .replyToAnotherJob: reply(id: DecodingWorker.currentJob + 7, [2, 0])
    case .replyWithHugeSize: reply(id: DecodingWorker.currentJob, [0] + picture(width: 1 << 40))
    case .replyWithBadText:
      reply(id: DecodingWorker.currentJob, [2, 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0xfd, 0xfc])
    case .replyWithHalf: reply(id: DecodingWorker.currentJob, [0, 1, 0, 0])
    case .replyWithNoise: send(Array(repeating: 0xa5, count: 301))
    case .replyWithTooMuch: send(Array(repeating: 0, count: 100_000))
    case .systemCall: _ = chostile_call(Int(argument), 0, 0, 0, 0, 0, 0)
    case .openFile: call("openat", -100, address("/etc/passwd"))
    case .openSocket: call("socket", 2, 1)
    case .connect: call("connect", 3)
    case .execute: call("execve", address("/bin/true"))
    case .fork: call("fork")
    case .traceHost: call("ptrace", 16, host)
    case .readHost: call("process_vm_readv", host)
    case .killHost: call("kill", host, 9)
    case .createMemory: call("memfd_create", address("x"))
    case .makeExecutable:
      let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      _ = chostile_call(numbers["mprotect"] ?? -1, Int(bitPattern: page), 4096, 7, 0, 0, 0)
    case .closeConnection: call("close", 3)
    case .callX32: _ = chostile_call(0x4000_0000 | 39, 0, 0, 0, 0, 0, 0)
    case .call386: _ = chostile_call_32(20, 0, 0, 0)
    case .exit: Glibc._exit(Int32(truncatingIfNeeded: argument))
    }
  }

  /// The number of the process that has started this one, which cannot be asked for later.
  static let host = Int(getppid())

  private static func trap() {
    let none: [Int] = []
    _ = none[Int(host)]
  }

  private static func address(_ text: StaticString) -> Int { Int(bitPattern: text.utf8Start) }

  private static func call(_ name: String, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0) {
    _ = chostile_call(numbers[name] ?? -1, a, b, c, 0, 0, 0)
  }

  #if arch(x86_64)
  private static let numbers = [
    "openat": 257, "socket": 41, "connect": 42, "execve": 59, "fork": 57, "ptrace": 101,
    "process_vm_readv": 310, "kill": 62, "memfd_create": 319, "mprotect": 10, "close": 3,
  ]
  #else
  private static let numbers = [
    "openat": 56, "socket": 198, "connect": 203, "execve": 221, "fork": 220, "ptrace": 117,
    "process_vm_readv": 270, "kill": 129, "memfd_create": 279, "mprotect": 226, "close": 57,
  ]
  #endif

  /// The beginning of a result with a picture of a width.
  private static func picture(width: UInt64) -> [UInt8] {
    bytes(1) + bytes(width) + bytes(1) + [0, 0] + bytes(0)
  }

  private static func bytes(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func reply(id: UInt64, _ rest: [UInt8]) { send(bytes(id) + rest) }

  private static func send(_ bytes: [UInt8]) { _ = Glibc.send(3, bytes, bytes.count, 0x4000) }
}
