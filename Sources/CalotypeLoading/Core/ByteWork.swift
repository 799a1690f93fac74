import CalotypeSupport

/// Where bytes are computed on: transforms of bodies, large `data:` URLs.
enum ByteWork {
  /// One pool for all loaders, so that many of them do not take more than the machine has.
  static let executor = WorkerExecutor(name: "calotype-bytes", threads: min(4, Threads.availableProcessors))
}
