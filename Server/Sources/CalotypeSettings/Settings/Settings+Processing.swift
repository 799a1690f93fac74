extension Settings {
  /// How images are processed if a URL does not say otherwise.
  public struct Processing: Equatable, Sendable {
    /// Whether unsharp masking is applied to images that are scaled down.
    public enum UnsharpMasking: String, SettingConvertible, CaseIterable {
      /// If nothing else sharpens.
      case auto
      /// Never.
      case none
      /// Always.
      case always
    }

    /// Whether EXIF, IPTC and XMP are removed.
    public var stripsMetadata = true
    /// Whether copyright is kept nevertheless.
    public var keepsCopyright = true
    /// Density of results without metadata, in dots per inch; 0: as it is.
    public var strippedDPI = 72
    /// Whether colours are converted to sRGB and the profile is removed.
    public var stripsColorProfile = true
    /// The folder of the colour profiles that URLs name; empty for none.
    public var colorProfiles = ""
    /// Whether the orientation of EXIF is applied.
    public var rotatesAutomatically = true
    /// Whether thumbnails inside HEIC and AVIF are used, of any size.
    public var enforcesThumbnail = false
    /// Whether more than 8 bits are kept.
    public var preservesHDR = false
    /// Whether images are scaled in linear light.
    public var scalesInLinearLight = false
    /// Whether sources are decoded in full even if the result is small.
    public var disablesShrinkOnLoad = false
    /// Whether browsers save results instead of showing them.
    public var returnsAttachment = false
    /// Whether unsharp masking is applied to images that are scaled down.
    public var unsharpMasking = UnsharpMasking.auto
    /// The weight of unsharp masking.
    public var unsharpWeight = 1.0
    /// The divisor of the factor of scaling, which gives the amount of unsharp masking.
    public var unsharpDivider = 24.0

    /// The defaults.
    public init() {}
  }
}
