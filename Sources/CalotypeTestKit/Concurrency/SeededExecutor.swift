/// Runs tasks one job at a time, in an order that a seed decides: an interleaving that breaks something can be repeated.
///
/// ```swift
/// try await SeededExecutor.explore(seeds: 0..<500) {
///   let counter = Counter()
///   async let first: Void = counter.increment()
///   async let second: Void = counter.increment()
///   _ = await (first, second)
///   guard await counter.value == 2 else { throw LostUpdate() }
/// }
/// ```
///
/// A job is what a task does from one suspension to the next. Whenever one has ended, the next is chosen at random among
/// all that could run.
///
/// Covered is what inherits the preference for this executor: the body, its child tasks (`async let`, groups), default
/// actors while such tasks are in them, and `@concurrent` functions. Not covered is what runs elsewhere: actors with an
/// executor of their own, the main actor, threads, and unstructured tasks unless they are made with
/// `Task(executorPreference: SeededExecutor.current)`. For these it waits as any executor does, and when they come back is
/// not up to the seed: a body is repeatable as far as it does without them.
///
/// Jobs run on one thread, which the executor starts, and which ends when the executor is released.
public final class SeededExecutor: TaskExecutor {
  /// The seed that decides.
  public let seed: UInt64
  private let queue: SeededQueue

  /// The executor whose ``run(_:)`` the current task is part of.
  @TaskLocal public static var current: SeededExecutor?

  /// Starts a thread.
  public init(seed: UInt64) {
    self.seed = seed
    queue = SeededQueue(seed: seed)
    SeededQueue.startThread(serving: queue)
  }

  deinit {
    queue.close()
  }

  /// Jobs that were run so far.
  public var turns: Int { queue.turns }

  /// Takes a job. For the runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    queue.push(UnownedJob(job), asUnownedTaskExecutor())
  }

  /// Runs `body` and its child tasks here, until it returns.
  ///
  /// - Throws: The error of `body`.
  @concurrent
  public func run<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await Self.$current.withValue(self) {
      try await withTaskExecutorPreference(self) { () async throws -> Result in try await body() }
    }
  }

  /// Runs `body` and its child tasks in the order of a seed, until it returns.
  ///
  /// - Throws: The error of `body`.
  @concurrent
  public static func run<Result: Sendable>(
    seed: UInt64, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await SeededExecutor(seed: seed).run(body)
  }

  /// Runs `body` under each seed, one after the other, until it fails under one.
  ///
  /// Failures are what `body` throws: `try #require` counts, `#expect` does not, though it is reported.
  ///
  /// - Throws: ``SeedFailure`` for the first seed under which `body` throws; `CancellationError` when the task is cancelled
  ///   between two of them.
  @concurrent
  public static func explore(seeds: Range<UInt64>, _ body: @Sendable () async throws -> Void) async throws {
    for seed in seeds {
      try Task.checkCancellation()
      do {
        try await run(seed: seed, body)
      } catch {
        throw SeedFailure(seed: seed, underlying: error)
      }
    }
  }
}

/// Something that went wrong under a seed, and goes wrong again when it is run with that seed.
public struct SeedFailure: Error, CustomStringConvertible {
  /// The seed to pass to ``SeededExecutor/run(seed:_:)``.
  public let seed: UInt64
  /// The error.
  public let underlying: any Error

  /// Describes a failure.
  public init(seed: UInt64, underlying: any Error) {
    self.seed = seed
    self.underlying = underlying
  }

  /// The seed and the error.
  public var description: String { "under the seed \(seed): \(underlying)" }
}
