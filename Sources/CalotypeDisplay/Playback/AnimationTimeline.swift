import Calotype
import CalotypeImaging

/// The frames that there are to play now, and for how long each is shown.
struct AnimationTimeline: Sendable {
  /// The duration that 0 stands for in formats without a rule for it.
  private static let defaultDuration = Duration.milliseconds(100)

  /// Of the frames that can be shown.
  private(set) var durations: [Duration]
  /// Times it plays: 0 for ever.
  var loopCount: Int
  /// Whether there will be no more frames.
  var isComplete: Bool
  /// Why there will be none, if that is not the end of the animation.
  var failure: (any Error)?

  init(durations: [Duration], loopCount: Int, isComplete: Bool, failure: (any Error)? = nil) {
    let isStill = durations.count == 1 && isComplete
    self.durations = durations.map {
      isStill ? .zero : $0 > .zero ? $0 : Self.defaultDuration
    }
    // A still picture has nothing to repeat.
    self.loopCount = isStill ? 1 : loopCount
    self.isComplete = isComplete
    self.failure = failure
  }

  /// The number of frames that can be shown.
  var count: Int { durations.count }

  /// Whether there is, and will be, one frame only.
  var isStill: Bool { isComplete && count == 1 }

  func duration(of index: Int) -> Duration {
    durations.indices.contains(index) ? durations[index] : .zero
  }

  /// Where a frame begins.
  func startTime(of index: Int) -> Duration {
    durations.prefix(max(0, index)).reduce(.zero, +)
  }

  /// The frame that is shown at a time: the first before the beginning, the last after the end.
  func index(at time: Duration) -> Int {
    var end = Duration.zero
    for (index, duration) in durations.enumerated() {
      end += duration
      if time < end { return index }
    }
    return max(0, count - 1)
  }
}
