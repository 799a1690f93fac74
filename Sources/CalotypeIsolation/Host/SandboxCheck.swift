import CalotypeSupport

/// An attempt to start a sandboxed process, for reports to operators.
public struct SandboxCheck: Sendable {
  /// The protections in force; `nil` if no process can be started.
  public let posture: SandboxPosture?
  /// The reason why there is none.
  public let reason: String?
  /// The time from the start of the process until it was ready, with the libraries of all formats unless they were left out.
  /// Workers open those that are needed.
  public let startTime: Duration?
  /// The processor time of the start.
  public let processorTime: Duration?

  /// Starts a process and ends it. Blocks for milliseconds, or 10 seconds if the process does not respond.
  ///
  /// - Parameters:
  ///   - configuration: The sandbox.
  ///   - opensLibraries: Whether the process opens the libraries of all formats, which takes most of the time.
  public init(_ configuration: SandboxConfiguration = SandboxConfiguration(), opensLibraries: Bool = true) {
    let start = ContinuousClock.now
    do throws(SandboxStartFailure) {
      let worker = try SandboxProcess(
        configuration, number: 0, formats: opensLibraries ? configuration.formatsOfLibraries : [])
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
