import Calotype

/// In which order missing frames are decoded. Pure.
enum FrameRequestQueue {
  /// Frames that are shown forwards are decoded in that order. Those that are shown backwards are decoded from the frame on
  /// that each needs first, so that each is decoded once.
  ///
  /// - Parameters:
  ///   - wanted: In the order in which they are shown.
  ///   - keyFrames: For each frame the last up to it that needs none before; empty if nobody knows.
  static func order(of wanted: [PlaybackPath.Upcoming], keyFrames: [Int]) -> [Int] {
    var result: [Int] = []
    var start = 0
    while start < wanted.count {
      var end = start + 1
      while end < wanted.count, wanted[start].isBackward, wanted[end].isBackward,
        needsFrames(wanted[end - 1].index, downTo: wanted[end].index, keyFrames)
      {
        end += 1
      }
      result += wanted[start..<end].reversed().map(\.index)
      start = end
    }
    return result
  }

  /// Whether a decode of `index` passes by `earlier`.
  private static func needsFrames(_ index: Int, downTo earlier: Int, _ keyFrames: [Int]) -> Bool {
    earlier < index && (!keyFrames.indices.contains(index) || keyFrames[index] <= earlier)
  }
}
