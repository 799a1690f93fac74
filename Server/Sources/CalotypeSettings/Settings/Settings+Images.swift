extension Settings {
  /// Watermarks. At most one of ``data``, ``path`` and ``url`` is used, the first of them that is set.
  public struct Watermark: Equatable, Sendable {
    /// The image in base64; empty for none.
    public var data = ""
    /// The path of the image; empty for none.
    public var path = ""
    /// The URL of the image; empty for none.
    public var url = ""
    /// Opacity, by which those of URLs are multiplied: above 0, at most 1.
    public var opacity = 1.0
    /// The folder of watermarks that URLs name without a scheme; empty for none.
    public var directory = ""
    /// Most decoded watermarks of URLs that are kept.
    public var cacheSize = 256
    /// Options that are applied to watermarks of URLs; empty for none.
    public var urlOptions = ""

    /// The defaults.
    public init() {}
  }

  /// The image in place of one that cannot be loaded. At most one of ``data``, ``path`` and ``url`` is used, the first of them
  /// that is set.
  public struct Fallback: Equatable, Sendable {
    /// The image in base64; empty for none.
    public var data = ""
    /// The path of the image; empty for none.
    public var path = ""
    /// The URL of the image; empty for none.
    public var url = ""
    /// The status of its response; 0 for that of the error.
    public var status = 200
    /// Whether it stands for images that cannot be decoded, too.
    public var coversUndecodable = false
    /// Most images of URLs that are kept.
    public var cacheSize = 256
    /// Options that are applied to images of URLs; empty for none.
    public var urlOptions = ""

    /// The defaults.
    public init() {}
  }
}
