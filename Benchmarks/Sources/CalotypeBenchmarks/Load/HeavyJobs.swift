import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Small images behind large ones.
enum HeavyJobs {
  /// The median of milliseconds until a small image is decoded and encoded, while so many photos of 24 MP are shrunk to
  /// 2,000 pixels and encoded as WebP; and how long one such photo takes by itself.
  static func run(_ file: String, jobs: Int) async throws -> [Double] {
    let photo = try Data(contentsOf: URL(filePath: file))
    let small = try SampleImages.still(.jpeg(), width: 64, height: 64)
    let pipeline = ImagePipeline(urls: .trusted) { ($0.memoryCache, $0.diskCache) = (nil, nil) }
    @Sendable func make(
      _ data: Data, _ id: String, _ side: Int, _ options: EncodeOptions
    ) async throws {
      let request = ImageRequest(source: .data(data, id: id), thumbnail: .fit(width: side, height: side))
      _ = try await pipeline.encode(pipeline.image(for: request), as: options)
    }
    try await make(small, "first", 32, .jpeg())
    let alone = try await ContinuousClock().measure { try await make(photo, "alone", 2000, .webp()) }
    let heavy = (0..<jobs).map { index in
      Task { try await make(photo, "photo \(index)", 2000, .webp()) }
    }
    let whole = Task { for job in heavy { _ = try? await job.value } }
    try await Task.sleep(for: .milliseconds(50))
    let latencies = await withTaskGroup(of: Duration.self) { group in
      for index in 0..<25 {
        group.addTask {
          await LoadFigures.time(atMost: .seconds(60)) {
            try await make(small, "small \(index)", 32, .jpeg())
          }
        }
        try? await Task.sleep(for: .milliseconds(20))
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    await whole.value
    return [LoadFigures.median(latencies), alone / .milliseconds(1)]
  }
}
