import Calotype
public import CalotypeImaging

/// An animation of the program's own, such as one that is drawn: frames without an encoded image, for an
/// ``AnimationPlayer``.
///
/// ```swift
/// final class Countdown: FrameProviding {
///   let frameCount = 10
///   func duration(of index: Int) -> Duration { .seconds(1) }
///   func frame(at index: Int) throws -> Image { Image(bitmap: try draw(digit: 9 - index)) }
/// }
///
/// let player = try AnimationPlayer(Countdown())
/// ```
///
/// Players of the same object share its frames. Number and durations are read once, when a player is made.
public protocol FrameProviding: AnyObject, Sendable {
  /// The number of frames.
  var frameCount: Int { get }

  /// The number of loops: 0 for ever, which is the default.
  var loopCount: Int { get }

  /// The bytes of pixels of a frame, if they are known; `nil` by default. All frames have the same size.
  var frameByteCount: Int? { get }

  /// Returns the display time of a frame. Zero and less count as 100 ms.
  func duration(of index: Int) -> Duration

  /// Returns a frame, the whole canvas. Called on the threads of the ``FramePool``, which it may block: in any
  /// order, for several frames at once if players apply different transforms, and again for frames that were not kept.
  ///
  /// - Parameter index: From 0 to below ``frameCount``.
  /// - Throws: Any error. Playback ends with it.
  func frame(at index: Int) throws -> Image
}

extension FrameProviding {
  /// 0, for ever.
  public var loopCount: Int { 0 }
  /// `nil`.
  public var frameByteCount: Int? { nil }
}
