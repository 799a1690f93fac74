import FoundationEssentials

/// A converter of animations to smaller ones of the same format with the same frames, durations and number of plays.
enum AnimationOptimizer {
  /// Returns the animation, encoded anew; `nil` if it does not get smaller, is damaged, or would show something else.
  ///
  /// - Parameter accepts: Returns true if the second animation shows the first well enough.
  /// - Throws: The errors of decoding and encoding.
  static func optimized(
    _ data: Data, _ options: EncodeOptions, limits: DecodeLimits?,
    accepts: (AnimatedImage, AnimatedImage) throws(ImagingError) -> Bool = areEqual
  ) throws(ImagingError) -> Data? {
    let decoding = DecodeOptions.comparing(.rgba8, limits)
    let animation = try AnimatedImage(data: data, options: decoding)
    guard !animation.info.isDamaged else { return nil }
    var hasDamage = false
    let made = try CoderRegistry.standard.encode(
      animation.source { frame in hasDamage = hasDamage || frame.isDamaged || frame.isPartial }, as: options)
    if hasDamage || made.count >= data.count { return nil }
    let again = try AnimatedImage(data: made, options: decoding)
    guard again.frameCount == animation.frameCount, again.info.loopCount == animation.info.loopCount,
      again.info.durations == animation.info.durations, again.info.size == animation.info.size,
      try accepts(animation, again)
    else { return nil }
    return made
  }

  /// Returns true if all frames of two animations have the same pixels.
  static func areEqual(_ old: AnimatedImage, _ new: AnimatedImage) throws(ImagingError) -> Bool {
    for index in 0..<old.frameCount {
      if Task.isCancelled { throw .cancelled }
      guard try new.frame(at: index).bitmap == old.frame(at: index).bitmap else { return false }
    }
    return true
  }
}
