extension ImageRequest {
  /// A set of caches of a pipeline.
  ///
  /// ```swift
  /// request.storeTiers = [.memory, .originals]  // results in memory only
  /// ```
  public struct CacheTiers: OptionSet, Hashable, Sendable {
    /// The raw bits.
    public let rawValue: UInt8

    /// Creates a set from raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decoded results, in memory.
    public static let memory = ImageRequest.CacheTiers(rawValue: 1)
    /// Encoded results, on disk. For an image at full size and without transforms, that is the original.
    public static let disk = ImageRequest.CacheTiers(rawValue: 2)
    /// Originals as they were served, on disk.
    public static let originals = ImageRequest.CacheTiers(rawValue: 4)
    /// All tiers.
    public static let all: ImageRequest.CacheTiers = [.memory, .disk, .originals]
  }
}
