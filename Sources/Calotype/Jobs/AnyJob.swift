/// A job of any result.
protocol AnyJob: AnyObject, Sendable {
  /// Ends the job and its work with an error, if it is still running.
  func abort(_ error: any Error)
  /// Whether the job has ended, and its result is stored.
  var isSettled: Bool { get }
  /// Waits until the job is settled, or the task is cancelled.
  func waitUntilStored() async
}

extension Job: AnyJob {}
