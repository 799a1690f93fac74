import BenchmarkHarness
import Calotype
import CalotypeCaching
import CalotypeImaging
import Dispatch
import Foundation
import Glibc

extension Benchmark {
  /// A hit as programs have it: through the whole pipeline, by a request that was made before, beside NSCache alone.
  static var pipelineHit: Benchmark {
    let name = "pipeline/memory hit/image(for:)"
    return Benchmark(name: name, bar: .ratio(0.25)) { rounds in
      let pipeline = ImagePipeline(urls: .trusted) {
        ($0.memoryCache, $0.diskCache) = (MemoryCache(byteLimit: 1 << 20), nil)
      }
      let requests = urls(1000).compactMap { URL(string: $0) }.map { ImageRequest(url: $0) }
      let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4)) { bytes in
        bytes.initializeMemory(as: UInt8.self, repeating: 255)
        return true
      }
      let image = Image(bitmap: bitmap)
      for request in requests {
        pipeline.configuration.memoryCache?.store(CachedImage(image), for: request.key, cost: 1)
      }
      let peer = FoundationCache(urls(1000))
      for index in 0..<1000 { peer.store(Cached(index), index, cost: 1) }
      return Measurement.ratioOfTimes(name, to: "NSCache", rounds: rounds) {
        perImage(pipeline, requests, count: 200_000)
      } limitMilliseconds: {
        perHit(1, 200_000) { peer.value($0) }
      }
    }
  }

  /// As `perHit`, all of them in one task.
  private static func perImage(_ pipeline: ImagePipeline, _ requests: [ImageRequest], count: Int) -> Double {
    let start = clock()
    let done = DispatchSemaphore(value: 0)
    Task {
      var index = 0
      for _ in 0..<count {
        index += 379
        if index >= 1000 { index %= 1000 }
        let found = try await pipeline.image(for: requests[index])
        precondition(found.width == 4)
      }
      done.signal()
    }
    done.wait()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(count)
  }
}
