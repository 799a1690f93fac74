public import CalotypeURLs

extension Settings {
  /// Quality by measuring, and the best format.
  public struct Quality: Equatable, Sendable {
    /// How quality is found.
    public enum Method: String, SettingConvertible, CaseIterable {
      /// Not at all: as set.
      case none
      /// By the size of the file.
      case size
      /// By the structural dissimilarity to the image itself.
      case dssim
    }

    /// How quality is found.
    public var method = Method.none
    /// The aim: bytes for ``Method/size``, dissimilarity for ``Method/dssim``.
    public var target = 0.02
    /// The least quality.
    public var minimum = 70
    /// The least quality by format.
    public var formatMinimum: [RequestedFormat: Int] = [.avif: 60]
    /// The greatest quality.
    public var maximum = 80
    /// The greatest quality by format.
    public var formatMaximum: [RequestedFormat: Int] = [.avif: 65]
    /// How far a result may be off ``target``.
    public var allowedError = 0.002
    /// Most pixels of an image whose quality is found by measuring; 0 for no limit.
    public var maxPixels = 0
    /// The complexity of an image from which on it is no drawing, for the best format.
    public var bestFormatThreshold = 5.5
    /// Most pixels of an image whose best format is found by trying; 0 for no limit.
    public var bestFormatMaxPixels = 0
    /// Whether the best format is chosen if a URL names none.
    public var bestFormatByDefault = false
    /// Whether a source that has the best format may be passed on as it is.
    public var bestFormatAllowsSkips = false

    /// The defaults.
    public init() {}
  }
}
