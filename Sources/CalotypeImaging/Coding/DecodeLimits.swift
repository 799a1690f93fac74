/// What a decoder may be talked into by its input. Checked against the header, before memory is taken.
public struct DecodeLimits: Hashable, Sendable {
  /// Pixels of one canvas at most: 100 million.
  public var maxPixels: Int
  /// Frames of one animation at most: 8,192.
  public var maxFrames: Int
  /// Encoded bytes at most: 256 MiB.
  public var maxBytes: Int
  /// Scans of one progressive JPEG at most: 100. Encoders write about ten.
  public var maxScans: Int
  /// Pixels of all frames of an animation together at most, each counted as it is stored: 2 billion.
  public var maxTotalPixels: Int
  /// Bytes of one chunk beside the pixels, a profile or Exif, say, after inflating: 8 MiB. A larger one is passed
  /// over, as if it was not there.
  public var maxChunkBytes: Int
  /// Time that one decode may take: 60 seconds.
  public var maxDuration: Duration

  /// Creates limits; what is not named keeps its default.
  public init(
    maxPixels: Int = 100_000_000, maxFrames: Int = 8192, maxBytes: Int = 256 << 20, maxScans: Int = 100,
    maxTotalPixels: Int = 2_000_000_000, maxChunkBytes: Int = 8 << 20, maxDuration: Duration = .seconds(60)
  ) {
    self.maxPixels = maxPixels
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
    self.maxScans = maxScans
    self.maxTotalPixels = maxTotalPixels
    self.maxChunkBytes = maxChunkBytes
    self.maxDuration = maxDuration
  }

  /// The defaults, which are always on unless a request says otherwise.
  public static let `default` = DecodeLimits()

  /// What was too large.
  public enum Kind: String, Hashable, Sendable {
    /// Pixels of the canvas.
    case pixels
    /// Number of frames.
    case frames
    /// Encoded bytes.
    case bytes
    /// Number of scans.
    case scans
    /// Pixels of all frames together.
    case totalPixels
    /// Milliseconds of one decode.
    case duration

    var noun: String {
      switch self {
      case .pixels: "pixel count"
      case .frames: "frame count"
      case .bytes: "byte count"
      case .scans: "scan count"
      case .totalPixels: "pixel count of all frames"
      case .duration: "decoding time in milliseconds"
      }
    }
  }

  /// Refuses a canvas that is empty or too large. For coders: called before memory is taken.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func check(size: PixelSize, format: ImageFormat) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(format, reason: "the image is \(size) pixels", offset: nil)
    }
    guard size.pixelCount <= maxPixels else {
      throw .limitExceeded(.pixels, value: size.pixelCount, limit: maxPixels)
    }
  }

  /// Refuses more frames than allowed.
  ///
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)``.
  public func check(frameCount: Int) throws(ImagingError) {
    guard frameCount <= maxFrames else {
      throw .limitExceeded(.frames, value: frameCount, limit: maxFrames)
    }
  }
}
