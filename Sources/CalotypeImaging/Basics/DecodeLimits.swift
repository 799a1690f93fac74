/// Limits on the work and memory that an input can demand. Checked against the header, before memory is taken.
public struct DecodeLimits: Hashable, Sendable {
  /// Pixels of one canvas at most: 100 million.
  public var maxPixels: Int
  /// Pixels of the longer side of a canvas at most: 65,535, which is the most that JPEG and GIF can say. Rows are what
  /// decoders hold whole, however few of them there are.
  public var maxSide: Int
  /// Frames of one animation at most: 8,192.
  public var maxFrames: Int
  /// Encoded bytes at most: 256 MiB.
  public var maxBytes: Int
  /// Scans of one progressive JPEG at most: 100. Encoders write about ten.
  public var maxScans: Int
  /// Pixels of all frames of an animation together at most: 2 billion, such as 960 frames of 1920×1080. Each frame counts
  /// as the canvas that is delivered for it, however little of that it changes, or as it is stored where that is more.
  /// Asked when frames are: the first frame alone is a still image. ``maxExpansion`` limits it for small files.
  public var maxTotalPixels: Int
  /// Bytes of one chunk beside the pixels, a profile or Exif, say, after inflating: 8 MiB. A larger one is passed
  /// over, as if it was not there.
  public var maxChunkBytes: Int
  /// Bytes that one decode may take at its peak: 1 GiB. That is enough for 100 million pixels of every format as it is
  /// usually stored, decoded whole and converted to sRGB.
  ///
  /// Predicted from the header, before memory is taken: the result, canvases, and what the libraries take, such as the
  /// coefficients of a progressive JPEG or the pixels of a lossless WebP. The encoded bytes are not counted, nor what
  /// transforms take beyond a second picture. A decode that is fed while bytes arrive takes up to a picture more than one
  /// of the whole bytes, and ``IncrementalDecoder/snapshot()`` one besides, which is not counted. ``CoderRegistry``,
  /// ``AnimatedImage`` and ``IncrementalDecoder`` ask, for all coders; a coder that is called by itself is not asked.
  public var maxMemoryBytes: Int
  /// Bytes of memory that a decode may take for each encoded byte, beyond the first 192 MiB, which any may take: 64. All
  /// frames of an animation together may have 8 times as many pixels, beyond the first 64 million.
  ///
  /// Photographs need 8 to 40 bytes, so that one of 100 million pixels passes; a file of a few bytes, whatever its header
  /// says, gets 192 MiB and no more. Drawings of more than 45 million pixels in next to no bytes need a higher limit, or
  /// a thumbnail.
  public var maxExpansion: Int
  /// Time that one decode may take: 60 seconds.
  ///
  /// For an animation it is the time of a pass over its frames, in which they are asked for in ascending order: what their
  /// decoding takes counts together. To ask for a frame before the last one begins a new pass, so that an animation can
  /// play for ever, and what one access costs is bounded. The time between two calls does not count.
  public var maxDuration: Duration

  /// Bytes that any decode may take, however few bytes it is encoded in. Only tests change it.
  var unquestionedBytes = 192 << 20
  /// Pixels that all frames of any animation may have together.
  var unquestionedPixels = 64_000_000

  /// Creates limits; what is not named keeps its default.
  public init(
    maxPixels: Int = 100_000_000, maxSide: Int = 65_535, maxFrames: Int = 8192, maxBytes: Int = 256 << 20,
    maxScans: Int = 100, maxTotalPixels: Int = 2_000_000_000, maxChunkBytes: Int = 8 << 20,
    maxMemoryBytes: Int = 1 << 30, maxExpansion: Int = 64, maxDuration: Duration = .seconds(60)
  ) {
    self.maxPixels = maxPixels
    self.maxSide = maxSide
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
    self.maxScans = maxScans
    self.maxTotalPixels = maxTotalPixels
    self.maxChunkBytes = maxChunkBytes
    self.maxMemoryBytes = maxMemoryBytes
    self.maxExpansion = maxExpansion
    self.maxDuration = maxDuration
  }

  /// The defaults, which are always on unless a request says otherwise.
  public static let `default` = DecodeLimits()

  /// The quantity that was too large.
  public enum Kind: String, Hashable, Sendable {
    /// Pixels of the canvas.
    case pixels
    /// Pixels of the longer side of the canvas.
    case side
    /// Number of frames.
    case frames
    /// Encoded bytes.
    case bytes
    /// Number of scans.
    case scans
    /// Pixels of all frames together, each a canvas.
    case totalPixels
    /// Bytes of memory that a decode was predicted to take.
    case memory
    /// The same, beside ``DecodeLimits/maxExpansion`` times the encoded bytes.
    case expansion
    /// Pixels of all frames together, beside ``DecodeLimits/maxExpansion`` for the encoded bytes.
    case frameExpansion
    /// Milliseconds of one decode, or of a pass over frames.
    case duration

    var noun: String {
      switch self {
      case .pixels: "pixel count"
      case .side: "side in pixels"
      case .frames: "frame count"
      case .bytes: "byte count"
      case .scans: "scan count"
      case .totalPixels: "pixel count of all frames"
      case .memory: "predicted memory in bytes"
      case .expansion: "predicted memory in bytes, for so few encoded bytes,"
      case .frameExpansion: "pixel count of all frames, for so few encoded bytes,"
      case .duration: "decoding time in milliseconds"
      }
    }

    /// The remedy.
    var advice: String {
      switch self {
      case .pixels: "raise maxPixels of the decode limits to allow it"
      case .side: "raise maxSide of the decode limits to allow it"
      case .frames: "raise maxFrames of the decode limits to allow it"
      case .bytes: "raise maxBytes of the decode limits to allow it"
      case .scans: "raise maxScans of the decode limits to allow it"
      case .totalPixels: "decode the first frame only, or raise maxTotalPixels of the decode limits"
      case .memory: "decode a smaller thumbnail, or raise maxMemoryBytes of the decode limits"
      case .expansion: "decode a smaller thumbnail, or raise maxExpansion of the decode limits"
      case .frameExpansion: "decode the first frame only, or raise maxExpansion of the decode limits"
      case .duration: "raise maxDuration of the decode limits to allow it"
      }
    }
  }

  /// Refuses a canvas that is empty or too large. Coders call it before they take memory.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func check(size: PixelSize, format: ImageFormat) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(format, reason: "the image is \(size) pixels", offset: nil)
    }
    guard size.pixelCount <= maxPixels else {
      throw .limitExceeded(.pixels, value: size.pixelCount, limit: maxPixels)
    }
    let side = max(size.width, size.height)
    guard side <= maxSide else { throw .limitExceeded(.side, value: side, limit: maxSide) }
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
