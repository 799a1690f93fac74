import Calotype
import CalotypeImaging

/// The frames available for playback, with their durations.
struct AnimationTimeline: Sendable {
  /// The duration that replaces 0 in formats without a rule for it.
  private static let defaultDuration = Duration.milliseconds(100)

  /// The durations of the frames that can be shown.
  private(set) var durations: [Duration]
  /// The number of loops: 0 for ever.
  var loopCount: Int
  /// Whether all frames have arrived.
  var isComplete: Bool
  /// The error that ended the arrival of frames, if any.
  var failure: (any Error)?

  init(durations: [Duration], loopCount: Int, isComplete: Bool, failure: (any Error)? = nil) {
    let isStill = durations.count == 1 && isComplete
    self.durations = durations.map {
      isStill ? .zero : $0 > .zero ? $0 : Self.defaultDuration
    }
    // A still image has nothing to repeat.
    self.loopCount = isStill ? 1 : loopCount
    self.isComplete = isComplete
    self.failure = failure
  }

  /// The number of frames that can be shown.
  var count: Int { durations.count }

  /// Whether there is only one frame, with no more to arrive.
  var isStill: Bool { isComplete && count == 1 }

  func duration(of index: Int) -> Duration {
    durations.indices.contains(index) ? durations[index] : .zero
  }

  /// Returns the start time of a frame.
  func startTime(of index: Int) -> Duration {
    durations.prefix(max(0, index)).reduce(.zero, +)
  }

  /// Returns the frame that is shown at a time: the first before the beginning, the last after the end.
  func index(at time: Duration) -> Int {
    var end = Duration.zero
    for (index, duration) in durations.enumerated() {
      end += duration
      if time < end { return index }
    }
    return max(0, count - 1)
  }
}
