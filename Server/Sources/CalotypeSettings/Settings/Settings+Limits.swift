extension Settings {
  /// Limits of sources and results. Resolutions are in pixels; 0 is for no limit.
  public struct Limits: Equatable, Sendable {
    /// Most pixels of a source, of all its frames together.
    public var sourcePixels = 50_000_000
    /// Most bytes of a source if ``sourceBytes`` is 0.
    public static let largestSource = 1 << 30

    /// Most bytes of a source; 0 for ``largestSource``.
    public var sourceBytes = 256 << 20
    /// Most frames of an animation; the rest is dropped.
    public var animationFrames = 1
    /// Most pixels of a frame of an animation; 0: ``sourcePixels`` is for the sum.
    public var framePixels = 0
    /// Longest side of a result, to which it is scaled down.
    public var resultDimension = 0
    /// Most pixels of a result, and of each picture on the way to it; 0 for 100 million.
    public var resultPixels = 0
    /// Whether PNG's own limits are off.
    public var unlimitedPNG = false
    /// Whether SVG's own limits are off.
    public var unlimitedSVG = false
    /// Whether TIFF's own limits are off.
    public var unlimitedTIFF = false
    /// Whether scripts are removed from SVG that is passed on.
    public var sanitizesSVG = true
    /// Most bytes of decoded pixels at once; 0 for two fifths of the memory, at most 1 GiB.
    public var decodedBytes = 0
    /// Most bytes of a request target.
    public var urlBytes = 8192
    /// Most options of a URL.
    public var urlOptions = 64
    /// Most presets that name each other.
    public var presetDepth = 4

    /// The defaults.
    public init() {}
  }

  /// Workers, queues and downloads.
  public struct Concurrency: Equatable, Sendable {
    /// Threads that decode and encode; 0 for one a core.
    public var workers = 0
    /// Most requests that wait for a worker, beyond which the answer is 429; 0: ``queueTime`` alone decides.
    public var queueSize = 0
    /// Most predicted time of all work that waits, beyond which the answer is 503; 0 for no limit.
    public var queueTime = Duration.seconds(2)
    /// Most downloads at once.
    public var downloads = 32
    /// Most downloads from one host at once.
    public var downloadsPerHost = 6
    /// Whether a chosen format may be a cheaper one while much waits.
    public var stepsDownFormats = true

    /// The defaults.
    public init() {}
  }
}
