import Calotype

/// In which order frames are shown.
///
/// With four frames, two loops are:
///
/// * normal: 0 1 2 3, 0 1 2 3
/// * reverse: 3 2 1 0, 3 2 1 0
/// * bounce: 0 1 2 3 2 1, 0 1 2 3 2 1
/// * reversed bounce: 3 2 1 0 1 2, 3 2 1 0 1 2
///
/// The last loop is as long as the others: a bounce of these ends on frame 1, a reversed one on frame 2.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
  /// From the first frame to the last.
  case normal
  /// From the last frame to the first.
  case reverse
  /// There and back; a loop ends before the frame that it began with comes again.
  case bounce
  /// The same, beginning with the last frame.
  case reversedBounce

  var beginsAtEnd: Bool { self == .reverse || self == .reversedBounce }
}
