/// The largest sources and results of a server. An option of a URL replaces the limit of the same name if the dialect
/// allows it.
public struct PlanningLimits: Hashable, Sendable {
  /// The most pixels of a source, in all frames that are used: 50 million (`MAX_SRC_RESOLUTION`). Drawings beyond it are
  /// drawn smaller.
  public var sourcePixels = 50_000_000
  /// The most bytes of a source; 0, the default, for no limit (`MAX_SRC_FILE_SIZE`).
  public var sourceBytes = 0
  /// The most frames of an animation; further ones are dropped. 1, the default, makes animations still
  /// (`MAX_ANIMATION_FRAMES`).
  public var animationFrames = 1
  /// The most pixels of one frame of an animation; 0, the default, counts all frames against ``sourcePixels``
  /// (`MAX_ANIMATION_FRAME_RESOLUTION`).
  public var framePixels = 0
  /// The longest side of a result, to which larger ones are scaled down; 0, the default, for no limit
  /// (`MAX_RESULT_DIMENSION`).
  public var resultSide = 0
  /// The most pixels of a result, and of each picture on the way to it: 100 million. Larger ones are refused.
  public var resultPixels = 100_000_000
  /// The longest side of a picture on the way to a result: 65,535. Longer ones are refused.
  public var longestSide = 65_535
  /// The largest device pixel ratio in a client hint; larger ones are ignored: 8.
  public var hintedRatio = 8.0

  /// Creates the limits of imgproxy.
  public init() {}
}
