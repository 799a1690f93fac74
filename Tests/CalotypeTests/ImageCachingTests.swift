import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

/// A cache of decoded images of the program's own, in place of `MemoryCache`.
@Suite("Caches of decoded images", .timeLimit(.minutes(1)))
struct ImageCachingTests {
  private let loader = FakeLoader()
  private let cache = DictionaryCache()
  private let time = ManualTime()
  private let url: URL

  init() throws {
    url = try #require(URL(string: "http://images.test/a.png"))
    loader.route(url, .body(try Samples.png(shade: 7)))
  }

  private func pipeline(_ change: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> ImagePipeline {
    let time = time
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: cache, diskCache: nil,
      freshness: FreshnessPolicy(defaultLifetime: .seconds(100)), now: { time.date })
    change(&configuration)
    return ImagePipeline(configuration)
  }

  private func small(_ width: Int = 4) -> ImageRequest {
    ImageRequest(url: url, thumbnail: .fit(width: width, height: 4))
  }

  @Test("it gets the images with their costs, and serves them")
  func serves() async throws {
    let pipeline = pipeline()
    var request = small()
    request.tags = ["x"]
    let made = try await pipeline.response(for: request)
    #expect(made.source == .loader)
    #expect(cache.keys == [request.key] && cache.costs[request.key] ?? 0 > 4 * 4 * 4)
    let found = try await pipeline.response(for: request)
    #expect(found.source == .memory && found.image.bitmap == made.image.bitmap)
    #expect(pipeline.cachedImage(for: request)?.bitmap == made.image.bitmap)
    #expect(try await pipeline.image(for: request).bitmap == made.image.bitmap)
    #expect(await pipeline.cache.tiers(of: request) == .memory)
    #expect(loader.requests.count == 1)
    // Another pipeline with the cache needs no loader.
    #expect(try await self.pipeline().response(for: request).source == .memory)
    #expect(loader.requests.count == 1)
    #expect(pipeline.configuration.memoryCache is DictionaryCache && pipeline.cache.memoryStatistics == nil)
  }

  @Test("an image that is put in by hand is found")
  func storing() async throws {
    let pipeline = pipeline()
    let image = try CoderRegistry.standard.decode(try Samples.png(shade: 200))
    try await pipeline.cache.store(image, for: small())
    #expect(pipeline.cache.image(for: small())?.bitmap == image.bitmap)
    #expect(try await pipeline.image(for: small()).bitmap == image.bitmap)
    #expect(loader.requests.isEmpty)
  }

  @Test("purges reach it: of a request, a source, a tag, and all")
  func purges() async throws {
    let pipeline = pipeline()
    var tagged = small(3)
    tagged.tags = ["x"]
    let requests = [small(1), small(2), tagged]
    let purges: [(() async throws -> Void, left: [ImageRequest])] = [
      ({ try await pipeline.cache.remove(requests[0]) }, [requests[1], requests[2]]),
      ({ try await pipeline.cache.removeAll(.tag("x")) }, [requests[0], requests[1]]),
      ({ try await pipeline.cache.removeAll(of: requests[0]) }, []),
      ({ try await pipeline.cache.removeAll(.host("images.test")) }, []),
      ({ try await pipeline.cache.removeAll() }, []),
    ]
    for (index, (purge, left)) in purges.enumerated() {
      for request in requests { _ = try await pipeline.image(for: request) }
      #expect(cache.keys.count == 3)
      try await purge()
      #expect(cache.keys == Set(left.map(\.key)), "\(index)")
      for request in requests {
        let isLeft = left.contains(request)
        #expect((pipeline.cachedImage(for: request) != nil) == isLeft, "\(index)")
      }
    }
  }

  @Test("the pipeline judges the freshness of its images, which it does not know")
  func freshness() async throws {
    let pipeline = pipeline()
    let request = small()
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    time.advance(by: .seconds(99))
    #expect(pipeline.cachedImage(for: request) != nil)
    time.advance(by: .seconds(2))
    #expect(pipeline.cachedImage(for: request) == nil && pipeline.cache.image(for: request) != nil)
    var stale = request
    stale.cachePolicy = .cacheOnly
    let found = try await pipeline.response(for: stale)
    #expect(found.source == .memory && found.isStale)
    // The bytes are the same: the image in memory is confirmed, and fresh again.
    #expect(try await pipeline.response(for: request).isStale == false)
    #expect(loader.requests.count == 2)
    #expect(pipeline.cachedImage(for: request) != nil)
    await pipeline.settle()
  }

  @Test("a damaged image is forgotten after a while")
  func damaged() async throws {
    var photo = try Samples.photo("stream.jpg")
    let middle = photo.count / 2
    photo.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
    let damaged = try #require(URL(string: "http://images.test/b.jpg"))
    loader.route(damaged, .body(photo))
    let pipeline = pipeline()
    var request = ImageRequest(url: damaged)
    #expect(try await pipeline.response(for: request).isDamaged)
    request.cachePolicy = .cacheOnly
    #expect(try await pipeline.response(for: request).source == .memory)
    time.advance(by: .seconds(61))
    await #expect(throws: (any Error).self) { try await pipeline.response(for: request) }
  }

  @Test("caches of a request may be of any kind")
  func ofRequests() async throws {
    let pipeline = pipeline { $0.memoryCache = MemoryCache(byteLimit: 1 << 20) }
    var request = small()
    request.caches = ImageRequest.Identified("mine", ImagePipeline.Caches(memory: cache))
    _ = try await pipeline.image(for: request)
    #expect(cache.keys == [request.key] && pipeline.cache.memoryStatistics?.count == 0)
    #expect(try await pipeline.response(for: request).source == .memory)
  }

  @Test("the built-in cache keeps the freshness and the tags of images that come through the protocol")
  func builtIn() async throws {
    let memory = MemoryCache<CachedImage>(byteLimit: 1 << 20)
    let caching: any ImageCaching = memory
    let key = small().key
    let image = CachedImage(try CoderRegistry.standard.decode(try Samples.png()), tags: ["x"])
    caching.store(image, for: key, cost: 100)
    #expect(caching.image(for: key) != nil && memory.contains(key) && memory.statistics.bytes == 100)
    #expect(caching.removeAll(.tag("x")) == 1 && caching.image(for: key) == nil)
  }
}

/// A dictionary behind a lock, without limits.
private final class DictionaryCache: ImageCaching {
  private let entries = Lock([CacheKey: (image: CachedImage, cost: Int)]())

  var keys: Set<CacheKey> { entries.withLock { Set($0.keys) } }
  var costs: [CacheKey: Int] { entries.withLock { $0.mapValues(\.cost) } }

  func image(for key: CacheKey) -> CachedImage? { entries.withLock { $0[key]?.image } }

  func store(_ image: CachedImage, for key: CacheKey, cost: Int) {
    entries.withLock { $0[key] = (image, cost) }
  }

  func remove(_ key: CacheKey) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }

  func removeAll(_ selection: CacheSelection) -> Int {
    entries.withLock { entries in
      let count = entries.count
      entries = entries.filter { !selection.contains(source: $0.key.source, tags: $0.value.image.tags) }
      return count - entries.count
    }
  }

  func removeAll() { entries.withLock { $0 = [:] } }
}
