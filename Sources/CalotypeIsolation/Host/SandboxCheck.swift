import CalotypeSupport

/// An attempt to start a sandboxed process, for reports to operators.
public struct SandboxCheck: Sendable {
  /// The protections in force; `nil` if no process can be started.
  public let posture: SandboxPosture?
  /// The reason why there is none.
  public let reason: String?
  /// The time from the start of the process until it was ready, with the libraries of all formats. Workers open those that
  /// are needed.
  public let startTime: Duration?
  /// The processor time of the start.
  public let processorTime: Duration?

  /// Starts a process and ends it. Blocks for milliseconds, or 10 seconds if the process does not respond.
  public init(_ configuration: SandboxConfiguration = SandboxConfiguration()) {
    let start = ContinuousClock.now
    do throws(SandboxStartFailure) {
      let worker = try SandboxProcess(configuration, number: 0, formats: configuration.formatsOfLibraries)
      let time = ContinuousClock.now - start
      let processorTime = worker.currentProcessorTime
      worker.end(killing: true)
      let isLocked = worker.posture.hasSeccomp
      posture = isLocked ? worker.posture : nil
      reason =
        isLocked ? nil : "the kernel has no filter of system calls (seccomp), or does not allow one here"
      startTime = isLocked ? time : nil
      self.processorTime = isLocked ? processorTime : nil
    } catch {
      (posture, reason, startTime, processorTime) = (nil, error.reason, nil, nil)
    }
  }
}
