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

  /// Creates limits; what is not named keeps its default.
  public init(
    maxPixels: Int = 100_000_000, maxFrames: Int = 8192, maxBytes: Int = 256 << 20, maxScans: Int = 100
  ) {
    self.maxPixels = maxPixels
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
    self.maxScans = maxScans
  }

  /// The defaults, which are always on unless a request says otherwise.
  public static let `default` = DecodeLimits()

  /// What was too large.
  public enum Kind: String, Hashable, Sendable {
    /// Pixels of the canvas, or of all frames together.
    case pixels
    /// Number of frames.
    case frames
    /// Encoded bytes.
    case bytes
    /// Number of scans.
    case scans

    var noun: String {
      switch self {
      case .pixels: "pixel count"
      case .frames: "frame count"
      case .bytes: "byte count"
      case .scans: "scan count"
      }
    }
  }

  /// Refuses a canvas that is empty or too large.
  func check(size: PixelSize, format: ImageFormat) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(format, reason: "the image is \(size) pixels", offset: nil)
    }
    guard size.pixelCount <= maxPixels else {
      throw .limitExceeded(.pixels, value: size.pixelCount, limit: maxPixels)
    }
  }

  /// Refuses more frames than allowed.
  func check(frameCount: Int) throws(ImagingError) {
    guard frameCount <= maxFrames else {
      throw .limitExceeded(.frames, value: frameCount, limit: maxFrames)
    }
  }
}
