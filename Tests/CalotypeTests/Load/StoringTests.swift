import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Nobody waits for a disk, and what was removed stays removed.
@Suite("Storing under load", .timeLimit(.minutes(5)))
struct StoringTests {
  private static let fresh: [(String, String)] = [("Cache-Control", "max-age=1000")]

  private func loader(width: Int = 200) throws -> FakeLoader {
    let png = try LoadSamples.noise(width, width)
    return FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=1000"]) }
  }

  @Test("a disk that stalls stops no delivery: stores are bounded, then shed")
  func stalledDisk() async throws {
    let cache = FaultyCache()
    let gate = Gate()
    cache.hold(.store, at: gate)
    let pipeline = LoadSamples.pipeline(try loader()) { configuration in
      configuration.diskCache = cache
      configuration.limits.waitingStores = 20
      configuration.memory = ImagePipeline.Memory(byteLimit: 16 << 20)
    }
    for index in 0..<300 {
      let request = ImageRequest(
        url: try LoadSamples.url("h", "\(index)"), thumbnail: .fit(width: 50, height: 50))
      #expect(try await pipeline.image(for: request).width == 50)
    }
    let statistics = pipeline.statistics
    #expect(statistics.waitingStores <= 20)
    #expect(statistics.storesShed > 200)
    #expect(statistics.peakHeldBytes <= 16 << 20)
    // Who asks for it is told.
    var durable = ImageRequest(
      url: try LoadSamples.url("h", "durable"), thumbnail: .fit(width: 50, height: 50))
    durable.storeDurability = .stored
    #expect(try await pipeline.response(for: durable).stores?.disk == .failed(code: "shed"))
    gate.open()
    await pipeline.settle()
    #expect(pipeline.statistics.heldBytes == 0)
    // The disk works again: so does the cache.
    let request = ImageRequest(url: try LoadSamples.url("h", "again"))
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    #expect(try await cache.contains(request.sourceKey))
  }

  @Test("an image with its bytes is made of those that were loaded for it, even if they are stored before")
  func includesData() async throws {
    let (results, originals, gate) = (FaultyCache(), FaultyCache(), Gate())
    results.hold(.read, at: gate)
    let pipeline = LoadSamples.pipeline(try loader()) { configuration in
      configuration.caches = ImagePipeline.Caches(memory: nil, disk: results, originals: originals)
    }
    var request = ImageRequest(url: try LoadSamples.url("h"), thumbnail: .fit(width: 50, height: 50))
    request.includesData = true
    request.storeDurability = .stored
    let task = Task { [request] in try await pipeline.response(for: request) }
    try await results.waitForCalls(.read)
    try await originals.waitForCalls(.store)
    try await eventually { pipeline.jobs.originals.all.allSatisfy { $0.isSettled } }
    gate.open()
    let response = try await task.value
    #expect(response.source == .loader)
    #expect(response.stores?.original == .stored)
    #expect(response.data != nil)
    await pipeline.settle()
  }

  @Test(
    "a request for a new load is not answered by one that has ended, and is still being stored",
    arguments: [ImageRequest.CachePolicy.loaderOnly, .reload])
  func newLoad(policy: ImageRequest.CachePolicy) async throws {
    let (cache, gate) = (FaultyCache(), Gate())
    cache.hold(.store, at: gate)
    let loader = try loader()
    let pipeline = LoadSamples.pipeline(loader) { $0.diskCache = cache }
    var request = ImageRequest(url: try LoadSamples.url("h"))
    #expect(try await pipeline.response(for: request).source == .loader)
    #expect(pipeline.jobs.loads.all.contains { !$0.isSettled })
    request.cachePolicy = policy
    for count in 2...3 {
      #expect(try await pipeline.response(for: request).source == .loader)
      #expect(loader.requests.count == count)
    }
    request.includesData = true
    #expect(try await pipeline.response(for: request).data != nil)
    _ = try await pipeline.encoded(request, as: .webp())
    _ = try await pipeline.encoded(request, as: .png)
    #expect(loader.requests.count == 6, "one for each, not one for each of its steps")
    gate.open()
    await pipeline.settle()
    #expect(pipeline.statistics.heldBytes == 0)
  }

