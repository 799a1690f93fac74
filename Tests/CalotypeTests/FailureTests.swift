import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// What is remembered of failures, and what is not.
@Suite("Failures", .timeLimit(.minutes(5)))
struct FailureTests {
  private let server: ScriptedHTTPServer
  private let time = ManualTime()
  private let pipeline: ImagePipeline

  init() throws {
    server = try ScriptedHTTPServer()
    var configuration = HTTPLoader.Configuration()
    configuration.retry = RetryPolicy(maxRetries: 0)
    configuration.failureMemory = FailureMemory { [time] in time.instant }
    pipeline = .isolated(
      loader: LoaderGroup.standard.adding(HTTPLoader(configuration, transport: CurlLoader.shared)))
  }

  private func request(_ policy: FailurePolicy = .respect) -> ImageRequest {
    var request = ImageRequest(url: server.url("/a.png"))
    request.failurePolicy = policy
    return request
  }

  private var hits: Int { server.requests(for: "/a.png").count }

  @Test("callers that joined a load begin another when it is cancelled")
  func foreignCancellation() async throws {
    let gate = Gate()
    let url = try LoadSamples.url("h")
    let loader = FakeLoader()
    loader.route(url) { _ in
      if loader.requests(for: url).count > 1 { return .body(try SampleImages.still()) }
      try await gate.wait()
      throw CancellationError()
    }
    let pipeline = LoadSamples.pipeline(loader)
    let first = Task { try await pipeline.image(for: ImageRequest(url: url)) }
    try await loader.waitForRequests(url)
    var request = ImageRequest(url: url)
    request.cachePolicy = .reload
    let second = Task { [request] in try await pipeline.image(for: request).width }
    try await eventually { pipeline.jobs.loads.all.contains { $0.subscriberCount == 2 } }
    gate.open()
    await #expect(throws: LoadingError.connectionFailed(url, reason: "the loader cancelled the load")) {
      try await first.value
    }
    #expect(try await second.value == 8)
    #expect(loader.requests.count == 2)
    await pipeline.settle()
  }

  @Test(
    "bytes that are no image: the next request does not ask the server, a later one or one that insists does",
    arguments: [
      Data("<html>no image</html>".utf8), (try? Samples.png(width: 64, height: 64).prefix(50)) ?? Data([1]),
    ])
  func undecodable(_ body: Data) async throws {
    server.route("/a.png", .body(body))
    await #expect(throws: ImagingError.self) { try await pipeline.image(for: request()) }
    #expect(hits == 1)
    await pipeline.settle()
    await #expect { try await pipeline.image(for: request()) } throws: { error in
      guard case .recentlyFailed = error as? LoadingError else { return false }
      return true
    }
    #expect(hits == 1)
    await #expect(throws: ImagingError.self) { try await pipeline.image(for: request(.ignore)) }
    #expect(hits == 2)
    await pipeline.settle()
    time.advance(by: .seconds(24 * 3600 + 1))
    server.route("/a.png", .resource(try Samples.png()))
    #expect(try await pipeline.image(for: request()).width == 8)
    #expect(hits == 3)
    await pipeline.settle()
  }

  @Test("that a fallback has no image either says nothing of the source, which only failed")
  func fallbacks() async throws {
    let folder = try CacheFolder()
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    server.route("/a.png", .status(500))
    server.route("/b.png", .body(Data(), status: 404, headers: [("Cache-Control", "max-age=1000")]))
    var request = request()
    request.fallbacks = [server.url("/b.png")]
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request) }
    await pipeline.settle()
    server.route("/a.png", .body(try Samples.png()))
    #expect(try await pipeline.image(for: request).width == 8)
    #expect(hits == 2)
    await pipeline.settle()
  }

  @Test(
    "that there is no image behind a redirect is kept for no longer than the redirect holds",
    arguments: [
      (302, nil, 0), (302, "no-store", 0), (302, "max-age=100, private", 0), (302, "max-age=100", 100),
      (301, nil, 1_000), (301, "no-cache", 0), (302, "max-age=5000", 1_000),
    ] as [(Int, String?, Int)])
  func redirects(status: Int, control: String?, seconds: Int) async throws {
    let folder = try CacheFolder()
    let start = Date()
    let offset = Lock(0.0)
    let now: @Sendable () -> Date = { start + offset.withLock { $0 } }
    let pipeline = ImagePipeline(
      .init(
        loader: Samples.loader, memoryCache: nil, diskCache: DiskCache(folder.configuration, now: now),
        now: now))
    let headers = [("Location", "/b.png")] + (control.map { [("Cache-Control", $0)] } ?? [])
    server.route("/a.png", .body(Data(), status: status, headers: headers))
    server.route("/b.png", .body(Data(), status: 404, headers: [("Cache-Control", "max-age=1000")]))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
    await pipeline.settle()
    server.route("/a.png", .body(try Samples.png()))
    if seconds > 0 {
      offset.withLock { $0 = Double(seconds) - 2 }
      await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
      #expect(hits == 1)
      await pipeline.settle()
    }
    offset.withLock { $0 = Double(seconds) + 2 }
    #expect(try await pipeline.image(for: request()).width == 8)
    #expect(hits == 2)
    await pipeline.settle()
  }

  @Test("a success clears what was remembered")
  func success() async throws {
    server.route("/a.png", .status(404))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
    server.route("/a.png", .body(try Samples.png()))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
    #expect(hits == 1)
    #expect(try await pipeline.image(for: request(.ignore)).width == 8)
    await pipeline.settle()
    pipeline.configuration.memoryCache?.removeAll()
    #expect(try await pipeline.image(for: request()).width == 8)
    await pipeline.settle()
  }

  @Test(
    "what passes by itself does not suppress the next request: 500, a deadline, a cancel, a refused connection"
  )
  func transient() async throws {
    server.route("/a.png", .status(500))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request()) }
    server.route("/a.png", .hang)
    var hasty = request()
    hasty.timeouts.total = .milliseconds(50)
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: hasty) }
    let task = Task { try await pipeline.image(for: request()) }
    try await server.waitForRequests("/a.png", count: 3)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await pipeline.settle()
    server.route("/a.png", .body(try Samples.png()))
    #expect(try await pipeline.image(for: request()).width == 8)
    // A port without a listener, until it has one.
    let reserved = try ReservedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(reserved.port)/a.png"))
    let refused = ImageRequest(url: url)
    let error = await #expect(throws: LoadingError.self) { try await pipeline.image(for: refused) }
    #expect(error?.code == "connectionFailed")
    reserved.release()
    let back = try ScriptedHTTPServer(port: reserved.port)
    back.route("/a.png", .body(try Samples.png()))
    #expect(try await pipeline.image(for: refused).width == 8)
    await pipeline.settle()
  }

  /// A port of the loopback interface that refuses connections until it is released.
  private final class ReservedPort {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let descriptor = descriptor
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
      }
      try #require(isBound)
      port = UInt16(bigEndian: address.sin_port)
    }

    func release() { close(descriptor) }
  }

  @Test("a stale image is served again and again while the server sends what cannot be read")
  func staleWhileBroken() async throws {
    let folder = try CacheFolder()
    let time = ManualTime(Date())
    var configuration = HTTPLoader.Configuration()
    configuration.retry = .none
    configuration.failureMemory = FailureMemory(now: { time.instant })
    var caching = ImagePipeline.Configuration(
      loader: LoaderGroup.standard.adding(HTTPLoader(configuration, transport: CurlLoader.shared)),
      memoryCache: nil, diskCache: folder.diskCache())
    caching.now = { time.date }
    let pipeline = ImagePipeline(caching)
    server.route(
      "/a.png",
      .body(
        try Samples.png(), headers: [("Cache-Control", "max-age=1, stale-if-error=1000"), ("ETag", "\"1\"")]))
    _ = try await pipeline.image(for: request())
    await pipeline.settle()
    time.advance(by: .seconds(10))
    // Not HTTP: remembered, so that it is not asked for again at once.
    server.route("/a.png", ScriptedReply([.bytes(Data("HTTP/1.1 nonsense\r\n\r\n".utf8)), .close]))
    for _ in 0..<3 {
      let response = try await pipeline.response(for: request())
      #expect(response.isStale && response.image.width == 8)
      await pipeline.settle()
    }
    #expect(hits == 2)
  }

  @Test("what is cached is served although its source has failed since")
  func cached() async throws {
    server.route("/a.png", .resource(try Samples.png()))
    _ = try await pipeline.image(for: request())
    server.route("/a.png", .status(404))
    var reload = request()
    reload.cachePolicy = .loaderOnly
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: reload) }
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(hits == 2)
    await pipeline.settle()
  }

  @Test("a fallback takes the place of a source that fails for good, for those who name it alone")
  func fallback() async throws {
    server.route("/a.png", .status(404))
    server.route("/b.png", .resource(try Samples.png(shade: 9)))
    var request = request(.ignore)
    request.fallbacks = [server.url("/b.png")]
    #expect(try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] } == 9)
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: self.request(.ignore)) }
    await pipeline.settle()
  }
}

