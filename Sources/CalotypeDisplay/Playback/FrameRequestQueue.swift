import Calotype

/// The order in which missing frames are decoded. A pure function.
enum FrameRequestQueue {
  /// Returns the order of decodes. Frames that are shown forwards keep their order; runs that are shown
  /// backwards are decoded forwards from the key frame, so that each frame is decoded once.
  ///
  /// - Parameters:
  ///   - wanted: The missing frames, in the order in which they are shown.
  ///   - keyFrames: For each frame, the last one up to it that needs no earlier frame; empty when they are
  ///     not known.
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

  /// Returns whether a decode of `index` passes through `earlier`.
  private static func needsFrames(_ index: Int, downTo earlier: Int, _ keyFrames: [Int]) -> Bool {
    earlier < index && (!keyFrames.indices.contains(index) || keyFrames[index] <= earlier)
  }
}
