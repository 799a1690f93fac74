import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

/// What a program puts into the caches of a pipeline, looks up and removes, request by request.
@Suite("Cache of a pipeline", .timeLimit(.minutes(1)))
struct PipelineCacheTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let pipeline: ImagePipeline
  private let request: ImageRequest

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
    pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    request = ImageRequest(url: server.url("/a.png"), thumbnail: .fit(width: 4, height: 4))
    server.route("/a.png", .resource(try Samples.png(shade: 7)))
  }

  private func image(shade: UInt8) throws -> Image {
    try CoderRegistry.standard.decode(try Samples.png(width: 4, height: 4, shade: shade))
  }

  private func shade(_ image: Image?) -> UInt8? { image.map { $0.bitmap.withUnsafeBytes { $0[0] } } }

  @Test("an image that was stored is found in memory and on disk, and nothing is loaded")
  func images() async throws {
    try await pipeline.cache.store(try image(shade: 200), for: request)
    #expect(shade(pipeline.cache.image(for: request)) == 200)
    #expect(await pipeline.cache.tiers(of: request) == [.memory, .disk])
    let found = try await pipeline.response(for: request)
    #expect(shade(found.image) == 200 && found.source == .memory)
    pipeline.configuration.memoryCache?.removeAll()
    #expect(pipeline.cache.image(for: request) == nil)
    let read = try await pipeline.response(for: request)
    #expect(shade(read.image) == 200 && read.source == .disk)
    #expect(server.requests.isEmpty)
    await pipeline.settle()
  }

  @Test("an image of a request without size, whose result is its original, takes the place of the original")
  func plainImages() async throws {
    let plain = ImageRequest(url: server.url("/a.png"))
    try await pipeline.cache.store(try image(shade: 200), for: plain, in: .disk)
    #expect(pipeline.cache.image(for: plain) == nil)
    #expect(await pipeline.cache.tiers(of: plain) == [.disk, .originals])
    let read = try await pipeline.response(for: plain)
    #expect(shade(read.image) == 200 && read.source == .diskOriginal)
    // Other sizes are made of it.
    #expect(shade(try await pipeline.image(for: request)) == 200)
    #expect(server.requests.isEmpty)
    await pipeline.settle()
  }

  @Test("all entries of a source are removed from the caches that the request uses")
  func ownCaches() async throws {
    let own = ImagePipeline.Caches(memory: MemoryCache(byteLimit: 1 << 20), disk: FaultyCache(now: Date.init))
    var request = request
    request.caches = ImageRequest.Identified("own", own)
    for request in [self.request, request] {
      _ = try await pipeline.image(for: request)
      await pipeline.settle()
      #expect(await pipeline.cache.tiers(of: request) == [.memory, .disk, .originals])
    }
    #expect(try await pipeline.cache.removeAll(of: request) == 3)
    #expect(await pipeline.cache.tiers(of: request) == [])
    #expect(await pipeline.cache.tiers(of: self.request) == [.memory, .disk, .originals])
  }

  @Test("parts of transfers go with every purge of originals")
  func parts() async throws {
    let parts = PartialStore(folder: folder.url.appending(path: "parts"), minBytes: 1)
    var configuration = HTTPLoader.Configuration()
    configuration.retry = .none
    configuration.failureMemory = nil
    configuration.partials = parts
    let pipeline = ImagePipeline.isolated(
      disk: folder.diskCache(), loader: LoaderGroup([HTTPLoader(configuration)]))
    let body = Data(repeating: 1, count: 40_000)
    server.route("/b.png") { request in .resource(body, etag: "\"1\"", for: request).cut(after: 20_000) }
    let broken = ImageRequest(url: server.url("/b.png"))
    let purges: [() async throws -> Void] = [
      { try await pipeline.cache.removeAll() }, { try await pipeline.cache.removeAll(of: broken) },
      { try await pipeline.cache.removeAll(.tag("x")) }, { try await pipeline.cache.remove(broken) },
    ]
    for purge in purges {
      await #expect(throws: LoadingError.self) { try await pipeline.image(for: broken) }
      #expect(try await parts.contents().count == 1)
      try await purge()
      #expect(try await parts.contents().count == 0)
    }
    // A result alone says nothing of the original.
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: broken) }
    try await pipeline.cache.remove(broken, from: .memory)
    #expect(try await parts.contents().count == 1)
    await pipeline.settle()
  }

  @Test(
    "tiers: only those that are named get the image", arguments: [ImageRequest.CacheTiers.memory, .disk, []])
  func tiers(tiers: ImageRequest.CacheTiers) async throws {
    try await pipeline.cache.store(try image(shade: 200), for: request, in: tiers)
    #expect(await pipeline.cache.tiers(of: request) == tiers)
  }

  @Test("bytes that were stored are the original of all requests for the source")
  func originals() async throws {
    let png = try Samples.png(shade: 99)
    try await pipeline.cache.store(png, for: request)
    #expect(try await pipeline.cache.data(for: request) == png)
    #expect(await pipeline.cache.tiers(of: request) == .originals)
    for other in [request, ImageRequest(url: server.url("/a.png"))] {
      let found = try await pipeline.response(for: other)
      #expect(shade(found.image) == 99 && found.source == .diskOriginal)
    }
    #expect(server.requests.isEmpty)
    // What is no image does not take its place.
    await #expect(throws: ImagingError.self) {
      try await pipeline.cache.store(Data([1, 2, 3]), for: request)
    }
    #expect(try await pipeline.cache.data(for: request) == png)
    await pipeline.settle()
  }

  @Test("what was loaded is found, and gone when it is removed: the result, the original, or both")
  func removal() async throws {
    #expect(try await pipeline.cache.data(for: request) == nil)
    #expect(pipeline.cache.image(for: request) == nil)
    for tiers in [ImageRequest.CacheTiers.memory, .disk, .originals, .all] {
      try await pipeline.cache.remove(request)
      _ = try await pipeline.image(for: request)
      await pipeline.settle()
      #expect(await pipeline.cache.tiers(of: request) == .all)
      #expect(try await pipeline.cache.data(for: request) == Samples.png(shade: 7))
      try await pipeline.cache.remove(request, from: tiers)
      #expect(await pipeline.cache.tiers(of: request) == ImageRequest.CacheTiers.all.subtracting(tiers))
    }
    // Another size of the same source is another result.
    try await pipeline.cache.remove(request)
    var other = request
    other.thumbnail = .fit(width: 2, height: 2)
    _ = try await pipeline.image(for: request)
    _ = try await pipeline.image(for: other)
    await pipeline.settle()
    try await pipeline.cache.remove(request, from: [.memory, .disk])
    #expect(await pipeline.cache.tiers(of: other) == .all)
  }

  @Test(
    "all that was made of a source is removed whatever names it in keys, and counted",
    arguments: [
      ImageRequest.KeyPolicy.absolute, .canonical, .withoutQuery, .dropping(["sig"]), .keeping(["v"]),
      .named("logo"),
    ])
  func removalBySource(policy: ImageRequest.KeyPolicy) async throws {
    server.route("/a.png?v=1&sig=x", .resource(try Samples.png(shade: 7)))
    var request = ImageRequest(url: server.url("/a.png?v=1&sig=x"))
    request.keyPolicy = policy
    var small = request
    small.thumbnail = .fit(width: 4, height: 4)
    let pipeline = pipeline
    for request in [request, small] { _ = try await pipeline.image(for: request) }
    await pipeline.settle()
    // Both in memory, the original, and the result of the small one.
    #expect(try await pipeline.cache.removeAll(of: request) == 4)
    for request in [request, small] { #expect(await pipeline.cache.tiers(of: request).isEmpty) }
    #expect(try await pipeline.cache.removeAll(of: request) == 0)
    #expect(try await pipeline.cache.removeAll(.source("http://nobody.test/")) == 0)
  }
}
