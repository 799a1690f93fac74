/// The facts about an image that a URL of imgproxy's `/info` asks for, and those about the request.
public struct InfoOptions: Hashable, Sendable {
  /// A crop whose place is asked for; a side as for `crop` of images: pixels from 1, a share below, all of it for 0.
  public struct Crop: Hashable, Sendable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double
    /// The part that is kept.
    public var gravity: Gravity?

    /// Creates a crop.
    public init(width: Double, height: Double, gravity: Gravity? = nil) {
      self.width = width
      self.height = height
      self.gravity = gravity
    }

    /// Whether its place depends on pixels. Objects are not detected; the part that attracts the eye stands for them.
    public var needsPixels: Bool {
      switch gravity?.kind {
      case .smart, .objects, .weightedObjects: true
      case .compass, .focusPoint, nil: false
      }
    }
  }

  /// The number of cosines of a BlurHash each way, 1 to 9.
  public struct BlurHash: Hashable, Sendable {
    /// The horizontal ones.
    public var x: Int
    /// The vertical ones.
    public var y: Int

    /// Creates the numbers.
    public init(x: Int, y: Int) {
      self.x = x
      self.y = y
    }
  }

  // Facts of the header.

  /// The number of bytes (`size`).
  public var size = true
  /// The format and its media type (`format`).
  public var format = true
  /// The upright width and height, and the orientation (`dimensions`).
  public var dimensions = true
  /// Exif (`exif`).
  public var exif = true
  /// Whether the names of Exif are those of its specification.
  public var hasCanonicalNames = false
  /// IPTC, and the resolution of Photoshop (`iptc`).
  public var iptc = true
  /// XMP (`xmp`).
  public var xmp = true
  /// The metadata of a video, of which there are none (`video_meta`).
  public var videoMetadata = true
  /// The colour space (`colorspace`).
  public var colorspace = false
  /// The number of channels (`bands`).
  public var bands = false
  /// The type of samples (`sample_format`).
  public var sampleFormat = false
  /// The number of pages or frames (`pages_number`).
  public var pagesNumber = false
  /// Whether there is an alpha channel (`alpha`).
  public var alpha = false

  // Facts of the pixels.

  /// Whether the alpha channel has transparent pixels.
  public var checksAlpha = false
  /// The place of a crop (`crop`).
  public var crop: Crop?
  /// The largest number of colours of a palette, 2 to 256; 0 for none (`palette`).
  public var paletteColors = 0
  /// The average colour (`average`).
  public var average = false
  /// Whether transparent pixels have no part in ``average``.
  public var ignoresTransparent = true
  /// Six colours for an interface (`dominant_colors`).
  public var dominantColors = false
  /// Whether those that the picture does not have are derived.
  public var buildsMissing = false
  /// A BlurHash (`blurhash`).
  public var blurHash: BlurHash?
  /// A ThumbHash (`thumb_hash`).
  public var thumbHash = false
  /// A perceptual hash (`perceptual_hash`).
  public var perceptualHash = false

  // Facts of all bytes.

  /// Digests of the source (`calc_hashsums`).
  public var hashsums: [ProcessingOptions.Hashsum.Algorithm] = []

  // The request.

  /// The page of a document, or the frame of an animation.
  public var page = 0
  /// The digest that the source has to have (`hashsum`).
  public var hashsum: ProcessingOptions.Hashsum?
  /// Text without meaning, which makes a URL another one.
  public var cachebuster: String?
  /// The moment in seconds since 1970 at which the URL ends.
  public var expires: Int64?
  /// Whether results in caches are left aside.
  public var bypassesCache = false
  /// Names by which a result is purged.
  public var cacheTags: [String] = []
  /// The largest number of megapixels of the source.
  public var maxSourceResolution: Double?
  /// The largest number of bytes of the source.
  public var maxSourceFileSize: Int?

  /// The defaults: the facts of the header that have names of their own in every answer.
  public init() {}

  /// Whether pixels are needed.
  public var needsPixels: Bool {
    alpha && checksAlpha || crop?.needsPixels == true || paletteColors > 0 || average || dominantColors
      || blurHash != nil || thumbHash || perceptualHash
  }

  /// Whether all bytes are needed, pixels or not.
  public var needsAllBytes: Bool { needsPixels || !hashsums.isEmpty || hashsum?.hex.isEmpty == false }
}