/// What a response varies on.
@Suite("Vary", .timeLimit(.minutes(5)))
struct VaryTests {
  @Test("Vary: * is loaded anew each time; by Accept there are two images")
  func vary() async throws {
    let server = try ScriptedHTTPServer()
    let folder = try CacheFolder()
    let (a, b) = (try Samples.png(shade: 1), try Samples.png(shade: 2))
    server.route("/star.png", .body(a, headers: [("Cache-Control", "max-age=100"), ("Vary", "*")]))
    server.route("/accept.png") { request in
      .body(
        request[header: "Accept"] == "image/webp" ? b : a,
        headers: [("Cache-Control", "max-age=100"), ("Vary", "Accept")])
    }
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    for count in 1...3 {
      _ = try await pipeline.image(for: server.url("/star.png"))
      await pipeline.settle()
      #expect(server.requests(for: "/star.png").count == count)
    }
    for _ in 0..<2 {
      for (accept, shade) in [("image/webp", UInt8(2)), ("image/png", 1)] {
        var request = ImageRequest(url: server.url("/accept.png"))
        request.headers[.accept] = accept
        #expect(try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] } == shade)
        await pipeline.settle()
      }
      pipeline.configuration.memoryCache?.removeAll()
    }
    #expect(server.requests(for: "/accept.png").count == 2)
  }
}