  @Test("that there is no image is told before it is stored")
  func notFound() async throws {
    let cache = FaultyCache()
    let gate = Gate()
    cache.hold(.store, at: gate)
    let loader = FakeLoader { _ in .status(404, headers: [.cacheControl: "max-age=1000"]) }
    let pipeline = LoadSamples.pipeline(loader) { $0.diskCache = cache }
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: LoadSamples.url("h")) }
    gate.open()
    await pipeline.settle()
    #expect(cache.calls(.store) == 1)
  }

  @Test("who waits for durability waits no longer than its deadline, and leaves when it is cancelled")
  func durability() async throws {
    let (cache, time) = (FaultyCache(), ManualTime())
    let gate = Gate()
    cache.hold(.store, at: gate)
    let pipeline = LoadSamples.pipeline(try loader()) { configuration in
      configuration.diskCache = cache
      configuration.clock = time.clock
    }
    var request = ImageRequest(url: try LoadSamples.url("h"))
    request.storeDurability = .stored
    let patient = Task { [request] in try await pipeline.image(for: request) }
    request.deadline = .seconds(5)
    let hurried = Task { [request] in try await pipeline.image(for: request) }
    try await eventually { cache.calls(.store) > 0 }
    try await time.clock.waitForSleepers()
    time.advance(by: .seconds(5))
    await #expect(throws: PipelineError.deadlineExceeded(request.source.description, after: .seconds(5))) {
      try await hurried.value
    }
    patient.cancel()
    await #expect(throws: CancellationError.self) { try await patient.value }
    gate.open()
    await pipeline.settle()
  }

  @Test("what is removed while it is loaded or read does not come back", arguments: [false, true])
  func purge(isRemovalOfOne: Bool) async throws {
    let cache = FaultyCache()
    let loader = try loader()
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
      configuration.diskCache = cache
    }
    let request = ImageRequest(url: try LoadSamples.url("h"))
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    let gate = Gate()
    cache.hold(isRemovalOfOne ? .remove : .removeAll, at: gate)
    let purge = Task {
      if isRemovalOfOne {
        try await pipeline.cache.remove(request)
      } else {
        try await pipeline.cache.removeAll(.sourcePrefix("http://h/"))
      }
    }
    try await eventually { cache.calls(isRemovalOfOne ? .remove : .removeAll) > 0 }
    // The cache has it still; it is not used.
    #expect(try await pipeline.response(for: request).source == .loader)
    #expect(loader.requests.count == 2)
    gate.open()
    try await purge.value
    await pipeline.settle()
  }

  @Test("what was begun before a removal is delivered, and not kept")
  func begunBefore() async throws {
    let cache = FaultyCache()
    let gate = Gate()
    let png = try SampleImages.still()
    let url = try LoadSamples.url("h")
    let loader = FakeLoader()
    var gated = FakeReply.gated([(gate, png)], headers: [.cacheControl: "max-age=1000"])
    gated.expectedLength = png.count
    loader.route(url, gated, .body(png, headers: [.cacheControl: "max-age=1000"]))
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
      configuration.diskCache = cache
    }
    let request = ImageRequest(url: url, thumbnail: .fit(width: 4, height: 4))
    let before = Task { try await pipeline.image(for: request) }
    try await loader.waitForRequests(url)
    try await pipeline.cache.removeAll()
    // It does not join what was begun before.
    #expect(try await pipeline.image(for: request).width == 4)
    #expect(loader.requests.count == 2)
    try await pipeline.cache.removeAll()
    gate.open()
    #expect(try await before.value.width == 4)
    await pipeline.settle()
    #expect(pipeline.cachedImage(for: request) == nil)
    #expect(cache.keys.isEmpty)
  }

  @Test("a picture from a fallback is not confirmed by the source it stands for")
  func fallback() async throws {
    let (primary, mirror) = (try SampleImages.still(width: 10), try SampleImages.still(width: 20))
    let time = ManualTime()
    let isBroken = Lock(true)
    let loader = FakeLoader()
    let (own, other) = (try LoadSamples.url("primary"), try LoadSamples.url("mirror"))
    loader.route(own) { request in
      if isBroken.withLock({ $0 }) { return .status(404) }
      if request.validators?.lastModified != nil, request.validators?.etag == nil { return .status(304) }
      return .body(
        primary, headers: [.lastModified: "Wed, 01 Jan 2025 00:00:00 GMT", .cacheControl: "max-age=10"])
    }
    loader.route(
      other,
      .body(mirror, headers: [.lastModified: "Fri, 01 Aug 2025 00:00:00 GMT", .cacheControl: "max-age=3600"]))
    var http = HTTPLoader.Configuration()
    http.failureMemory = nil
    http.retry = .none
    var configuration = ImagePipeline.Configuration(
      loader: HTTPLoader(http, transport: loader), memoryCache: nil,
      diskCache: FaultyCache(now: { time.date }),
      now: { time.date })
    configuration.clock = time.clock
    let pipeline = ImagePipeline(configuration)
    var request = ImageRequest(url: own)
    request.fallbacks = [other]
    #expect(try await pipeline.image(for: request).width == 20)
    await pipeline.settle()
    isBroken.withLock { $0 = false }
    time.advance(by: .seconds(61))
    #expect(try await pipeline.image(for: request).width == 10)
    await pipeline.settle()
  }
}
