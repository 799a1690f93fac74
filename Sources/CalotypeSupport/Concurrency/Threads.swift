import Glibc

/// Starts plain threads for blocking loops: transfers, file I/O, CPU-bound work.
package enum Threads {
  /// Starts a detached thread that runs `body` once. External signals are blocked in it, so that they reach the threads
  /// of the embedding program; signals of its own faults are not.
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The stack size of the main thread, which decoders of the program may need. Pages are allocated lazily.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    var thread = pthread_t()
    let status = pthread_create(&thread, &attributes, threadMain, start.toOpaque())
    pthread_attr_destroy(&attributes)
    precondition(status == 0, "pthread_create failed: \(status)")
  }

  /// The processors that this process may use: those of its affinity mask, limited by the quota of its cgroup (v2); at
  /// least one.
  package static var availableProcessors: Int {
    let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    return max(1, min(affinity ?? online, cgroupQuota ?? .max))
  }

  /// Processors in the affinity mask; `sched_getaffinity` is not visible to Swift.
  private static var affinity: Int? {
    guard
      let line = contents(of: "/proc/self/status").split(separator: "\n")
        .first(where: { $0.hasPrefix("Cpus_allowed:") })
    else { return nil }
    let count = line.dropFirst("Cpus_allowed:".count).reduce(0) {
      $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : nil
  }

  /// `cpu.max` as whole processors, rounded up; `nil` without a quota.
  private static var cgroupQuota: Int? {
    let words = contents(of: "/sys/fs/cgroup/cpu.max").split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0, quota > 0
    else { return nil }
    return max(1, (quota + period - 1) / period)
  }

  /// Returns the first 8 KiB of a kernel file; empty when it cannot be read.
  private static func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8 << 10)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}

/// Names the thread for `top -H` and debuggers; `pthread_setname_np` is not visible to Swift. Without `/proc` it does
/// nothing.
private func nameThisThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  var name = name
  _ = name.withUTF8 { write(descriptor, $0.baseAddress, min($0.count, 15)) }
  close(descriptor)
}

private final class Start: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
  nameThisThread(start.name)
  start.body()
  return nil
}
