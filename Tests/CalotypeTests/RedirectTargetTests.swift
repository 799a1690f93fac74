import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// What lies behind redirects is loaded once, for as long as they lead there.
@Suite("Targets of redirects", .timeLimit(.minutes(1)))
struct RedirectTargetTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let time = ManualTime(Date())
  private let shade = Shade()

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
    server.route("/a", .redirect(to: "/b"))
    serve("/b", [("Cache-Control", "max-age=100")])
  }

  private func serve(_ path: String, _ headers: [(name: String, value: String)]) {
    let shade = shade
    server.route(path) { request in
      let value = shade.value
      guard let data = try? Samples.png(shade: value) else { return .status(500) }
      return .resource(data, etag: "\"\(value)\"", for: request, headers: headers)
    }
  }

  /// A program that was started again.
  private func response(
    memory: MemoryCache<CachedImage>? = nil, loader: any ImageLoading = Samples.loader,
    _ change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> (source: ImageResponse.Source, shade: UInt8) {
    let time = time
    let pipeline = ImagePipeline(
      .init(
        loader: loader, memoryCache: memory,
        diskCache: DiskCache(folder.configuration, now: { time.date }), now: { time.date }))
    var request = ImageRequest(url: server.url("/a"))
    change(&request)
    let response = try await pipeline.response(for: request)
    await pipeline.settle()
    return (response.source, response.image.bitmap.withUnsafeBytes { $0[0] })
  }

  /// Requests for the target so far, with their `If-None-Match`.
  private var asked: [String?] { server.requests(for: "/b").map { $0[header: "If-None-Match"] } }

  @Test("a fresh target is not asked again, the redirect is", arguments: [false, true])
  func fresh(thumbnail: Bool) async throws {
    for round in 1...3 {
      let (source, shade) = try await response { if thumbnail { $0.thumbnail = .fit(width: 4, height: 4) } }
      #expect((source == .loader) == (round == 1) && shade == 1)
      #expect(server.requests(for: "/a").count == round && asked == [nil])
    }
  }

  @Test("a redirect that varies leads others elsewhere", arguments: ["*", "Accept-Language"])
  func varying(vary: String) async throws {
    server.route(
      "/a",
      .body(
        Data(), status: 302, headers: [("Location", "/b"), ("Cache-Control", "max-age=50"), ("Vary", vary)]))
    _ = try await response { $0.headers[.acceptLanguage] = "en" }
    server.route("/a", .redirect(to: "/c"))
    server.route("/c", .body(try Samples.png(shade: 77)))
    let (source, shade) = try await response { $0.headers[.acceptLanguage] = "de" }
    #expect(source == .loader && shade == 77)
  }

  @Test("an image in memory is as good as one on disk")
  func memory() async throws {
    let time = time
    let memory = MemoryCache<CachedImage>(byteLimit: 1 << 20, now: { time.instant })
    _ = try await response(memory: memory)
    #expect(try await response(memory: memory).source == .memory)
    #expect(server.requests(for: "/a").count == 2 && asked == [nil])
  }

  @Test("a stale target confirms what is kept, by its own validators")
  func stale() async throws {
    _ = try await response()
    time.advance(by: .seconds(101))
    #expect(try await response().source != .loader)
    #expect(asked == [nil, "\"1\""])
    // Fresh again.
    time.advance(by: .seconds(99))
    #expect(try await response().source != .loader)
    #expect(asked.count == 2)
    time.advance(by: .seconds(2))
    shade.value = 2
    #expect(try await response() == (.loader, 2))
    #expect(asked == [nil, "\"1\"", "\"1\""])
    #expect(server.requests(for: "/a").allSatisfy { $0[header: "If-None-Match"] == nil })
  }

  @Test("a redirect to another resource is followed, without the validators of the first")
  func elsewhere() async throws {
    serve("/c", [("Cache-Control", "max-age=100")])
    _ = try await response()
    shade.value = 3
    server.route("/a", .redirect(to: "/c"))
    #expect(try await response() == (.loader, 3))
    #expect(server.requests(for: "/c").map { $0[header: "If-None-Match"] } == [nil])
    // And back, to what is not kept any more.
    server.route("/a", .redirect(to: "/b"))
    #expect(try await response() == (.loader, 3))
  }

  @Test("redirects of a lifetime are not asked for so long, and no longer than the target is fresh")
  func lifetimes() async throws {
    server.route("/a", .status(302, headers: [("Location", "/b"), ("Cache-Control", "max-age=80")]))
    _ = try await response()
    time.advance(by: .seconds(79))
    _ = try await response()
    #expect(server.requests(for: "/a").count == 1)
    time.advance(by: .seconds(2))
    #expect(try await response().source != .loader)
    #expect(server.requests(for: "/a").count == 2 && asked.count == 1)
    time.advance(by: .seconds(17))
    _ = try await response()
    #expect(server.requests(for: "/a").count == 2)
    // The target is stale now, though the redirect is not.
    time.advance(by: .seconds(3))
    _ = try await response()
    #expect(asked == [nil, "\"1\""])
  }

  @Test(
    "what a target confirms is fresh for as long as it said, whether or not it says so again",
    arguments: [true, false])
  func confirmed(repeats: Bool) async throws {
    let lifetime = [("Cache-Control", "max-age=30")]
    server.route("/a", .status(302, headers: [("Location", "/b"), ("Cache-Control", "max-age=80")]))
    let png = try Samples.png()
    server.route("/b") { request in
      request[header: "If-None-Match"] == nil
        ? .body(png, headers: [("ETag", "\"1\"")] + lifetime)
        : .status(304, headers: [("ETag", "\"1\"")] + (repeats ? lifetime : []))
    }
    _ = try await response()
    time.advance(by: .seconds(31))
    #expect(try await response().source != .loader)
    #expect(asked == [nil, "\"1\""])
    time.advance(by: .seconds(28))
    #expect(try await response().source != .loader)
    #expect(server.requests(for: "/a").count == 2 && asked.count == 2)
    time.advance(by: .seconds(3))
    #expect(try await response().source != .loader)
    #expect(server.requests(for: "/a").count == 3 && asked.count == 3)
  }

  @Test(
    "a target is asked where the request wants that",
    arguments: [("no-cache", "\"1\""), ("max-age=0", "\"1\"")])
  func wanted(value: String, tag: String) async throws {
    _ = try await response()
    let again = try await response { $0.headers[.cacheControl] = value }
    #expect(again.source != .loader && asked == [nil, tag])
    let reloaded = try await response { $0.cachePolicy = .reload }
    #expect(reloaded.source == .loader && asked == [nil, tag, nil])
  }

  @Test(
    "nothing is kept where the redirect or the target forbids it",
    arguments: [("no-store", "max-age=100"), ("private", "max-age=100"), ("max-age=100", "no-store")])
  func forbidden(redirect: String, target: String) async throws {
    server.route("/a", .status(302, headers: [("Location", "/b"), ("Cache-Control", redirect)]))
    serve("/b", [("Cache-Control", target)])
    for _ in 1...2 { #expect(try await response().source == .loader) }
    #expect(asked == [nil, nil])
    #expect(try await folder.diskCache().entries().isEmpty)
  }

  @Test("a target with neither validators nor a lifetime is loaded each time")
  func plain() async throws {
    server.route("/b", .body(try Samples.png(), headers: [("Cache-Control", "no-cache")]))
    for _ in 1...2 { #expect(try await response().source == .loader) }
    #expect(asked.count == 2)
  }

  @Test("a confirmation of another version is none")
  func otherVersion() async throws {
    serve("/b", [("Cache-Control", "no-cache")])
    _ = try await response()
    let png = try Samples.png(shade: 7)
    server.route("/b") { request in
      request[header: "If-None-Match"] == nil
        ? .body(png, headers: [("ETag", "\"7\"")]) : .status(304, headers: [("ETag", "\"7\"")])
    }
    #expect(try await response() == (.loader, 7))
    #expect(asked == [nil, "\"1\"", nil])
  }

  @Test("what fallbacks deliver is no target")
  func fallbacks() async throws {
    var configuration = HTTPLoader.Configuration()
    configuration.failureMemory = nil
    let loader = HTTPLoader(configuration, transport: CurlLoader.shared)
    server.route("/a", .status(404))
    server.route("/mirror", .redirect(to: "/b"))
    for _ in 1...2 {
      let (source, _) = try await response(loader: loader) { $0.fallbacks = [server.url("/mirror")] }
      #expect(source == .loader)
      time.advance(by: .seconds(61))
    }
    #expect(asked == [nil, nil])
  }

  @Test("a loader tells a held response by its URL alone, fresh or to be confirmed")
  func loader() async throws {
    var request = LoadRequest(url: server.url("/a"))
    let first = try await CurlLoader.shared.load(request)
    for try await _ in first.body {}
    let validators = try #require(first.validators)
    #expect(validators == LoadRequest.Validators(etag: "\"1\"", url: server.url("/b")))
    request.validators = validators
    #expect(try await CurlLoader.shared.load(request).isNotModified)
    request.validators?.isFresh = true
    let held = try await CurlLoader.shared.load(request)
    #expect(held.isNotModified && held.headers.isEmpty && held.url == server.url("/b"))
    #expect(held.redirects.map(\.status) == [302])
    for try await _ in held.body { Issue.record("a held response has no body") }
    #expect(asked == [nil, "\"1\""])
    request.validators?.url = server.url("/elsewhere")
    #expect(try await CurlLoader.shared.load(request).status == 200)
    request.validators = LoadRequest.Validators(etag: "\"1\"")
    #expect(try await CurlLoader.shared.load(request).status == 200)
    #expect(asked == [nil, "\"1\"", nil, nil])
  }
}
