import Calotype
public import CalotypeImaging

/// A frame of an animation in playback, delivered when it is due.
public struct AnimationFrame: Sendable {
  /// The image: the whole canvas, after the options of the animation and the transforms of the player.
  public let image: Image
  /// The index in the animation, from 0 on.
  public let index: Int
  /// The number of the loop, from 0 on.
  public let loop: Int
  /// The start of the frame in the animation: the sum of the durations of all frames before it. A valid
  /// argument of ``AnimationPlayer/seek(to:loop:)``.
  public let startTime: Duration
  /// The time at which the frame is due on the presentation timeline: zero for the first frame, then the
  /// sum of the durations of all frames before it, dropped ones included, at the rate 1. Never decreases;
  /// pauses and stalls take no time.
  public let presentationTime: Duration
  /// The duration at the rate 1; zero for a still image.
  public let duration: Duration
  /// The delay of the delivery, in the time of the player's clock.
  public let lateness: Duration
  /// The number of frames dropped right before this one, because they would have been late.
  public let droppedBefore: Int

  /// The pixels.
  public var bitmap: Bitmap { image.bitmap }
}
