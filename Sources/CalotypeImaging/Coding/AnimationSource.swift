/// Frames to encode, supplied one at a time so that an animation is never in memory as a whole.
public struct AnimationSource {
  /// A picture and its display time.
  public struct Frame: Sendable {
    /// The whole canvas.
    public var bitmap: Bitmap
    /// The display time of the frame; formats store whole milliseconds, GIF hundredths of a second.
    public var duration: Duration

    /// Creates a frame.
    public init(bitmap: Bitmap, duration: Duration) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// The number of frames, at least 1.
  public let frameCount: Int
  /// The number of plays; 0 repeats for ever.
  public let loopCount: Int
  /// Returns the frame at an index. It is called for each frame, in order, and again from the first frame by encoders that
  /// look at all frames before they write one (GIF, APNG), and for every attempt to meet ``EncodeOptions/maxFileSize``. All
  /// frames have the same size.
  public let frame: (Int) throws(ImagingError) -> Frame

  /// Creates a source.
  public init(frameCount: Int, loopCount: Int, frame: @escaping (Int) throws(ImagingError) -> Frame) {
    self.frameCount = frameCount
    self.loopCount = loopCount
    self.frame = frame
  }

  /// Returns the first frames, at least one; all of them if there are no more than `count`.
  public func prefix(_ count: Int) -> AnimationSource {
    guard count < frameCount else { return self }
    return AnimationSource(frameCount: min(frameCount, max(1, count)), loopCount: loopCount, frame: frame)
  }
}
