import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Which work is shared by which requests, and that nothing of it is left.
@Suite("Job graph", .timeLimit(.minutes(5)))
struct JobGraphTests {
  private let server: ScriptedHTTPServer
  private let gate = Gate()

  init() throws {
    server = try ScriptedHTTPServer()
    server.route("/a.jpg", .gated([(gate, try Samples.photo("stream.jpg"))]))
  }

  @Test("a request for the bytes and one for the image share one load")
  func dataAndImage() async throws {
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.jpg")
    async let data = pipeline.data(for: url)
    async let image = pipeline.image(for: url)
    try await server.waitForRequests("/a.jpg")
    try await eventually { pipeline.jobs.originals.all.first?.subscriberCount == 2 }
    gate.open()
    #expect(try await data == Samples.photo("stream.jpg"))
    #expect(try await image.width == 1731)
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("requests by different cache policies share the load once both get there, and it is stored once")
  func policies() async throws {
    let folder = try CacheFolder()
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let tasks = [ImageRequest.CachePolicy.http, .reload, .loaderOnly, .staleWhileRevalidate].map { policy in
      let request = ImageRequest(url: server.url("/a.jpg"), cachePolicy: policy)
      return Task { try await pipeline.image(for: request) }
    }
    try await server.waitForRequests("/a.jpg")
    try await eventually { pipeline.jobs.loads.all.first?.subscriberCount == 4 }
    #expect(pipeline.jobs.loads.count == 1)
    gate.open()
    for task in tasks { #expect(try await task.value.width == 1731) }
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("the first caller leaves, or its time is over: the others go on with the same load")
  func leader() async throws {
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.jpg")
    let first = Task { try await pipeline.image(for: url) }
    try await server.waitForRequests("/a.jpg")
    let second = Task { try await pipeline.image(for: url) }
    try await eventually { await pipeline.subscribers == 2 }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(await pipeline.subscribers == 1)
    gate.open()
    #expect(try await second.value.width == 1731)
    #expect(server.requests.count == 1)
    #expect(server.disconnects("/a.jpg") == 0)
    await pipeline.settle()
  }

  @Test("ten sizes at once: one load, fewer decodes than sizes, each size to the byte what it is alone")
  func tenSizes() async throws {
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, memoryCache: nil, diskCache: nil)
    configuration.limits.decodes = 1
    let pipeline = ImagePipeline(configuration)
    let sizes = (1...10).map { Thumbnail.fit(width: 40 * $0, height: 1000) }
    let tasks = sizes.map { size in
      let request = ImageRequest(url: server.url("/a.jpg"), thumbnail: size)
      return Task { try await pipeline.image(for: request) }
    }
    try await eventually { pipeline.jobs.originals.all.first?.subscriberCount == 10 }
    gate.open()
    let data = try Samples.photo("stream.jpg")
    for (size, task) in zip(sizes, tasks) {
      let alone = try CoderRegistry.standard.decode(data, options: DecodeOptions(thumbnail: size))
      #expect(try await task.value.bitmap == alone.bitmap)
    }
    let statistics = pipeline.statistics
    #expect(statistics.loads == 1)
    #expect(statistics.decodes < 10)
    await pipeline.settle()
  }

  @Test("whoever decodes for others is cancelled: they get their images all the same")
  func decoderCancelled() async throws {
    gate.open()
    let data = try Samples.photo("stream.jpg")
    for round in 0..<30 {
      var configuration = ImagePipeline.Configuration(
        loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil)
      configuration.limits.decodes = 1
      let pipeline = ImagePipeline(configuration)
      let tasks = (1...6).map { index in
        let request = ImageRequest(
          source: .data(data, id: "\(round)"), thumbnail: .fit(width: 30 + index, height: 1000))
        return Task { try await pipeline.image(for: request) }
      }
      try await eventually { pipeline.statistics.runningDecodes > 0 }
      for index in 0..<3 { tasks[(round + index) % 6].cancel() }
      for (index, task) in tasks.enumerated() {
        switch await task.result {
        case .success(let image): #expect(image.width == 31 + index)
        case .failure(let error):
          #expect(error is CancellationError)
          #expect((0..<3).contains { (round + $0) % 6 == index })
        }
      }
      await pipeline.settle()
      #expect(pipeline.statistics.decodedBytes == 0)
    }
  }

  @Test("what a serializer makes is what is kept, and it is asked once for many sizes")
  func serializer() async throws {
    let folder = try CacheFolder()
    let disk = folder.diskCache()
    let count = Lock(0)
    let small = try Samples.png(width: 4, height: 4)
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, memoryCache: nil, diskCache: disk,
      originalSerializer: .custom { _ in
        count.withLock { $0 += 1 }
        return small
      })
    configuration.freshness.defaultLifetime = .seconds(100)
    let pipeline = ImagePipeline(configuration)
    let requests = (1...5).map {
      ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: $0 * 10, height: 100))
    }
    gate.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for request in requests { group.addTask { _ = try await pipeline.image(for: request) } }
      try await group.waitForAll()
    }
    await pipeline.settle()
    #expect(count.withLock { $0 } == 1)
    #expect(try await disk.read(requests[0].sourceKey)?.data == small)
  }

  @Test(
    "nothing is left after any ending: image, failure, cancel, hits, a miss that may not load, odd URLs, files"
  )
  func nothingLeft() async throws {
    gate.open()
    server.route("/bad", .status(404))
    server.route("/hang", .hang)
    let folder = try CacheFolder()
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    func isEmpty() async -> Bool {
      await pipeline.settle()
      let statistics = pipeline.statistics
      return pipeline.jobs.isEmpty && statistics.decodedBytes == 0 && statistics.encodedBytes == 0
        && statistics.runningDecodes == 0 && statistics.waitingDecodes == 0
    }
    var request = ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 10, height: 10))
    for policy in [
      ImageRequest.CachePolicy.reload, .http, .ignoreHTTPFreshness, .cacheOnly, .loaderOnly,
      .staleWhileRevalidate,
    ] {
      request.cachePolicy = policy
      request.transforms = policy == .ignoreHTTPFreshness ? [.grayscale(), .rotate(degrees: 90)] : .inherit
      _ = try await pipeline.image(for: request)
      #expect(await isEmpty())
    }
    request.cachePolicy = .cacheOnly
    request.thumbnail = .fit(width: 11, height: 11)
    request.storeTiers = []
    _ = try? await pipeline.image(for: request)
    let odd = ["http://", "calotype:nothing", "data:,", "http://127.0.0.1:1/", "file:///nowhere"]
    for text in odd {
      guard let url = URL(string: text) else { continue }
      await #expect(throws: (any Error).self) { try await pipeline.image(for: url) }
      #expect(await isEmpty())
    }
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: server.url("/bad")) }
    #expect(await isEmpty())
    _ = try await pipeline.image(for: Samples.fixture("jpeg/generated/size-16x16-progressive.jpg"))
    #expect(await isEmpty())
    let task = Task { try await pipeline.image(for: server.url("/hang")) }
    try await server.waitForRequests("/hang")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await isEmpty())
  }
}
