import CalotypeCaching
import CalotypeSupport

extension ImagePipeline {
  /// Takes a sample of all counts, and reports it to the observers.
  @discardableResult public func sample() async -> ImagePipeline.Sample {
    var diskBytes: Int?
    if let disk = configuration.caches.disk as? DiskCache {
      do {
        diskBytes = try await disk.statistics().bytes
      } catch {
        // Before the counts are taken: this sample has it.
        context.counters.count(cacheError: error)
      }
    }
    let sample = ImagePipeline.Sample(
      statistics: statistics, memory: configuration.caches.decoded?.memory?.statistics, diskBytes: diskBytes)
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
