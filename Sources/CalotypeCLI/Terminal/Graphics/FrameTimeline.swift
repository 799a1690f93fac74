/// Which frame of an animation is shown when.
struct FrameTimeline: Sendable {
  /// From the beginning to the end of each frame.
  private let ends: [Duration]
  /// Times it plays; `nil` for ever.
  private let plays: Int?

  /// No frame is shorter than this.
  static let shortest = Duration.milliseconds(10)

  /// - Parameters:
  ///   - durations: Of all frames, in milliseconds; not empty.
  ///   - plays: Times it plays: 0 for ever.
  init(durations: [Int], plays: Int) {
    var end = Duration.zero
    ends = durations.map { duration in
      end += max(Self.shortest, .milliseconds(duration))
      return end
    }
    self.plays = plays > 0 ? plays : nil
  }

  /// The frame at a time since the beginning, and when it ends. `nil` when the animation is over.
  func frame(at time: Duration) -> (index: Int, end: Duration)? {
    guard let length = ends.last else { return nil }
    let play = Int((time / length).rounded(.down))
    if let plays, play >= plays { return nil }
    let begin = length * play
    // Rounding may have it at the end of a play that is over.
    guard let index = ends.firstIndex(where: { begin + $0 > time }) else {
      return (ends.count - 1, time + Self.shortest)
    }
    return (index, begin + ends[index])
  }
}
