import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Images of 8×8 pixels that are at hand and in no cache: what a pipeline costs besides the work on pixels.
enum SmallImages {
  /// CPU milliseconds an image through a pipeline, and for its decoder alone.
  static func run(callers: Int, count: Int) async throws -> [Double] {
    let body = try SampleImages.still()
    let pipeline = ImagePipeline(urls: .trusted) { ($0.memoryCache, $0.diskCache) = (nil, nil) }
    try await load(100, by: callers, of: body, from: pipeline, first: 0)
    var start = LoadFigures.cpuMilliseconds
    try await load(count, by: callers, of: body, from: pipeline, first: 100)
    let ours = LoadFigures.cpuMilliseconds - start
    start = LoadFigures.cpuMilliseconds
    for _ in 0..<count { _ = try CoderRegistry.standard.decode(body) }
    let decoder = LoadFigures.cpuMilliseconds - start
    return [ours / Double(count), decoder / Double(count)]
  }

  private static func load(
    _ count: Int, by callers: Int, of body: Data, from pipeline: ImagePipeline, first: Int
  ) async throws {
    let next = LoadCounter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<callers {
        group.addTask {
          while true {
            let index = next.increment()
            if index >= count { return }
            let source = ImageSource.data(body, id: "\(first + index)")
            _ = try await pipeline.image(for: ImageRequest(source: source))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
