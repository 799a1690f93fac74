import CalotypeSupport

/// The executor for computations on bytes: body transforms, large `data:` URLs.
enum ByteWork {
  /// One pool for all loaders, so that many loaders do not oversubscribe the machine.
  static let executor = WorkerExecutor(name: "calotype-bytes", threads: min(4, Threads.availableProcessors))
}
