/// The attempts to do a job, in one worker after the other.
struct JobAttempts {
  /// The number of workers that may be lost to others, such as an operator, before the job fails.
  private static let maxLosses = 3

  /// A Boolean value that indicates whether the next worker must not have served anybody.
  private(set) var needsFreshWorker = false
  private var losses = 0

  /// Returns true if another worker is to try.
  ///
  /// - Parameters:
  ///   - failure: The failure of the last one.
  ///   - served: The number of images that it had served. Such a worker may fail because of what one of them left behind.
  mutating func goesOn(after failure: WorkerFailure, served: Int) -> Bool {
    if case .gone = failure, losses < Self.maxLosses {
      losses += 1
      return true
    }
    guard failure.mayBeInherited, served > 0, !needsFreshWorker else { return false }
    needsFreshWorker = true
    return true
  }
}
