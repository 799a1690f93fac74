public import FoundationEssentials

extension CoderRegistry {
  /// Encodes an animation, frame by frame as it is decoded. One frame becomes a still image.
  ///
  /// - Throws: The errors of ``encode(_:as:)-(AnimationSource,_)`` and of decoding.
  public func encode(_ animation: AnimatedImage, as options: EncodeOptions) throws(ImagingError) -> Data {
    guard animation.frameCount > 1 else { return try encode(try animation.frame(at: 0), as: options) }
    return try encode(animation.source, as: options)
  }
}
