import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Everything at once.
@Suite("Storm", .timeLimit(.minutes(5)))
struct StormTests {
  @Test(
    "1,000 tasks, 100 sources, 10 sizes, 3 in 10 cancelled: each source fetched once, one ending each, within the budget"
  )
  func storm() async throws {
    let server = try ScriptedHTTPServer()
    let folder = try CacheFolder()
    let photos = try (0..<100).map { try Samples.png(width: 200, height: 150, shade: UInt8($0)) }
    let gates = (0..<100).map { _ in Gate() }
    for (index, photo) in photos.enumerated() {
      server.route("/\(index).png", .gated([(gates[index], photo)]))
    }
    var configuration = ImagePipeline.Configuration(
      loader: CurlLoader(.init(maxConcurrent: 100, maxConcurrentPerHost: 100)),
      memoryCache: MemoryCache(byteLimit: 64 << 20), diskCache: folder.diskCache())
    // Whoever comes when others have their images already finds the original on disk.
    configuration.freshness.defaultLifetime = .seconds(1000)
    let budget = 1_000_000
    configuration.limits.decodedBytes = budget
    configuration.limits.encodedBytes = 50_000
    configuration.limits.loads = 100
    configuration.limits.loadsPerOrigin = 100
    let pipeline = ImagePipeline(configuration)
    var random = SeededGenerator(seed: UInt64.random(in: 0 ... .max))
    // One caller of each source stays, so that no source is given up and fetched again.
    let plans = (0..<1000).map { index in
      let source = index < 100 ? index : Int.random(in: 0..<100, using: &random)
      let width = 20 * (1 + Int.random(in: 0..<10, using: &random))
      let isCancelled = index >= 100 && Int.random(in: 0..<10, using: &random) < 3
      return (source: source, width: width, isCancelled: isCancelled)
    }
    func start(_ plan: (source: Int, width: Int, isCancelled: Bool)) -> Task<Image, any Error> {
      let request = ImageRequest(
        url: server.url("/\(plan.source).png"), thumbnail: .fit(width: plan.width, height: 1000),
        priority: ImageRequest.Priority.allCases[plan.width / 20 % 5])
      return Task { try await pipeline.image(for: request) }
    }
    var tasks = plans[..<100].map(start)
    try await eventually { pipeline.jobs.loads.count >= 100 }
    tasks += plans[100...].map(start)
    let order = plans.indices.filter { plans[$0].isCancelled }.shuffled(using: &random)
    for (count, index) in order.enumerated() {
      // Some before anything has arrived, some amid the decodes.
      if count == order.count / 2 { for gate in gates { gate.open() } }
      tasks[index].cancel()
    }
    var endings = 0
    for (plan, task) in zip(plans, tasks) {
      switch await task.result {
      case .success(let image):
        #expect(image.width == plan.width)
        #expect(image.bitmap.withUnsafeBytes { $0[0] } == UInt8(plan.source))
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(plan.isCancelled)
      }
      endings += 1
    }
    #expect(endings == 1000)
    for index in 0..<100 { #expect(server.requests(for: "/\(index).png").count == 1) }
    await pipeline.settle()
    let statistics = pipeline.statistics
    #expect(statistics.cacheErrors == 0, "\(statistics.lastCacheErrorCode ?? "")")
    #expect(statistics.loads == 100)
    #expect(statistics.peakDecodedBytes <= budget)
    #expect(statistics.peakDecodedBytes > 0)
    #expect(statistics.decodedBytes == 0)
    #expect(statistics.encodedBytes == 0)
    #expect(pipeline.jobs.isEmpty)
  }
}
