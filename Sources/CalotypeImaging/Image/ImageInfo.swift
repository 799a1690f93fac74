/// The header of an encoded image, without its pixels.
public struct ImageInfo: Hashable, Sendable, Codable {
  /// The format the bytes are in, whatever their name or declared type.
  public var format: ImageFormat
  /// Width and height as stored, before orientation.
  public var size: PixelSize
  /// Number of frames; 1 for a still image.
  public var frameCount: Int
  /// Times an animation plays: 0 for ever, 1 for a still image.
  public var loopCount: Int
  /// The time that each frame is shown, after the rule that 10 ms or less means 100 ms. Empty for a still image.
  public var durations: [Duration]
  /// Whether the file declares transparency.
  public var hasAlpha: Bool
  /// Bits per sample.
  public var bitDepth: Int
  /// The turn that makes the stored picture upright.
  public var orientation: Orientation
  /// The description of the embedded ICC profile, if there is a readable one.
  public var colorProfile: String?
  /// Whether the data are damaged, and some pixels recovered or missing; see ``DamagePolicy``.
  ///
  /// The header alone rarely tells: of a probe it is `true` only where the structure of the file is damaged, as that of
  /// an APNG with fewer frames than it announces. The info of a decoded image tells whether its pixels are affected.
  public var isDamaged: Bool
  /// How the pixels are stored.
  package var layout = Layout()

  private enum CodingKeys: String, CodingKey {
    case format, size, frameCount, loopCount, durations, hasAlpha, bitDepth, orientation, colorProfile,
      isDamaged
  }

  /// Creates a description.
  public init(
    format: ImageFormat, size: PixelSize, frameCount: Int = 1, loopCount: Int = 1, durations: [Duration] = [],
    hasAlpha: Bool = false, bitDepth: Int = 8, orientation: Orientation = .topLeft,
    colorProfile: String? = nil, isDamaged: Bool = false
  ) {
    self.format = format
    self.size = size
    self.frameCount = frameCount
    self.loopCount = loopCount
    self.durations = durations
    self.hasAlpha = hasAlpha
    self.bitDepth = bitDepth
    self.orientation = orientation
    self.colorProfile = colorProfile
    self.isDamaged = isDamaged
  }
}
