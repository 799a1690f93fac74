public import CalotypeImaging
public import FoundationEssentials

extension ImageCache {
  /// The name, the coders and the limits of an ``ImageCache``.
  public struct Configuration: Sendable {
    /// The namespace of the keys and tags. Caches of one folder with different names do not see each other's images.
    /// Any text is valid.
    public var name = "images"
    /// The coders of the images.
    public var coders = CoderRegistry.standard
    /// The limits of an image that is stored as data or decoded.
    public var limits = DecodeLimits.default
    /// The form in which images are stored that come without data.
    public var encoding = ImageCache.Encoding.automatic
    /// The number of concurrent decodes and encodes; `nil` for the number of processors. Twice as many images are read
    /// at a time.
    public var concurrency: Int?
    /// The most calls that wait for a read, decode, encode or store. More fail with `CachingError.overloaded`.
    public var waitingLimit = 10_000
    /// A folder of earlier images, such as that of an older version of the program. Its records move into the folder of
    /// the disk cache at the first use of the disk: `DiskCache.moveRecords`. All calls wait for that, and a failure shows
    /// in ``ImageCache/statistics()``. Without effect if the disk cache is no `DiskCache`.
    public var migratesFrom: URL?

    /// Creates a configuration with the defaults of the properties.
    public init() {}
  }

  /// A set of tiers of an ``ImageCache``.
  public struct Tiers: OptionSet, Hashable, Sendable {
    /// The raw bits.
    public let rawValue: UInt8

    /// Creates a set from raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decoded images, in memory.
    public static let memory = ImageCache.Tiers(rawValue: 1)
    /// Encoded images, on disk.
    public static let disk = ImageCache.Tiers(rawValue: 2)
    /// Both tiers.
    public static let all: ImageCache.Tiers = [.memory, .disk]
  }

  /// Options for storing one image.
  public struct StoreOptions: Sendable {
    /// Tags by which the image is removed together with others: ``ImageCache/removeAll(tag:from:)``.
    public var tags: [String]
    /// How long the image lives in both tiers, regardless of accesses; `nil` leaves that to the caches.
    public var lifetime: Duration?
    /// The form on disk of an image without data; `nil` for ``ImageCache/Configuration/encoding``.
    public var encoding: ImageCache.Encoding?

    /// Creates options.
    public init(tags: [String] = [], lifetime: Duration? = nil, encoding: ImageCache.Encoding? = nil) {
      self.tags = tags
      self.lifetime = lifetime
      self.encoding = encoding
    }
  }
}
