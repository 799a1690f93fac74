extension ProcessingOptions {
  /// Quality by measuring (imgproxy Pro, "Autoquality"). The methods that need a model are left out.
  public struct Autoquality: Hashable, Sendable {
    /// A quantity that is measured.
    public enum Method: String, Hashable, Sendable, CaseIterable {
      /// Nothing.
      case none
      /// The size of the file.
      case size
      /// The structural dissimilarity.
      case dssim
    }

    /// The quantity that is measured; default ``Method/none``.
    public var method: Method?
    /// The value to reach: bytes, or dissimilarity, 0 or more; default 0.02.
    public var target: Double?
    /// Lowest quality, 1 to 100; default 70.
    public var minQuality: Int?
    /// Highest quality, 1 to 100; default 80.
    public var maxQuality: Int?
    /// Tolerated difference from the target, 0 or more; default 0.002.
    public var allowedError: Double?

    /// A search for the quality.
    public init(
      method: Method? = nil, target: Double? = nil, minQuality: Int? = nil, maxQuality: Int? = nil,
      allowedError: Double? = nil
    ) {
      self.method = method
      self.target = target
      self.minQuality = minQuality
      self.maxQuality = maxQuality
      self.allowedError = allowedError
    }
  }

  /// Options of JPEG; the server decides on the others.
  public struct JPEG: Hashable, Sendable {
    /// Whether it is progressive.
    public var isProgressive: Bool?
    /// Whether colours have full resolution.
    public var avoidsSubsampling: Bool?
    /// Whether trellis quantisation is used.
    public var usesTrellisQuantization: Bool?
    /// Whether overshoot deringing is used.
    public var usesOvershootDeringing: Bool?
    /// Whether scans are optimised.
    public var optimizesScans: Bool?
    /// Quantisation table, 0 to 8.
    public var quantizationTable: Int?

    /// Options of which none is given.
    public init() {}
  }

  /// Options of PNG; the server decides on the others.
  public struct PNG: Hashable, Sendable {
    /// Whether it is interlaced.
    public var isInterlaced: Bool?
    /// Whether it has a palette.
    public var isQuantized: Bool?
    /// Colours of the palette, 2 to 256.
    public var colors: Int?

    /// Options of which none is given.
    public init() {}
  }

  /// Options of WebP; the server decides on the others.
  public struct WebP: Hashable, Sendable {
    /// Ways of compression.
    public enum Compression: String, Hashable, Sendable, CaseIterable {
      /// Lossy.
      case lossy
      /// Lossless, after small changes.
      case nearLossless = "near_lossless"
      /// Lossless.
      case lossless
    }

    /// Kinds of images, as libwebp distinguishes them.
    public enum Preset: String, Hashable, Sendable, CaseIterable {
      /// Any.
      case `default`
      /// A portrait.
      case photo
      /// An outdoor photograph.
      case picture
      /// A drawing with fine lines.
      case drawing
      /// A small colourful image.
      case icon
      /// Text.
      case text
    }

    /// The way of compression.
    public var compression: Compression?
    /// Whether colours are subsampled sharply.
    public var usesSmartSubsampling: Bool?
    /// The kind of image.
    public var preset: Preset?

    /// Options of which none is given.
    public init() {}
  }

  /// Options of AVIF; the server decides on the others.
  public struct AVIF: Hashable, Sendable {
    /// When colours have a lower resolution.
    public enum Subsampling: String, Hashable, Sendable, CaseIterable {
      /// Depending on the quality.
      case auto
      /// Always.
      case on
      /// Never.
      case off
    }

    /// When colours have a lower resolution.
    public var subsampling: Subsampling?

    /// Options of which none is given.
    public init() {}
  }

  /// The hash that a source must have.
  public struct Hashsum: Hashable, Sendable {
    /// An algorithm.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
      /// None: nothing is checked.
      case none
      /// MD5.
      case md5
      /// SHA-1.
      case sha1
      /// SHA-256.
      case sha256
      /// SHA-512.
      case sha512

      /// Length of a hash in bytes.
      public var byteCount: Int {
        switch self {
        case .none: 0
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
      }
    }

    /// The algorithm.
    public var algorithm: Algorithm
    /// The hash, in hexadecimal digits of lower case; empty for ``Algorithm/none``.
    public var hex: String

    /// A hash.
    public init(_ algorithm: Algorithm, hex: String = "") {
      self.algorithm = algorithm
      self.hex = hex
    }
  }
}
