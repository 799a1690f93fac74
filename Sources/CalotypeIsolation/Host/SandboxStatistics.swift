/// The counters of a sandbox, and its present state.
public struct SandboxStatistics: Hashable, Sendable {
  /// Running workers.
  public var workers = 0
  /// Workers that were started.
  public var starts = 0
  /// Workers that crashed.
  public var crashes = 0
  /// Workers that did what they must not do: a forbidden system call, or a reply that cannot be true.
  public var violations = 0
  /// Workers that were killed because a job took too long or was cancelled.
  public var kills = 0
  /// Workers that the system killed for lack of memory.
  public var memoryKills = 0
  /// Inputs that are refused at once because they have killed a worker.
  public var quarantined = 0
  /// Decodes that were refused for that reason.
  public var refusals = 0
  /// Images that were decoded in this process because there is no sandbox.
  public var decodedHere = 0
  /// The processor time of all workers, their start included.
  public var processorTime = Duration.zero
  /// The protections of the workers; `nil` before the first has started.
  public var posture: SandboxPosture?
  /// The reason why there is no sandbox.
  public var unavailability: String?

  /// Creates counters of nothing.
  public init() {}
}
