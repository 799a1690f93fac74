import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// The rules of requests hold for loads of headers as for all others.
@Suite("Headers by the rules of requests", .timeLimit(.minutes(1)))
struct InfoRuleTests {
  private let time = ManualTime()

  private func pipeline(
    _ loader: FakeLoader, disk: (any DataCaching)? = nil,
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    let time = time
    return LoadSamples.pipeline(loader) {
      $0.memoryCache = MemoryCache(now: { time.instant })
      $0.diskCache = disk
      $0.now = { time.date }
      change(&$0)
    }
  }

  @Test("bytes that are to be checked are loaded in the turn that the call has already")
  func turn() async throws {
    let png = try LoadSamples.noise(40, 40)
    let pipeline = pipeline(FakeLoader { _ in .body(png) }) {
      $0.limits.loads = 1
      $0.limits.loadsPerOrigin = 1
    }
    var request = ImageRequest(url: try LoadSamples.url("h"))
    request.expectedDigest = ExpectedDigest(.sha256, png.withUnsafeBytes { MessageDigest.sha256($0) })
    let response = try await pipeline.info(for: request)
    #expect(response.info.size.width == 40 && response.loadedByteCount == png.count)
    await pipeline.settle()
  }

  @Test("interceptor, validation and body transform of the request are carried out")
  func hooks() async throws {
    let png = try LoadSamples.noise(40, 40)
    let loader = FakeLoader { _ in .body(png) }
    let pipeline = pipeline(loader)
    struct Refusal: Error {}
    var request = ImageRequest(url: try LoadSamples.url("h", "1"))
    request.validation = .init("none") { _ in throw Refusal() }
    let error = await #expect(throws: LoadingError.self) { try await pipeline.info(for: request) }
    #expect(error?.code == "vetoed")
    request = ImageRequest(url: try LoadSamples.url("h", "2"))
    request.bodyTransform = .init("base64", Base64Transform())
    loader.route(try LoadSamples.url("h", "2"), .body(Data(png.base64EncodedString().utf8)))
    #expect(try await pipeline.info(for: request).info.size.width == 40)
    // Transformed as a whole: no part of it was asked for.
    #expect(loader.requests.last?.headers[.range] == nil)
  }

  @Test("a server or a request that does not accept ranges is asked for the whole")
  func withoutRanges() async throws {
    let png = try LoadSamples.noise(40, 40)
    let loader = FakeLoader { $0.headers[.range] == nil ? .body(png) : .status(416) }
    let pipeline = pipeline(loader)
    #expect(try await pipeline.info(for: LoadSamples.url("h", "1")).info.size.width == 40)
    #expect(loader.requests.count == 2)
    var request = ImageRequest(url: try LoadSamples.url("h", "2"))
    request.statuses = LoadRequest.AcceptedStatuses(200...200)
    #expect(try await pipeline.info(for: request).info.size.width == 40)
    #expect(loader.requests.count == 3)
  }

  @Test(
    "a stale header is revalidated afterwards, and is enough while the server fails, where that is allowed")
  func stale() async throws {
    let png = try LoadSamples.noise(40, 40)
    let url = try LoadSamples.url("h")
    let fields: HTTPFields = [.cacheControl: "max-age=10, stale-if-error=1000", .eTag: "\"1\""]
    let loader = FakeLoader()
    loader.route(url, .body(png, headers: fields), .status(500))
    let disk = FaultyCache(now: { [time] in time.date })
    let first = pipeline(loader, disk: disk)
    _ = try await first.data(for: url)
    await first.settle()
    time.advance(by: .seconds(20))
    let second = pipeline(loader, disk: disk)
    let stale = try await second.info(for: url)
    #expect(stale.isStale && stale.info.size.width == 40 && loader.requests.count == 2)
    let gate = Gate()
    loader.route(url, FakeReply.body(png, headers: fields).behind(gate))
    var request = ImageRequest(url: url)
    request.cachePolicy = .staleWhileRevalidate
    let third = pipeline(loader, disk: disk)
    #expect(try await third.info(for: request).isStale)
    gate.open()
    await third.settle()
    #expect(loader.requests.count == 3)
    #expect(try await third.info(for: url).isStale == false)
    #expect(loader.requests.count == 3)
  }

