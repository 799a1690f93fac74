/// The totals of an ``AdmissionQueue``.
///
/// Each job that was submitted waits, runs, or is counted as exactly one of finished, cancelled and refused.
public struct AdmissionCounts: Hashable, Sendable {
  /// Jobs that were submitted.
  public internal(set) var submitted = 0
  /// Jobs that were started.
  public internal(set) var started = 0
  /// Jobs that ran to their end.
  public internal(set) var finished = 0
  /// Jobs that were cancelled while they waited.
  public internal(set) var cancelled = 0
  /// Jobs that were refused, by reason.
  public internal(set) var refused: [AdmissionRefusal.Reason: Int] = [:]
  /// The largest number of jobs that waited.
  public internal(set) var peakWaiting = 0
  /// The largest number of jobs that ran.
  public internal(set) var peakRunning = 0

  init() {}
}
