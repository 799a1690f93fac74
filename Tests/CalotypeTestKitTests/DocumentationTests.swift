import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// The examples of the documentation that no other test shows.
@Suite("Examples of the documentation", .timeLimit(.minutes(5)))
struct DocumentationTests {
  private struct Unreachable: Error {}

  private let loader = FakeLoader()
  private let url: URL

  init() throws {
    url = try #require(URL(string: "https://avatars.example/ann"))
  }

  @Test("replies of all kinds")
  func replies() async throws {
    let png = try SampleImages.still()
    loader.route(url, .body(png, headers: [.eTag: "\"1\"", .cacheControl: "max-age=60"]))
    loader.route(url, .status(503), .status(503), .body(png))
    for _ in 0..<2 {
      await #expect(throws: LoadingError.self) { try await loader.data(for: LoadRequest(url: url)) }
    }
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == png)
    loader.route(url) { request in .body(Data((request.headers[.accept] ?? "").utf8)) }
    let request = LoadRequest(url: url, headers: [.accept: "image/png"])
    #expect(try await loader.data(for: request).0 == Data("image/png".utf8))
  }

  @Test("a pipeline over a fake loader")
  func pipeline() async throws {
    loader.route(url, .body(try SampleImages.still(width: 300, height: 200)))
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    #expect(try await pipeline.image(for: url).width == 300)
    #expect(loader.requests.count == 1)
  }

  @Test("events of a request, the body in two pieces")
  func events() async throws {
    let jpeg = try SampleImages.progressiveJPEG()
    let (halfway, gate) = (Gate(), Gate())
    let steps: [FakeReply.Step] = [
      .bytes(jpeg.prefix(500)), .signal(halfway), .wait(gate), .bytes(jpeg.dropFirst(500)),
    ]
    loader.route(url, FakeReply(steps))
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    let recorder = EventRecorder<ImageLoad.Event>()
    async let recording: Void = recorder.record(pipeline.load(ImageRequest(url: url)).events)
    try await recorder.waitFor(count: 1)
    try await halfway.wait()
    #expect(loader.bytesDelivered(url) == 500)
    gate.open()
    await recording
    #expect(recorder.ending?.isFinished == true)
  }

  /// Tries once more, a second later.
  private func retrying<Result: Sendable>(
    clock: any Clock<Duration>, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch is Unreachable {
      try await clock.sleep(for: .seconds(1))
      return try await body()
    }
  }

  @Test("code that sleeps")
  func sleeping() async throws {
    let clock = TestClock()
    loader.route(url, .failure(Unreachable()), .body(Data([1])))
    let (loader, url) = (loader, url)
    async let answer = retrying(clock: clock) { try await loader.data(for: LoadRequest(url: url)).0 }
    try await clock.waitForSleepers()
    #expect(loader.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(try await answer == Data([1]))
  }

  @Test("a folder goes with its owner")
  func folder() async throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let url = try #require(folder?.url)
    let cache = DiskCache(.init(folder: url))
    try await cache.store(Data([1]), metadata: RecordMetadata(), for: CacheKey("a"))
    #expect(try await cache.read(CacheKey("a"))?.data == Data([1]))
    try await cache.flush()
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}
