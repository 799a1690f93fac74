/// The limits on the work and memory that an input can demand. They are checked against the header, before memory is
/// allocated.
public struct DecodeLimits: Hashable, Sendable {
  /// The largest number of pixels in one canvas: 100 million.
  public var maxPixels: Int
  /// The largest number of pixels on the longer side of a canvas: 65,535, the maximum of JPEG and GIF. Decoders hold
  /// whole rows, even of pictures with few of them.
  public var maxSide: Int
  /// The largest number of frames in one animation: 8,192.
  public var maxFrames: Int
  /// The largest number of encoded bytes: 256 MiB.
  public var maxBytes: Int
  /// The largest number of scans in one progressive JPEG: 100. Encoders write about ten.
  public var maxScans: Int
  /// The largest number of pixels in all frames of an animation together: 2 billion, such as 960 frames of 1920×1080.
  /// Each frame counts as the delivered canvas, even if it changes little of it, or as its stored size if that is
  /// larger. The limit is checked for requests of frames: the first frame alone is a still image. ``maxExpansion``
  /// limits the number for small files.
  public var maxTotalPixels: Int
  /// The largest number of inflated bytes in one chunk besides the pixels, such as a profile or Exif: 8 MiB. Larger
  /// chunks are ignored.
  public var maxChunkBytes: Int
  /// The largest number of items, and of references between items, in one HEIF or AVIF: 4,096. Each tile of a large
  /// picture is an item.
  public var maxItems: Int
  /// The largest number of bytes in the text of one SVG, without compression and with all entities replaced: 16 MiB.
  public var maxTextBytes: Int
  /// The largest number of pages in one TIFF: 1,024.
  public var maxPages: Int
  /// The largest peak memory of one decode: 1 GiB. That is enough for 100 million pixels of every format as it is
  /// usually stored, decoded whole and converted to sRGB.
  ///
  /// The memory is predicted from the header before it is allocated: the result, canvases, and the memory of the
  /// libraries, such as the coefficients of a progressive JPEG or the pixels of a lossless WebP. The encoded bytes are
  /// not counted, nor the memory of transforms beyond a second picture. An incremental decode takes up to a picture
  /// more than a decode of the whole bytes, and each ``IncrementalDecoder/snapshot()`` another one, which is not
  /// counted. ``CoderRegistry``, ``AnimatedImage`` and ``IncrementalDecoder`` check the limit for all coders; a direct
  /// call of a coder does not.
  public var maxMemoryBytes: Int
  /// The largest number of bytes of memory per encoded byte, beyond the first 192 MiB, which any decode may take: 64.
  /// All frames of an animation together may have 8 times as many pixels, beyond the first 64 million.
  ///
  /// Photographs need 8 to 40 bytes, so that one of 100 million pixels passes; a file of a few bytes with any header
  /// gets 192 MiB and no more. Drawings of more than 45 million pixels in next to no bytes need a higher limit, or a
  /// thumbnail.
  public var maxExpansion: Int
  /// The largest duration of one decode: 60 seconds.
  ///
  /// For an animation it is the time of a pass over its frames, requested in ascending order: the times of their
  /// decodes are added. A request for an earlier frame begins a new pass, so that an animation can play for ever, and
  /// the cost of one access is bounded. The time between two calls does not count.
  public var maxDuration: Duration

  /// Bytes of memory that any decode may take, regardless of its encoded bytes. Only tests change it.
  var unquestionedBytes = 192 << 20
  /// Pixels that all frames of any animation may have together.
  var unquestionedPixels = 64_000_000

  /// Creates limits; parameters that are left out keep their defaults.
  public init(
    maxPixels: Int = 100_000_000, maxSide: Int = 65_535, maxFrames: Int = 8192, maxBytes: Int = 256 << 20,
    maxScans: Int = 100, maxTotalPixels: Int = 2_000_000_000, maxChunkBytes: Int = 8 << 20,
    maxItems: Int = 4096, maxTextBytes: Int = 16 << 20, maxPages: Int = 1024, maxMemoryBytes: Int = 1 << 30,
    maxExpansion: Int = 64, maxDuration: Duration = .seconds(60)
  ) {
    self.maxPixels = maxPixels
    self.maxSide = maxSide
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
    self.maxScans = maxScans
    self.maxTotalPixels = maxTotalPixels
    self.maxChunkBytes = maxChunkBytes
    self.maxItems = maxItems
    self.maxTextBytes = maxTextBytes
    self.maxPages = maxPages
    self.maxMemoryBytes = maxMemoryBytes
    self.maxExpansion = maxExpansion
    self.maxDuration = maxDuration
  }

  /// The default limits, which apply unless a request overrides them.
  public static let `default` = DecodeLimits()

  /// The quantity that exceeded its limit.
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
    /// Number of items of a HEIF or AVIF, or of references between them.
    case items
    /// Bytes of text.
    case text
    /// Number of pages.
    case pages
    /// Pixels of all frames together, each a canvas.
    case totalPixels
    /// Bytes of the predicted memory of a decode.
    case memory
    /// Bytes of the predicted memory, compared with ``DecodeLimits/maxExpansion`` times the encoded bytes.
    case expansion
    /// Pixels of all frames together, compared with ``DecodeLimits/maxExpansion`` for the encoded bytes.
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
      case .items: "item count"
      case .text: "byte count of text"
      case .pages: "page count"
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
      case .items: "raise maxItems of the decode limits to allow it"
      case .text: "raise maxTextBytes of the decode limits to allow it"
      case .pages: "raise maxPages of the decode limits to allow it"
      case .totalPixels: "decode the first frame only, or raise maxTotalPixels of the decode limits"
      case .memory: "decode a smaller thumbnail, or raise maxMemoryBytes of the decode limits"
      case .expansion: "decode a smaller thumbnail, or raise maxExpansion of the decode limits"
      case .frameExpansion: "decode the first frame only, or raise maxExpansion of the decode limits"
      case .duration:
        "raise maxDuration of the decode limits, and the deadline of the sandbox if there is one"
      }
    }
  }

  /// Refuses a canvas that is empty or too large. Coders call it before they allocate memory.
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
  /// Refuses more pages than allowed.
  ///
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)``.
  public func check(pageCount: Int) throws(ImagingError) {
    guard pageCount <= maxPages else {
      throw .limitExceeded(.pages, value: pageCount, limit: maxPages)
    }
  }

  /// Refuses more items, or references between items, than allowed.
  package func check(itemCount: Int) throws(ImagingError) {
    guard itemCount <= maxItems else {
      throw .limitExceeded(.items, value: itemCount, limit: maxItems)
    }
  }
}
