import Glibc

/// Plain threads, for loops that block: transfers, file I/O, CPU-bound work.
package enum Threads {
  /// Starts a detached thread that runs `body` once. All signals are blocked in it, so that they reach the
  /// threads of the program that embeds us.
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Decoders and sort routines of C libraries may want more than a musl-sized stack; pages are lazy.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let status = pthread_create(&thread, &attributes, threadMain, start.toOpaque())
    pthread_attr_destroy(&attributes)
    precondition(status == 0, "pthread_create failed: \(status)")
  }

  /// Processors this process may run on, at least one.
  package static var availableProcessors: Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}

/// For `top -H` and debuggers; `pthread_setname_np` is not visible to Swift. A system without `/proc` has no names.
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
