public import CalotypeURLs

extension Settings {
  /// Formats that the server chooses, and their encoders.
  public struct Formats: Equatable, Sendable {
    /// A preset of libwebp.
    public enum WebPPreset: String, SettingConvertible, CaseIterable {
      /// None in particular.
      case `default`
      /// Outdoor photographs.
      case photo
      /// Portraits and indoor photographs.
      case picture
      /// Line drawings.
      case drawing
      /// Small, colourful images.
      case icon
      /// Text.
      case text
    }

    /// How WebP compresses.
    public enum WebPCompression: String, SettingConvertible, CaseIterable {
      /// VP8.
      case lossy
      /// VP8L after a quantization.
      case nearLossless = "near_lossless"
      /// VP8L.
      case lossless
    }

    /// Whether the chroma of AVIF is subsampled.
    public enum Subsampling: String, SettingConvertible, CaseIterable {
      /// By quality.
      case auto
      /// Always.
      case on
      /// Never.
      case off
    }

    /// Whether WebP is chosen for clients that accept it, if a URL names no format.
    public var autoWebP = false
    /// As ``autoWebP``, for AVIF.
    public var autoAVIF = false
    /// As ``autoWebP``, for JPEG XL.
    public var autoJXL = false
    /// Whether WebP is chosen for clients that accept it, in place of the format of a URL.
    public var enforcesWebP = false
    /// As ``enforcesWebP``, for AVIF.
    public var enforcesAVIF = false
    /// As ``enforcesWebP``, for JPEG XL.
    public var enforcesJXL = false
    /// Formats of which one is chosen if nothing else decides, the best first.
    public var preferred: [RequestedFormat] = [.jpeg, .png, .gif]
    /// Formats of sources that are passed on as they are.
    public var skipped: [RequestedFormat] = []
    /// Whether SVG is drawn even if a result may be SVG.
    public var rasterizesSVG = false
    /// Whether the hints of clients on width and density are used.
    public var usesClientHints = false
    /// Quality, 1 to 100.
    public var quality = 80
    /// Quality by format.
    public var formatQuality: [RequestedFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// Whether JPEG is progressive.
    public var progressiveJPEG = false
    /// Whether the chroma of JPEG is not subsampled.
    public var jpegKeepsChroma = false
    /// Quantization tables of JPEG, 0 to 8 as in MozJPEG.
    public var jpegQuantTable = 0
    /// Whether PNG is interlaced.
    public var interlacedPNG = false
    /// Whether PNG has a palette.
    public var quantizesPNG = false
    /// Colours of that palette, 2 to 256.
    public var pngColors = 256
    /// Effort of WebP, 1 to 6.
    public var webpEffort = 4
    /// Preset of WebP.
    public var webpPreset = WebPPreset.default
    /// Compression of WebP.
    public var webpCompression = WebPCompression.lossy
    /// Whether the chroma of WebP is subsampled with more care.
    public var webpSmartSubsampling = false
    /// Speed of AVIF, 0 to 9, 9 being the fastest.
    public var avifSpeed = 8
    /// Whether the chroma of AVIF is subsampled.
    public var avifSubsampling = Subsampling.auto
    /// Effort of JPEG XL, 1 to 9.
    public var jxlEffort = 4

    /// The defaults.
    public init() {}
  }
}
