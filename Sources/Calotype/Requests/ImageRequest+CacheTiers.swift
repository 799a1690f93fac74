extension ImageRequest {
  /// Caches of a pipeline.
  ///
  /// ```swift
  /// request.storeTiers = [.memory, .originals]  // results in memory only
  /// ```
  public struct CacheTiers: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// The tiers with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decoded results, in memory.
    public static let memory = ImageRequest.CacheTiers(rawValue: 1)
    /// Encoded results, on disk. Of an image at full size and without transforms that is the original.
    public static let disk = ImageRequest.CacheTiers(rawValue: 2)
    /// Originals as they were served, on disk.
    public static let originals = ImageRequest.CacheTiers(rawValue: 4)
    /// All of them.
    public static let all: ImageRequest.CacheTiers = [.memory, .disk, .originals]
  }
}
