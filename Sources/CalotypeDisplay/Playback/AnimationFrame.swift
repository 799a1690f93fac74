import Calotype
public import CalotypeImaging

/// A frame of an animation that is being played, handed over when it is to be shown.
public struct AnimationFrame: Sendable {
  /// The picture: the whole canvas, as the options of the animation and the transforms of the player make it.
  public let image: Image
  /// Its place in the animation, from 0 on.
  public let index: Int
  /// The loop it belongs to, from 0 on.
  public let loop: Int
  /// Where it begins in the animation: the durations of all frames before it. What
  /// ``AnimationPlayer/seek(to:loop:)`` takes.
  public let startTime: Duration
  /// When it is due on the time line of what is played: zero for the first frame, then the durations of all that were
  /// due before it, dropped ones included, at the rate 1. Never goes back; pauses and stalls take no time.
  public let presentationTime: Duration
  /// How long it is shown at the rate 1; zero for a still picture.
  public let duration: Duration
  /// How much later than due it was handed over, in the time of the player's clock.
  public let lateness: Duration
  /// Frames that were left out right before this one, because they would have been late.
  public let droppedBefore: Int

  /// The pixels.
  public var bitmap: Bitmap { image.bitmap }
}
