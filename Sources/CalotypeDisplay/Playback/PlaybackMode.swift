import Calotype

/// The order in which frames are shown.
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
  /// Forwards and backwards; a loop ends before its first frame comes again.
  case bounce
  /// The same as bounce, beginning with the last frame.
  case reversedBounce

  var beginsAtEnd: Bool { self == .reverse || self == .reversedBounce }
}
