import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

/// Each option of a request and of a pipeline, by what it does.
@Suite("Request options", .timeLimit(.minutes(5)))
struct RequestOptionTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
    server.route("/a.png", .resource(try Samples.png()))
  }

  private func request(_ path: String = "/a.png", width: Int? = nil) -> ImageRequest {
    ImageRequest(url: server.url(path), thumbnail: width.map { .fit(width: $0, height: 1000) })
  }

  private func pipeline(
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, memoryCache: MemoryCache(byteLimit: 64 << 20), diskCache: folder.diskCache())
    change(&configuration)
    return ImagePipeline(configuration)
  }

  // MARK: Tiers

  @Test("what goes to which tier: memory alone, disk alone, originals alone, nothing, everything")
  func storeTiers() async throws {
    let choices: [ImageRequest.CacheTiers] = [.memory, .disk, .originals, [], [.memory, .originals], .all]
    for tiers in choices {
      let pipeline = pipeline()
      var request = request(width: 4)
      request.storeTiers = tiers
      _ = try await pipeline.image(for: request)
      await pipeline.settle()
      #expect(await pipeline.cache.tiers(of: request) == tiers)
      try await pipeline.cache.removeAll()
    }
  }

  @Test("a tier that is not asked does not answer; the loader is asked again only when none is left")
  func readTiers() async throws {
    let pipeline = pipeline()
    var request = request(width: 4)
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    let sources: [(ImageRequest.CacheTiers, ImageResponse.Source)] = [
      (.all, .memory), ([.disk, .originals], .disk), (.originals, .diskOriginal), ([], .loader),
    ]
    for (tiers, source) in sources {
      request.readTiers = tiers
      #expect(try await pipeline.response(for: request).source == source)
      await pipeline.settle()
    }
    #expect(server.requests.count == 2)
  }

  @Test("two who want it in different tiers share the work, and both get it there")
  func tiersOfJoiners() async throws {
    let gate = Gate()
    server.route("/b.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline { $0.freshness.defaultLifetime = .seconds(100) }
    var first = request("/b.png", width: 4)
    first.storeTiers = .memory
    first.tags = ["x"]
    var second = first
    second.storeTiers = .originals
    second.tags = ["y"]
    let tasks = [first, second].map { request in Task { try await pipeline.image(for: request) } }
    try await eventually { pipeline.statistics.runningImageJobs >= 1 }
    try await server.waitForRequests("/b.png")
    try await eventually { await pipeline.subscribers >= 2 }
    gate.open()
    for task in tasks { _ = try await task.value }
    await pipeline.settle()
    #expect(server.requests(for: "/b.png").count == 1)
    #expect(await pipeline.cache.tiers(of: first) == [.memory, .originals])
    try await pipeline.cache.removeAll(.tag("y"))
    #expect(await pipeline.cache.tiers(of: first) == [])
  }

  @Test("a cache for originals alone gets originals alone")
  func originalCache() async throws {
    let other = try CacheFolder()
    let originals = other.diskCache()
    let pipeline = pipeline { $0.caches.originals = originals }
    let request = request(width: 4)
    _ = try await pipeline.image(for: request)
    try await pipeline.cache.flush()
    #expect(try await originals.contains(request.sourceKey))
    #expect(try await pipeline.configuration.diskCache?.contains(request.sourceKey) == false)
    #expect(try await originals.statistics().count == 1)
    #expect(await pipeline.cache.tiers(of: request) == .all)
  }

  @Test("an original that was found on disk is not written again")
  func notRewritten() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    try await pipeline.cache.flush()
    let before = try folder.modificationTimes()
    #expect(!before.isEmpty)
    for width in [2, 3, 4] {
      var request = request(width: width)
      request.storeTiers = [.memory, .originals]
      #expect(try await pipeline.response(for: request).source == .diskOriginal)
    }
    try await pipeline.cache.flush()
    #expect(try folder.modificationTimes() == before)
  }

  @Test(
    "stored: the caches have it, and nothing waits for the device; flushed: a loss of power does not undo it")
  func durability() async throws {
    var request = request(width: 4)
    #expect(try await pipeline().response(for: request).stores == nil)
    var expected = ImageResponse.StoreOutcomes()
    (expected.memory, expected.disk, expected.original) = (.stored, .stored, .stored)
    let configuration = DiskCache.Configuration(folder: URL(filePath: "/cache", directoryHint: .isDirectory))
    for (durability, tiers) in [
      (ImageRequest.StoreDurability.stored, ImageRequest.CacheTiers()), (.flushed, [.disk, .originals]),
    ] {
      let device = PowerLossFileSystem()
      let files = FaultyFileSystem(device)
      let pipeline = pipeline { $0.diskCache = DiskCache(configuration, fileSystem: files) }
      request.storeDurability = durability
      #expect(try await pipeline.response(for: request).stores == expected)
      #expect(await pipeline.cache.tiers(of: request) == .all)
      #expect((files.calls(.synchronize) > 0) == (durability == .flushed))
      let left = PowerLossFileSystem(device.image.afterPowerLoss(.everything, seed: 1))
      let survivor = self.pipeline { $0.diskCache = DiskCache(configuration, fileSystem: left) }
      #expect(await survivor.cache.tiers(of: request) == tiers)
    }
  }

  @Test("caches of its own: nothing of the request is in the pipeline's, nor the other way round")
  func ownCaches() async throws {
    let other = try CacheFolder()
    let caches = ImagePipeline.Caches(memory: MemoryCache(byteLimit: 1 << 20), disk: other.diskCache())
    let pipeline = pipeline()
    var request = request(width: 4)
    request.caches = ImageRequest.Identified("own", caches)
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    #expect(await pipeline.cache.tiers(of: request) == .all)
    #expect(try await pipeline.response(for: request).source == .memory)
    request.caches = nil
    #expect(await pipeline.cache.tiers(of: request) == [])
    #expect(try await pipeline.response(for: request).source == .loader)
  }

  // MARK: Keys

  @Test("parameters that do not matter share an entry, and the whole URL is what is loaded")
  func keyPolicy() async throws {
    let pipeline = pipeline()
    func request(_ query: String, _ policy: ImageRequest.KeyPolicy) -> ImageRequest {
      var request = ImageRequest(url: server.url("/a.png?" + query))
      request.keyPolicy = policy
      return request
    }
    let served = ["v=1&sig=x": try Samples.png(shade: 1), "v=2&sig=y": try Samples.png(shade: 2)]
    server.route("/a.png") { request in served[request.query ?? ""].map { .resource($0) } ?? .status(403) }
    func shade(_ request: ImageRequest) async throws -> UInt8 {
      try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] }
    }
    #expect(try await shade(request("v=1&sig=x", .dropping(["sig"]))) == 1)
    // From the cache: nothing is served there.
    #expect(try await shade(request("v=1&sig=z", .dropping(["sig"]))) == 1)
    #expect(try await shade(request("v=2&sig=y", .keeping(["v"]))) == 2)
    #expect(try await shade(request("sig=other&v=2", .keeping(["v"]))) == 2)
    // By another rule it is another image, even if the text is the same.
    await #expect(throws: (any Error).self) { try await shade(request("v=2&sig=z", .dropping(["sig"]))) }
    #expect(try await shade(request("v=2&sig=y", .absolute)) == 2)
    await #expect(throws: (any Error).self) { try await shade(request("v=1&sig=z", .absolute)) }
    #expect(
      server.requests.map(\.query)
        == ["v=1&sig=x", "v=2&sig=y", "v=2&sig=z", "v=2&sig=y", "v=1&sig=z"])
  }

  @Test(
    "a URL by the rules of its policy",
    arguments: [
      (
        ImageRequest.KeyPolicy.canonical, "HTTP://Example.COM:80/a%20b?x=1&y#f",
        "http://example.com/a%20b?x=1&y"
      ),
      (.canonical, "https://example.com:443", "https://example.com/"),
      (.canonical, "https://example.com:8443/?", "https://example.com:8443/?"),
      (.withoutQuery, "http://example.com/a?x=1#f", "http://example.com/a"),
      (.dropping(["sig"]), "http://example.com/a?sig=1&x=1&x=2&s%69g=3", "http://example.com/a?x=1&x=2"),
      (.dropping(["x"]), "http://example.com/a?x", "http://example.com/a"),
      (.keeping(["w", "h"]), "http://example.com/a?h=2&q=3&w=1", "http://example.com/a?h=2&w=1"),
      (.absolute, "HTTP://Example.COM:80/a?x=1#f", "HTTP://Example.COM:80/a?x=1#f"),
      (.named("avatar"), "http://example.com/a", "avatar"),
    ])
  func keyTexts(_ policy: ImageRequest.KeyPolicy, _ url: String, _ expected: String) throws {
    #expect(policy.text(for: try #require(URL(string: url))) == expected)
  }

  @Test("partitions and credentials keep requests apart, in flight, in memory and on disk")
  func partitions() async throws {
    let pipeline = pipeline()
    var requests = [request(), request(), request(), request(), request()]
    requests[1].partition = "a"
    requests[2].partition = "b"
    requests[3].credential = .bearer("a")
    requests[4].credential = .basic(user: "a", password: "b")
    #expect(Set(requests.map(\.key)).count == 5)
    #expect(Set(requests.map(\.sourceKey)).count == 5)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for request in requests { group.addTask { _ = try await pipeline.image(for: request) } }
      try await group.waitForAll()
    }
    await pipeline.settle()
    #expect(server.requests.count == 5)
    #expect(Set(server.requests.map { $0[header: "Authorization"] }) == [nil, "Bearer a", "Basic YTpi"])
    // No secret is written to disk in clear.
    for request in requests {
      #expect(!request.key.text.contains("bearer") && !request.key.text.contains("partition 1 a"))
    }
  }

  // MARK: Parts

  @Test("a loader of its own is asked, and its images are apart from the others")
  func ownLoader() async throws {
    let png = try Samples.png(shade: 7)
    let pipeline = pipeline()
    var request = request()
    request.loader = ImageRequest.Identified("closure", ClosureLoader(scheme: "http") { _ in png })
    #expect(try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] } == 7)
    request.loader = nil
    #expect(try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] } == 128)
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("coders of its own decode, and what they make is apart from the others")
  func ownCoders() async throws {
    /// Sees three pixels by three in everything.
    struct Fixed: ImageDecoding {
      let formats = [ImageFormat.png]
      func format(of prefix: Data) -> ImageFormat? { .png }
      func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
        ImageInfo(format: .png, size: PixelSize(width: 3, height: 3))
      }
      func decode(
        _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
      ) throws(ImagingError) -> Image {
        Image(bitmap: try SampleImages.bitmap(width: 3, height: 3))
      }
    }
    let pipeline = pipeline()
    var own = request()
    var coders = CoderRegistry.standard
    coders.register(Fixed())
    own.coders = ImageRequest.Identified("fixed", coders)
    var none = request()
    none.coders = ImageRequest.Identified("none", CoderRegistry())
    // Twice: the second time what was made by others is in the caches.
    for _ in 0..<2 {
      #expect(try await pipeline.image(for: own).width == 3)
      await #expect(throws: ImagingError.self) { try await pipeline.image(for: none) }
      #expect(try await pipeline.image(for: request()).width == 8)
      await pipeline.settle()
    }
    #expect(pipeline.cachedImage(for: own)?.width == 3)
    #expect(pipeline.cachedImage(for: request())?.width == 8)
  }

  @Test("transforms: what the pipeline does by default, nothing, or its own")
  func defaultTransforms() async throws {
    let pipeline = pipeline { $0.transforms = [.resize(width: 4, height: 4)] }
    var request = request()
    #expect(try await pipeline.image(for: request).width == 4)
    request.transforms = .none
    #expect(try await pipeline.image(for: request).width == 8)
    request.transforms = [.resize(width: 2, height: 2)]
    #expect(try await pipeline.image(for: request).width == 2)
    request.transforms = .inherit
    #expect(pipeline.cachedImage(for: request)?.width == 4)
    await pipeline.settle()
  }

  @Test("interceptors see every request first and may change it")
  func interceptors() async throws {
    let pipeline = pipeline {
      $0.interceptors = [
        { request in
          var request = request
          request.headers[.authorization] = "token"
          return request
        },
        { request in
          var request = request
          if request.headers[.authorization] == "token" { request.thumbnail = .fit(width: 2, height: 2) }
          return request
        },
      ]
    }
    #expect(try await pipeline.image(for: request()).width == 2)
    #expect(server.requests.first?[header: "Authorization"] == "token")
    #expect(pipeline.cachedImage(for: request())?.width == 2)
    #expect(try await pipeline.response(for: request()).source == .memory)
    await pipeline.settle()
  }

  @Test("what may not be loaded is denied before any request, and served from a cache all the same")
  func shouldLoad() async throws {
    let asked = Lock(0)
    let pipeline = pipeline {
      $0.shouldLoad = { request in
        asked.withLock { $0 += 1 }
        return request.tags == ["paid"] ? .allow : .deny("not paid for")
      }
    }
    var request = request()
    let error = PipelineError.loadDenied(request.source.description, reason: "not paid for")
    await #expect(throws: error) { try await pipeline.image(for: request) }
    #expect(server.requests.isEmpty)
    request.tags = ["paid"]
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    request.tags = []
    request.readTiers = .originals
    _ = try await pipeline.image(for: request)
    #expect(asked.withLock { $0 } == 2)
    await pipeline.settle()
  }

  @Test("without sharing each request works for itself")
  func noSharing() async throws {
    let gate = Gate()
    server.route("/b.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline {
      $0.sharesWork = false
      $0.caches = ImagePipeline.Caches()
    }
    let request = request("/b.png")
    let tasks = (0..<5).map { _ in Task { try await pipeline.image(for: request) } }
    try await server.waitForRequests("/b.png", count: 5)
    gate.open()
    for task in tasks { #expect(try await task.value.width == 8) }
    #expect(pipeline.statistics.decodes == 5)
    await pipeline.settle()
  }

  // MARK: Results

  @Test("a picture of the other kind is an error for those who expect it otherwise, and for nobody else")
  func expectedKind() async throws {
    let pipeline = pipeline()
    var request = request()
    request.expectedKind = .animated
    await #expect(throws: PipelineError.unexpectedKind(.still, expected: .animated)) {
      try await pipeline.image(for: request)
    }
    await pipeline.settle()
    request.expectedKind = .still
    #expect(try await pipeline.response(for: request).kind == .still)
    #expect(try await pipeline.response(for: request).source != .loader)
    await pipeline.settle()
  }

  @Test("first frame and all frames of one animation do not disturb each other")
  func frames() async throws {
    let frames = try (0..<3).map { shade in
      AnimationSource.Frame(
        bitmap: try CoderRegistry.standard.decode(Samples.png(shade: UInt8(shade * 50))).bitmap,
        duration: .milliseconds(50))
    }
    let source = AnimationSource(frameCount: 3, loopCount: 0) { (index) throws(ImagingError) in frames[index]
    }
    let gif = try CoderRegistry.standard.encode(source, as: .gif)
    server.route("/a.gif", .resource(gif))
    let pipeline = pipeline()
    var still = request("/a.gif")
    var all = still
    all.frames = .all
    all.expectedKind = .animated
    for _ in 0..<2 {
      let response = try await pipeline.response(for: all)
      #expect(response.animation?.frameCount == 3)
      #expect(response.kind == .animated)
      #expect(try await pipeline.response(for: still).animation == nil)
    }
    still.expectedKind = .still
    await #expect(throws: PipelineError.unexpectedKind(.animated, expected: .still)) {
      try await pipeline.image(for: still)
    }
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("the encoded original comes with the image if asked for, wherever the image comes from")
  func includesData() async throws {
    let png = try Samples.png()
    let pipeline = pipeline()
    var request = request(width: 4)
    request.includesData = true
    for _ in 0..<2 {
      let response = try await pipeline.response(for: request)
      #expect(response.data == png)
      #expect(response.image.width == 4)
      await pipeline.settle()
    }
    request.includesData = false
    #expect(try await pipeline.response(for: request).data == nil)
    #expect(server.requests.count == 1)
  }

  @Test("a deadline ends its own request alone, with an error of its own")
  func deadline() async throws {
    let gate = Gate()
    server.route("/b.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline()
    let patient = Task { try await pipeline.image(for: request("/b.png")) }
    try await server.waitForRequests("/b.png")
    var hasty = request("/b.png")
    hasty.deadline = .milliseconds(20)
    let error = PipelineError.deadlineExceeded(hasty.source.description, after: .milliseconds(20))
    await #expect(throws: error) { try await pipeline.image(for: hasty) }
    await #expect(throws: error) { try await pipeline.data(for: hasty) }
    await #expect(throws: error) { for try await _ in pipeline.load(hasty).events {} }
    gate.open()
    #expect(try await patient.value.width == 8)
    #expect(try await pipeline.image(for: hasty).width == 8)
    #expect(server.requests(for: "/b.png").count == 1)
    await pipeline.settle()
  }

  @Test("if asked, a load that everybody has left goes on, and its original is cached")
  func continuesInBackground() async throws {
    let gate = Gate()
    server.route("/b.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline { $0.freshness.defaultLifetime = .seconds(100) }
    var request = request("/b.png")
    request.continuesInBackground = true
    let task = Task { [request] in try await pipeline.image(for: request) }
    try await server.waitForRequests("/b.png")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
    await pipeline.settle()
    #expect(server.disconnects("/b.png") == 0)
    #expect(await pipeline.cache.tiers(of: request).contains(.originals))
    #expect(try await pipeline.response(for: request).source == .diskOriginal)
    #expect(server.requests(for: "/b.png").count == 1)
    await pipeline.settle()
  }
}

extension CacheFolder {
  /// When each file was written.
  fileprivate func modificationTimes() throws -> [String: Date] {
    var times: [String: Date] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: url.path)
    where !file.contains("index") && !file.contains("journal") {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: file).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      times[file] = attributes[.modificationDate] as? Date
    }
    return times
  }
}
