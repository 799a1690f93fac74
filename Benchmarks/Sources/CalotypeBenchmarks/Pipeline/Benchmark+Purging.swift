import BenchmarkHarness
import Calotype
import CalotypeCaching
import CalotypeTestKit
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

extension Benchmark {
  /// A purge by a tag at a node with 100,000 images that have the tag: the call may take 50 ms besides the write to the log.
  static var purging: Benchmark {
    let name = "pipeline/purge of 100,000 images by tag"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let image = Image(bitmap: try SampleImages.bitmap(width: 4, height: 4))
      return Measurement.ratioOfTimes(
        name, to: "50 ms", rounds: min(rounds, 5),
        subjectMilliseconds: {
          let pipeline = ImagePipeline(urls: .trusted) {
            ($0.memoryCache, $0.diskCache) = (MemoryCache(byteLimit: .max), nil)
            $0.nodes.purges = LogAtHand()
          }
          for index in 0..<100_000 {
            let url = URL(string: "https://example.org/\(index).png")
            guard let url else { continue }
            let request = ImageRequest(url: url)
            pipeline.configuration.memoryCache?.store(
              CachedImage(image, tags: ["news"]), for: request.key, cost: 1)
          }
          let done = DispatchSemaphore(value: 0)
          let start = ContinuousClock.now
          Task {
            try? await pipeline.cache.purge(.tag("news"), mode: .gone)
            done.signal()
          }
          done.wait()
          return start.duration(to: .now) / .milliseconds(1)
        }, limitMilliseconds: { 50 })
    }
  }
}

/// A log that has each entry at once.
private final class LogAtHand: PurgeLogging {
  private let count = Mutex(0)

  var position: Int { count.withLock { $0 } }

  func verdict(source: String, tags: [String], at position: Int?) -> PurgeVerdict {
    position == self.position ? .valid : .gone
  }

  func append(_ purge: SharedPurge) async throws(CachingError) -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }

  func observe(_ body: @escaping @Sendable ([SharedPurge]) -> Void) -> PurgeObservation {
    PurgeObservation {}
  }
}
