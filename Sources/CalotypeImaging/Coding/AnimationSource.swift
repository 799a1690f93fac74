/// Frames to encode, handed over one by one so that an animation never has to be in memory whole.
public struct AnimationSource {
  /// One picture and the time it is shown.
  public struct Frame: Sendable {
    /// The whole canvas.
    public var bitmap: Bitmap
    /// The time that the frame is shown; formats store whole milliseconds, GIF hundredths of a second.
    public var duration: Duration

    /// Creates a frame.
    public init(bitmap: Bitmap, duration: Duration) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// Number of frames, at least 1.
  public let frameCount: Int
  /// Times it plays: 0 for ever.
  public let loopCount: Int
  /// The frame at an index; called once for each, in order, and again from the first for every attempt to meet
  /// ``EncodeOptions/maxFileSize``. All frames have the same size.
  public let frame: (Int) throws(ImagingError) -> Frame

  /// Creates a source.
  public init(frameCount: Int, loopCount: Int, frame: @escaping (Int) throws(ImagingError) -> Frame) {
    self.frameCount = frameCount
    self.loopCount = loopCount
    self.frame = frame
  }
}
