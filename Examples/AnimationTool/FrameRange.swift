import ArgumentParser

/// Frames as a command line names them: `3` or `2-9`, counted from 0, both ends included.
struct FrameRange: ExpressibleByArgument {
  let first: Int
  let last: Int

  init?(argument: String) {
    let ends = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = ends.first.flatMap({ Int($0) }), let last = ends.last.flatMap({ Int($0) }),
      first >= 0, first <= last, last < Int.max
    else { return nil }
    (self.first, self.last) = (first, last)
  }

  /// Returns the frames of an animation.
  func range(in frameCount: Int) throws -> Range<Int> {
    guard last < frameCount else {
      throw ValidationError("there is no frame \(last): the last one is \(frameCount - 1)")
    }
    return first..<last + 1
  }
}
