public import Calotype
public import CalotypeImaging

extension AnimationPlayer {
  /// Creates a player of a pipeline's response: of all frames if the request selected them with
  /// `ImageRequest.FrameSelection.all`, otherwise of the still image, which is shown once.
  ///
  /// - Parameters:
  ///   - response: The response to play.
  ///   - transforms: The transforms applied to each frame.
  ///   - pool: The pool that keeps decoded frames.
  ///   - clock: The clock of the playback.
  public convenience init(
    _ response: ImageResponse, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let source: any FrameSource = response.animation.map { CompleteFrames($0) } ?? SingleFrame(response.image)
    self.init(source: source, transforms: transforms, pool: pool, clock: clock)
  }
}

extension AnimatedImage {
  /// Plays the animation from the beginning, as ``AnimationPlayer/frames()`` of a player of its own.
  public func playback(clock: any Clock<Duration> = ContinuousClock()) -> PlaybackFrames {
    AnimationPlayer(self, clock: clock).frames()
  }
}
