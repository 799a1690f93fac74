/// Predicted and actual processor time of a pair of formats.
public struct CostRatio: Hashable, Sendable {
  /// The factor that predictions are multiplied with: actual by predicted time, as an exponential mean over about 16
  /// jobs, from 0.25 to 4.
  public internal(set) var ratio = 1.0
  /// The number of jobs that were measured.
  public internal(set) var count = 0
  /// The sum of the predictions, before correction, in seconds.
  public internal(set) var predictedSeconds = 0.0
  /// The sum of the measurements in seconds.
  public internal(set) var actualSeconds = 0.0

  init() {}
}
