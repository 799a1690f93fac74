import FoundationEssentials
import Glibc
import Synchronization

/// Names for files that are being written: no two writers ever choose the same one, and others can tell whether
/// the writer still lives.
///
/// `namespace-pid-instance-counter`, in hexadecimal: processes in different containers may share a folder and have
/// the same number, so a number only means something within its PID namespace.
final class TemporaryNames: Sendable {
  private let namespace: UInt64
  private let process: pid_t
  private let instance = UInt64.random(in: .min ... .max)
  private let counter = Atomic<UInt64>(0)

  /// How old a file is that nobody writes any more.
  static let staleAge: TimeInterval = 3600

  init(namespace: UInt64 = TemporaryNames.currentNamespace, process: pid_t = getpid()) {
    self.namespace = namespace
    self.process = process
  }

  func next() -> String {
    let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
    return [namespace, UInt64(UInt32(bitPattern: process)), instance, number]
      .map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// Whether nobody will ever rename this file: it is old, or its process is gone.
  func isStale(_ name: String, modified: Date, now: Date) -> Bool {
    if now.timeIntervalSince(modified) > Self.staleAge { return true }
    let fields = name.split(separator: "-")
    guard fields.count == 4, UInt64(fields[0], radix: 16) == namespace,
      let writer = UInt32(fields[1], radix: 16).map({ pid_t(bitPattern: $0) }), writer > 0, writer != process
    else { return false }
    return kill(writer, 0) != 0 && errno == ESRCH
  }

  static var currentNamespace: UInt64 {
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
  }
}