  @Test("a purge by the tag of any caller reaches the header")
  func tags() async throws {
    let png = try LoadSamples.noise(40, 40)
    let gate = Gate()
    let url = try LoadSamples.url("h")
    let loader = FakeLoader([url: FakeReply.body(png, headers: [.cacheControl: "max-age=100"]).behind(gate)])
    let pipeline = pipeline(loader)
    var tagged = ImageRequest(url: url)
    tagged.tags = ["album"]
    let plain = ImageRequest(url: url)
    let tasks = [plain, tagged].map { request in Task { try await pipeline.info(for: request) } }
    try await eventually { pipeline.context.jobs.infos.all.first?.subscriberCount == 2 }
    gate.open()
    for task in tasks { _ = try await task.value }
    #expect(try await pipeline.info(for: plain).source == .memory)
    try await pipeline.cache.removeAll(.tag("album"))
    #expect(try await pipeline.info(for: plain).source == .loader)
  }

  @Test("an original that was replaced takes its header along")
  func replaced() async throws {
    let (small, large) = (try LoadSamples.noise(20, 20), try LoadSamples.noise(40, 40))
    let url = try LoadSamples.url("h")
    let loader = FakeLoader()
    loader.route(url, .body(small, headers: [.cacheControl: "max-age=100"]), .body(large))
    let pipeline = pipeline(loader, disk: FaultyCache())
    #expect(try await pipeline.info(for: url).info.size.width == 20)
    var request = ImageRequest(url: url)
    request.cachePolicy = .reload
    _ = try await pipeline.data(for: request)
    await pipeline.settle()
    #expect(try await pipeline.info(for: url).info.size.width == 40)
    try await pipeline.cache.store(small, for: ImageRequest(url: url))
    #expect(try await pipeline.info(for: url).info.size.width == 20)
  }

  @Test("a URL whose parts are not in the key is shown without its query, which is that of another")
  func signatures() async throws {
    let png = try LoadSamples.noise(40, 40)
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=100"]) }
    let pipeline = pipeline(loader, disk: FaultyCache())
    for signature in ["a", "b"] {
      var request = ImageRequest(url: try LoadSamples.url("h", "1?size=2&signature=\(signature)"))
      request.keyPolicy = .dropping(["signature"])
      #expect(try await pipeline.response(for: request).original.url == LoadSamples.url("h", "1"))
      #expect(try await pipeline.info(for: request).original.url == LoadSamples.url("h", "1"))
    }
    #expect(loader.requests.count == 1)
    var whole = ImageRequest(url: try LoadSamples.url("h", "2?size=2"))
    whole.cachePolicy = .http
    #expect(try await pipeline.response(for: whole).original.url == whole.source.url)
  }

  @Test("an encoded image does not take the place of an original that has to have another digest")
  func digests() async throws {
    let png = try LoadSamples.noise(40, 40)
    let pipeline = pipeline(FakeLoader { _ in .body(png) }, disk: FaultyCache())
    var request = ImageRequest(url: try LoadSamples.url("h"))
    request.expectedDigest = ExpectedDigest(.sha256, png.withUnsafeBytes { MessageDigest.sha256($0) })
    let image = try CoderRegistry.standard.decode(try SampleImages.still())
    await #expect(throws: PipelineError.self) {
      try await pipeline.cache.store(image, for: request, in: .disk)
    }
    #expect(await pipeline.cache.tiers(of: request).isEmpty)
  }

  @Test("what else an image holds is not kept alive by the table of shared images")
  func metadata() throws {
    let images = SharedImages()
    let key = SharedImages.Key(
      content: try #require([1].withUnsafeBytes { KeyedHash(of: $0) }), byteCount: 1, form: "", partition: nil
    )
    let bitmap = try SampleImages.bitmap()
    images.add(Image(bitmap: bitmap, profile: .icc(Data(count: 1 << 20))), for: key)
    var metadata = ImageMetadata()
    metadata.exif = Data(count: 1 << 16)
    images.add(Image(bitmap: bitmap, metadata: metadata), for: key)
    #expect(images.count == 0)
    images.add(Image(bitmap: bitmap), for: key)
    #expect(images.image(for: key) != nil)
  }
}
