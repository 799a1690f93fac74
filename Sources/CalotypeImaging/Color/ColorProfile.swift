public import FoundationEssentials

/// The meaning of the samples of a bitmap as colours. A bitmap without a profile is taken for sRGB.
public enum ColorProfile: Hashable, Sendable {
  /// An ICC profile, as embedded.
  case icc(Data)
  /// Gamma and primaries of a PNG (`gAMA`, `cHRM`).
  case calibrated(Calibration)
  /// Code points of ITU-T H.273, as in AVIF, HEIF, JPEG XL, and `cICP` of PNG.
  case cicp(CodePoints)
  /// Explicit sRGB.
  case sRGB

  /// The white point and primaries as CIE x and y, and the exponent that encodes light.
  public struct Calibration: Hashable, Sendable {
    /// A point of the CIE xy diagram.
    public struct Point: Hashable, Sendable {
      /// The coordinates.
      public var x: Double, y: Double
      /// Creates a point.
      public init(x: Double, y: Double) {
        self.x = x
        self.y = y
      }
    }

    /// The encoding exponent as in `gAMA`, such as 0.45455; `nil` for the curve of sRGB.
    public var gamma: Double?
    /// The white point; present together with the primaries.
    public var white: Point?
    /// The primaries.
    public var red: Point?, green: Point?, blue: Point?

    /// Creates a calibration.
    public init(
      gamma: Double? = nil, white: Point? = nil, red: Point? = nil, green: Point? = nil, blue: Point? = nil
    ) {
      self.gamma = gamma
      self.white = white
      self.red = red
      self.green = green
      self.blue = blue
    }
  }
}
