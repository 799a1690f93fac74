import Calotype
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

/// The pipeline asks a server as often as HTTP says, and no more.
@Suite("Freshness") struct FreshnessTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let time = ManualTime()
  private let shade = Shade()

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
  }

  /// A pipeline as a process has that starts now.
  private func pipeline(
    memory: Bool = true, freshness: FreshnessPolicy = FreshnessPolicy(),
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    let time = time
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader,
      memoryCache: memory ? MemoryCache(byteLimit: 64 << 20, now: { time.instant }) : nil,
      diskCache: DiskCache(folder.configuration, now: { time.date }), freshness: freshness,
      now: { time.date })
    change(&configuration)
    return ImagePipeline(configuration)
  }

  /// An image whose shade, and with it its `ETag`, the test may change.
  private func serve(_ headers: [(name: String, value: String)]) {
    let shade = shade
    server.route("/a.png") { request in
      let value = shade.value
      guard let data = try? Samples.png(shade: value) else { return .status(500) }
      return .resource(data, etag: "\"\(value)\"", for: request, headers: headers)
    }
  }

  private func shade(of image: Image) -> UInt8 { image.bitmap.withUnsafeBytes { $0[0] } }

  private func request(_ policy: ImageRequest.CachePolicy = .http, thumbnail: Bool = false) -> ImageRequest {
    ImageRequest(
      url: server.url("/a.png"), thumbnail: thumbnail ? .fit(width: 4, height: 4) : nil, cachePolicy: policy)
  }

  private var count: Int { server.requests(for: "/a.png").count }

  @Test("what is fresh is not asked for, in memory and on disk", arguments: [false, true])
  func fresh(thumbnail: Bool) async throws {
    serve([("Cache-Control", "max-age=100")])
    let request = request(thumbnail: thumbnail)
    let first = pipeline()
    #expect(try await first.response(for: request).source == .loader)
    await first.settle()
    time.advance(by: .seconds(99))
    #expect(try await first.response(for: request).source == .memory)
    let second = pipeline()
    #expect(try await second.response(for: request).source == (thumbnail ? .disk : .diskOriginal))
    #expect(try await second.response(for: request).source == .memory)
    #expect(count == 1)
  }

  @Test("what is stale is confirmed by 304, and what was made of it stays in use", arguments: [false, true])
  func confirmed(thumbnail: Bool) async throws {
    serve([("Cache-Control", "max-age=100")])
    let request = request(thumbnail: thumbnail)
    let first = pipeline()
    _ = try await first.image(for: request)
    await first.settle()
    time.advance(by: .seconds(101))
    #expect(first.cachedImage(for: request) == nil)
    let again = try await first.response(for: request)
    #expect(again.source == .memory)
    #expect(!again.isStale)
    await first.settle()
    #expect(count == 2)
    let statistics = first.statistics
    #expect(statistics.revalidations == 1)
    #expect(statistics.decodes == 1)
    // Confirmed for another while, here and for others.
    time.advance(by: .seconds(99))
    #expect(try await first.response(for: request).source == .memory)
    let second = pipeline()
    #expect(try await second.response(for: request).source == (thumbnail ? .disk : .diskOriginal))
    #expect(count == 2)
  }

  @Test("what has changed is loaded and made anew", arguments: [false, true])
  func changed(thumbnail: Bool) async throws {
    serve([("Cache-Control", "max-age=100")])
    let request = request(thumbnail: thumbnail)
    let pipeline = pipeline()
    #expect(shade(of: try await pipeline.image(for: request)) == 1)
    await pipeline.settle()
    shade.value = 2
    time.advance(by: .seconds(101))
    let changed = try await pipeline.response(for: request)
    #expect(changed.source == .loader)
    #expect(shade(of: changed.image) == 2)
    await pipeline.settle()
    #expect(shade(of: try await self.pipeline().image(for: request)) == 2)
    #expect(count == 2)
  }

  @Test("ignoreHTTPFreshness asks nobody, cacheOnly neither, reload always")
  func policies() async throws {
    serve([("Cache-Control", "max-age=0, must-revalidate")])
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    time.advance(by: .seconds(86_400))
    for policy in [ImageRequest.CachePolicy.ignoreHTTPFreshness, .cacheOnly] {
      let known = try await pipeline.response(for: request(policy))
      #expect(known.source == .memory)
      #expect(known.isStale)
      let fresh = self.pipeline(memory: false)
      let found = try await fresh.response(for: request(policy))
      #expect(found.source == .diskOriginal)
      #expect(found.isStale)
    }
    #expect(count == 1)
    _ = try await pipeline.image(for: request(.reload))
    #expect(count == 2)
    // Not conditional: the caller wants the bytes.
    #expect(server.requests(for: "/a.png")[1][header: "If-None-Match"] == nil)
  }

  @Test("stale-while-revalidate answers at once and asks once", arguments: [false, true])
  func staleWhileRevalidate(thumbnail: Bool) async throws {
    serve([("Cache-Control", "max-age=10, stale-while-revalidate=100")])
    let request = request(thumbnail: thumbnail)
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    shade.value = 2
    time.advance(by: .seconds(50))
    let responses = try await withThrowingTaskGroup(of: ImageResponse.self) { group in
      for _ in 0..<20 { group.addTask { try await pipeline.response(for: request) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(responses.contains { $0.isStale && shade(of: $0.image) == 1 })
    await pipeline.settle()
    #expect(count == 2)
    #expect(shade(of: try await pipeline.image(for: request)) == 2)
    #expect(count == 2)
    // Too old even for that: the answer waits for the server.
    await pipeline.settle()
    shade.value = 3
    time.advance(by: .seconds(200))
    #expect(shade(of: try await pipeline.image(for: request)) == 3)
  }

  @Test("the policy staleWhileRevalidate does so however old it is", arguments: [false, true])
  func refreshCached(thumbnail: Bool) async throws {
    serve([("Cache-Control", "max-age=10")])
    let request = request(.staleWhileRevalidate, thumbnail: thumbnail)
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    // Fresh: nobody is asked.
    #expect(try await !pipeline.response(for: request).isStale)
    await pipeline.settle()
    #expect(count == 1)
    shade.value = 2
    time.advance(by: .seconds(86_400))
    let stale = try await pipeline.response(for: request)
    #expect(stale.isStale)
    #expect(shade(of: stale.image) == 1)
    await pipeline.settle()
    #expect(count == 2)
    #expect(shade(of: try await pipeline.image(for: request)) == 2)
    await pipeline.settle()
    #expect(count == 2)
  }

  @Test("stale-if-error answers while the server fails, unless it must be asked", arguments: [500, 503, 0])
  func staleIfError(status: Int) async throws {
    serve([("Cache-Control", "max-age=10, stale-if-error=100")])
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    server.route("/a.png", status == 0 ? .close : .status(status))
    time.advance(by: .seconds(50))
    let stale = try await pipeline.response(for: request())
    #expect(stale.isStale)
    #expect(shade(of: stale.image) == 1)
    await pipeline.settle()
    time.advance(by: .seconds(100))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
    // Another answer than a failure is an answer.
    server.route("/a.png", .status(403))
    time.advance(by: .seconds(-100))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
  }

  @Test("must-revalidate is never served stale")
  func mustRevalidate() async throws {
    serve([("Cache-Control", "max-age=10, must-revalidate, stale-if-error=100")])
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    server.route("/a.png", .status(503))
    time.advance(by: .seconds(11))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
  }

  @Test("404 is remembered for a while and asked again then, 500 is not remembered")
  func negative() async throws {
    server.route("/a.png", .status(404))
    let pipeline = pipeline()
    for _ in 0..<3 {
      let error = await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
      #expect(error?.code == "httpStatus")
      await pipeline.settle()
    }
    #expect(count == 1)
    #expect(pipeline.statistics.negativeHits == 2)
    await #expect(throws: LoadingError.self) { try await self.pipeline().image(for: request()) }
    #expect(count == 1)
    // Known without the network.
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request(.cacheOnly)) }
    time.advance(by: .seconds(61))
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: request(.cacheOnly)) }
    serve([])
    #expect(try await pipeline.response(for: request()).source == .loader)
    #expect(count == 2)

    server.route("/b.png", .status(500))
    for _ in 0..<2 {
      await #expect(throws: LoadingError.self) { try await pipeline.image(for: server.url("/b.png")) }
    }
    #expect(server.requests(for: "/b.png").count == 2)
  }

  @Test("what may not be stored is not, and what was there before goes")
  func noStore() async throws {
    serve([("Cache-Control", "max-age=10")])
    let pipeline = pipeline(memory: false)
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    serve([("Cache-Control", "no-store")])
    shade.value = 2
    time.advance(by: .seconds(11))
    #expect(shade(of: try await pipeline.image(for: request())) == 2)
    await pipeline.settle()
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: request(.cacheOnly)) }
  }

  @Test("private responses stay out of a shared cache, and in one for whoever has credentials")
  func privateResponses() async throws {
    serve([("Cache-Control", "private, max-age=100")])
    let pipeline = pipeline(memory: false)
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    _ = try await pipeline.image(for: request())
    #expect(count == 2)
    var own = request()
    own.headers[.authorization] = "Bearer 1"
    _ = try await pipeline.image(for: own)
    await pipeline.settle()
    #expect(try await pipeline.response(for: own).source == .diskOriginal)
    #expect(count == 3)
    own.headers[.authorization] = "Bearer 2"
    #expect(try await pipeline.response(for: own).source == .loader)
  }

  @Test("directives of a request count, and are no part of its identity")
  func requestDirectives() async throws {
    serve([("Cache-Control", "max-age=100")])
    let pipeline = pipeline()
    var request = request()
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    let key = request.key
    request.headers[.cacheControl] = "no-cache"
    #expect(request.key == key)
    _ = try await pipeline.response(for: request)
    await pipeline.settle()
    #expect(count == 2)
    time.advance(by: .seconds(150))
    request.headers[.cacheControl] = "max-stale=100"
    #expect(try await pipeline.response(for: request).isStale)
    request.headers[.cacheControl] = "only-if-cached"
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: request) }
    #expect(count == 2)
  }

  @Test("a request that is conditional by itself gets the 304, once")
  func ownConditions() async throws {
    serve([("Cache-Control", "max-age=100")])
    let pipeline = pipeline()
    var request = request()
    request.headers[.ifNoneMatch] = "\"1\""
    let error = await #expect(throws: LoadingError.self) { try await pipeline.image(for: request) }
    guard case .httpStatus(_, 304, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count == 1)
  }

  @Test("a redirect has a freshness of its own, and its target's validators are not those of the URL")
  func redirects() async throws {
    serve([("Cache-Control", "max-age=1000")])
    func ask(_ path: String) async throws -> ImageResponse {
      let pipeline = pipeline()
      let response = try await pipeline.response(for: ImageRequest(url: server.url(path)))
      await pipeline.settle()
      return response
    }
    server.route("/temporary", .redirect(to: "/a.png"))
    #expect(try await ask("/temporary").source == .loader)
    #expect(try await ask("/temporary").source == .diskOriginal)
    #expect(server.requests(for: "/temporary").count == 2 && count == 1)
    server.route(
      "/limited", .status(302, headers: [("Location", "/a.png"), ("Cache-Control", "max-age=10")]))
    #expect(try await ask("/limited").source == .loader)
    #expect(try await ask("/limited").source == .diskOriginal)
    time.advance(by: .seconds(11))
    #expect(try await ask("/limited").source == .diskOriginal)
    #expect(server.requests(for: "/limited").count == 2 && count == 2)
    #expect(server.requests(for: "/a.png").allSatisfy { $0[header: "If-None-Match"] == nil })
    server.route(
      "/forbidden", .status(301, headers: [("Location", "/a.png"), ("Cache-Control", "no-store")]))
    #expect(try await ask("/forbidden").source == .loader)
    #expect(try await ask("/forbidden").source == .loader)
    server.route("/permanent", .redirect(to: "/a.png", status: 301))
    #expect(try await ask("/permanent").source == .loader)
    time.advance(by: .seconds(500))
    #expect(try await ask("/permanent").source == .diskOriginal)
  }

  @Test("what was made of an image goes when it is gone or may not be kept", arguments: [404, 200])
  func results(status: Int) async throws {
    serve([("Cache-Control", "max-age=10")])
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request(thumbnail: true))
    await pipeline.settle()
    server.route(
      "/a.png",
      status == 404
        ? .status(404) : .body(try Samples.png(shade: 9), headers: [("Cache-Control", "no-store")]))
    time.advance(by: .seconds(11))
    let stale = try await pipeline.response(for: request(.staleWhileRevalidate, thumbnail: true))
    #expect(stale.isStale)
    await pipeline.settle()
    if status == 404 {
      await #expect(throws: LoadingError.self) {
        try await pipeline.image(for: request(.staleWhileRevalidate, thumbnail: true))
      }
    } else {
      #expect(shade(of: try await pipeline.image(for: request(.staleWhileRevalidate, thumbnail: true))) == 9)
    }
    await #expect(throws: (any Error).self) {
      try await self.pipeline().image(for: request(.cacheOnly, thumbnail: true))
    }
  }

  @Test("lossy results lose nothing when they are confirmed again and again")
  func lossyResults() async throws {
    let photo = try Samples.photo("stream.jpg")
    server.route("/photo.jpg") { request in
      .resource(photo, etag: "\"1\"", for: request, headers: [("Cache-Control", "max-age=10")])
    }
    let request = ImageRequest(url: server.url("/photo.jpg"), thumbnail: .fit(width: 60, height: 60))
    var images: [Image] = []
    for _ in 0..<4 {
      let pipeline = pipeline(memory: false) { $0.resultEncoding = .webp(quality: 20) }
      images.append(try await pipeline.image(for: request))
      await pipeline.settle()
      time.advance(by: .seconds(11))
    }
    #expect(images[1...].allSatisfy { $0.bitmap == images[1].bitmap })
    #expect(server.requests(for: "/photo.jpg").count == 4)
  }

  @Test("only-if-cached loads nothing")
  func onlyIfCached() async throws {
    var request = request()
    request.headers[.cacheControl] = "only-if-cached"
    await #expect(throws: PipelineError.self) { try await pipeline().image(for: request) }
    #expect(count == 0)
  }

  @Test("originals are kept as asked: not at all, or in another form")
  func serializers() async throws {
    let photo = try Samples.photo("stream.jpg")
    server.route("/photo.jpg", .resource(photo))
    let url = server.url("/photo.jpg")
    let none = pipeline(memory: false) { $0.originalSerializer = .none }
    _ = try await none.image(for: ImageRequest(url: url, thumbnail: .fit(width: 40, height: 40)))
    await none.settle()
    #expect(
      try await none.response(for: ImageRequest(url: url, thumbnail: .fit(width: 40, height: 40))).source
        == .disk)
    await #expect(throws: PipelineError.self) {
      try await none.image(for: ImageRequest(url: url, cachePolicy: .cacheOnly))
    }

    let webp = pipeline(memory: false) {
      $0.originalSerializer = .transcoded(as: .webp(quality: 50))
      $0.resultEncoding = nil
    }
    let loaded = try await webp.data(for: ImageRequest(url: url, cachePolicy: .reload))
    #expect(loaded.data == photo)
    await webp.settle()
    let kept = try await webp.data(for: ImageRequest(url: url))
    #expect(kept.source == .diskOriginal)
    #expect(kept.data.count < photo.count)
    let facts = try CoderRegistry.standard.probe(kept.data, limits: .default)
    #expect(facts.format == .webp)
    #expect(kept.contentType == "image/webp")
    #expect(facts.size == PixelSize(width: 1731, height: 1151))
    // Without results on disk, each is made of what is kept.
    let small = try await webp.response(for: ImageRequest(url: url, thumbnail: .fit(width: 30, height: 30)))
    #expect(small.source == .diskOriginal)
    await webp.settle()
    #expect(
      try await pipeline(memory: false) { $0.resultEncoding = nil }
        .response(for: ImageRequest(url: url, thumbnail: .fit(width: 30, height: 30))).source == .diskOriginal
    )
  }

  @Test("a larger picture in memory serves who accepts it, and nobody else")
  func larger() async throws {
    server.route("/photo.jpg", .resource(try Samples.photo("stream.jpg")))
    let url = server.url("/photo.jpg")
    let pipeline = pipeline()
    let large = try await pipeline.image(
      for: ImageRequest(url: url, thumbnail: .fit(width: 200, height: 200)))
    var request = ImageRequest(url: url, thumbnail: .fit(width: 100, height: 100))
    #expect(pipeline.cachedImage(for: request) == nil)
    request.acceptsLarger = true
    #expect(try await pipeline.image(for: request).width == large.width)
    request.thumbnail = .fit(width: 100, height: 300)
    #expect(pipeline.cachedImage(for: request) == nil)
    request.thumbnail = .fill(width: 100, height: 100)
    #expect(pipeline.cachedImage(for: request) == nil)
    request.thumbnail = .fit(width: 100, height: 100)
    request.transforms = [.grayscale()]
    #expect(pipeline.cachedImage(for: request) == nil)
    request.transforms = []
    request.acceptsLarger = false
    #expect(try await pipeline.image(for: request).width == 100)
  }

  @Test("all that is cached of a source or with a tag goes in one call")
  func selections() async throws {
    serve([("Cache-Control", "max-age=100")])
    server.route("/b.png", .body(try Samples.png()))
    let pipeline = pipeline()
    var other = ImageRequest(url: server.url("/b.png"), thumbnail: .fit(width: 2, height: 2))
    other.tags = ["album 7"]
    func cached() async throws -> [Bool] {
      var found: [Bool] = []
      for var request in [request(), request(thumbnail: true), other] {
        request.cachePolicy = .cacheOnly
        found.append((try? await self.pipeline().image(for: request)) != nil)
        #expect((pipeline.cachedImage(for: request) != nil) == found.last)
      }
      return found
    }
    for request in [request(), request(thumbnail: true), other] { _ = try await pipeline.image(for: request) }
    await pipeline.settle()
    #expect(try await cached() == [true, true, true])
    try await pipeline.cache.removeAll(.tag("album 7"))
    #expect(try await cached() == [true, true, false])
    try await pipeline.cache.removeAll(.source(server.url("/a.png").absoluteString))
    #expect(try await cached() == [false, false, false])
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    try await pipeline.cache.removeAll(.sourcePrefix(server.url("/").absoluteString))
    #expect(try await cached() == [false, false, false])
  }

  @Test("a cache of one's own stands behind the pipeline")
  func group() async throws {
    serve([("Cache-Control", "max-age=100")])
    let time = time
    let upper = DiskCache(.init(folder: folder.url.appending(path: "upper")), now: { time.date })
    let lower = DiskCache(.init(folder: folder.url.appending(path: "lower")), now: { time.date })
    _ = try await pipeline(memory: false) { $0.diskCache = lower }.image(for: request())
    try await lower.flush()
    let grouped = pipeline(memory: false) { $0.diskCache = CacheGroup([upper, ReadOnlyCache(lower)]) }
    #expect(try await grouped.response(for: request()).source == .diskOriginal)
    #expect(try await upper.contains(request().sourceKey))
    #expect(count == 1)
  }
}
