/// The header of an encoded image, without its pixels.
public struct ImageInfo: Hashable, Sendable {
  /// The range of brightness that the samples encode.
  public enum DynamicRange: String, Hashable, Sendable, Codable {
    /// Up to the white of the display.
    case standard
    /// High dynamic range by absolute luminance: the PQ curve (SMPTE ST 2084).
    case pq
    /// High dynamic range by relative luminance: the HLG curve (ARIB STD-B67).
    case hlg
  }

  /// The format of the bytes, regardless of their name or declared type.
  public var format: ImageFormat
  /// The stored width and height, before orientation.
  public var size: PixelSize
  /// The number of frames; 1 for a still image.
  public var frameCount: Int
  /// The number of plays of an animation: 0 repeats for ever; 1 for a still image.
  public var loopCount: Int
  /// The display time of each frame, after the rule that 10 ms or less means 100 ms. Empty for a still image.
  public var durations: [Duration]
  /// A Boolean value that indicates whether the file declares transparency.
  public var hasAlpha: Bool
  /// The number of bits per sample.
  public var bitDepth: Int
  /// The orientation of the stored picture.
  public var orientation: Orientation
  /// The description of the embedded ICC profile, if there is a readable one.
  public var colorProfile: String?
  /// The number of pages of a document, such as a TIFF: 1 for all other formats. Pages are no frames.
  public var pageCount: Int
  /// A Boolean value that indicates whether a gain map accompanies the picture, by which displays of high dynamic range
  /// brighten it. It is not applied.
  public var hasGainMap: Bool
  /// A Boolean value that indicates whether the picture is a drawing without pixels of its own; ``size`` is then its
  /// natural size at 96 dpi.
  public var isVector: Bool
  /// The range of brightness that the samples encode.
  public var dynamicRange: DynamicRange
  /// A Boolean value that indicates whether the data are damaged, and some pixels recovered or missing; see
  /// ``DamagePolicy``.
  ///
  /// The header alone rarely reveals damage: a probe sets it only if the structure of the file is damaged, such as that
  /// of an APNG with fewer frames than it announces. The info of a decoded image includes damage of its pixels.
  public var isDamaged: Bool
  /// The storage of the pixels.
  package var layout = Layout()

  /// Creates a description.
  public init(
    format: ImageFormat, size: PixelSize, frameCount: Int = 1, loopCount: Int = 1, durations: [Duration] = [],
    hasAlpha: Bool = false, bitDepth: Int = 8, orientation: Orientation = .topLeft,
    colorProfile: String? = nil, pageCount: Int = 1, hasGainMap: Bool = false, isVector: Bool = false,
    dynamicRange: DynamicRange = .standard, isDamaged: Bool = false
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
    self.pageCount = pageCount
    self.hasGainMap = hasGainMap
    self.isVector = isVector
    self.dynamicRange = dynamicRange
    self.isDamaged = isDamaged
  }
}
