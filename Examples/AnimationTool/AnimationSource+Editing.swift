import Calotype

extension AnimationSource {
  /// Returns some of the frames.
  ///
  /// Frames are decoded when an encoder asks for them: neither animation is ever in memory as a whole.
  func frames(_ range: Range<Int>) -> AnimationSource {
    let range = range.clamped(to: 0..<frameCount)
    return AnimationSource(frameCount: range.count, loopCount: loopCount) { index throws(ImagingError) in
      try frame(range.lowerBound + index)
    }
  }

  /// Returns all frames, each for a shorter or longer time: 2 is twice as fast.
  func played(at speed: Double) -> AnimationSource {
    AnimationSource(frameCount: frameCount, loopCount: loopCount) { index throws(ImagingError) in
      var frame = try frame(index)
      // Browsers, and this library, show frames of at most 10 ms for 100 ms.
      frame.duration = max(.milliseconds(20), frame.duration / speed)
      return frame
    }
  }
}
