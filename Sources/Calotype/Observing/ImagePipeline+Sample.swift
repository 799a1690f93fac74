public import CalotypeCaching

extension ImagePipeline {
  /// The counts of a pipeline at one moment.
  public struct Sample: Hashable, Sendable {
    /// The activity of the pipeline.
    public var statistics: ImagePipeline.Statistics
    /// The contents of the memory cache; `nil` without one.
    public var memory: MemoryTier.Statistics?
    /// The number of bytes in files of the disk cache; `nil` if it is not a `DiskCache`, or has failed.
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
