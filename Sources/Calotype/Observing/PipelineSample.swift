public import CalotypeCaching

/// How much there is of everything in a pipeline at one moment.
public struct PipelineSample: Hashable, Sendable {
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

extension ImagePipeline {
  /// Looks how much there is of everything, and tells the observers.
  @discardableResult public func sample() async -> PipelineSample {
    var sample = PipelineSample(
      statistics: statistics, memory: configuration.caches.memory?.statistics)
    if let disk = configuration.caches.disk as? DiskCache {
      do {
        sample.diskBytes = try await disk.statistics().bytes
      } catch {
        context.counters.count(cacheError: error)
      }
    }
    for observer in configuration.observers { observer.sampled(sample) }
    return sample
  }

  /// Takes samples until the task is cancelled.
  nonisolated func keepSampling() async {
    let clock = configuration.clock
    while !Task.isCancelled {
      await sample()
      // Cancelled: the loop ends.
      try? await clock.sleep(for: configuration.sampleInterval, tolerance: nil)
    }
  }
}
