public import CalotypeCaching

extension ImagePipeline {
  /// How much there is of everything in a pipeline at one moment.
  public struct Sample: Hashable, Sendable {
    /// What the pipeline is doing.
    public var statistics: ImagePipeline.Statistics
    /// What is in memory; `nil` without a memory cache.
    public var memory: MemoryTier.Statistics?
    /// Bytes of the files of the disk cache; `nil` if it is not a `DiskCache`, or has failed.
    public var diskBytes: Int?

    /// Creates a sample.
    public init(
      statistics: ImagePipeline.Statistics, memory: MemoryTier.Statistics? = nil, diskBytes: Int? = nil
    ) {
      self.statistics = statistics
      self.memory = memory
      self.diskBytes = diskBytes
    }
  }
}
