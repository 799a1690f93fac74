public import Calotype
public import CalotypeImaging

extension AnimationPlayer {
  /// A player of what a pipeline has delivered: of all frames if the request asked for them with
  /// ``ImageRequest/FrameSelection/all``, otherwise of the picture, which is shown once.
  ///
  /// - Parameters:
  ///   - response: What to play.
  ///   - transforms: What becomes of each frame.
  ///   - pool: Where decoded frames are kept.
  ///   - clock: Tells the time.
  public convenience init(
    _ response: ImageResponse, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let source: any FrameSource = response.animation.map { CompleteFrames($0) } ?? SingleFrame(response.image)
    self.init(source: source, transforms: transforms, pool: pool, clock: clock)
  }
}

extension AnimatedImage {
  /// Plays it from the beginning: ``AnimationPlayer/frames()`` of a player of its own.
  public func playback(clock: any Clock<Duration> = ContinuousClock()) -> PlaybackFrames {
    AnimationPlayer(self, clock: clock).frames()
  }
}
