@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// A program that loads URLs given by others, and one that may reach its own network, with all caches in common.
@Suite("Confined callers", .timeLimit(.minutes(2)))
struct ConfinedCallerTests {
  /// A way to ask for an image; throws, or returns nothing, where none is to be had.
  typealias Way = @Sendable (ImagePipeline, ImageRequest) async throws -> (any Sendable)?

  /// Ways of asking that lead to the image for a caller that may connect to its server.
  private static let ways: [(name: String, ask: Way)] = [
    ("image", { try await $0.image(for: $1) }),
    ("response", { try await $0.response(for: $1).image }),
    ("data", { try await $0.data(for: $1).data }),
    ("the image in memory", { $0.cachedImage(for: $1) }),
    ("the image in the cache", { $0.cache.image(for: $1) }),
    ("the bytes in the cache", { try await $0.cache.data(for: $1) }),
    ("the tiers that have it", { await $0.cache.tiers(of: $1).isEmpty ? nil : true }),
    ("events", { try await $0.load($1).events.contains { $0.isImage } ? true : nil }),
    (
      "a player",
      {
        try await $0.withPlayer(for: $1) { player -> Bool? in
          for try await _ in player.frames() { return true }
          return nil
        }
      }
    ),
    ("prefetch", { await $0.isPrefetched($1) ? true : nil }),
    ("with its bytes", { try await $0.response(for: $1.with { $0.includesData = true }).data }),
    ("by age", { try await $0.image(for: $1.with { $0.cachePolicy = .ignoreHTTPFreshness }) }),
    ("stale", { try await $0.image(for: $1.with { $0.cachePolicy = .staleWhileRevalidate }) }),
    ("from caches only", { try await $0.image(for: $1.with { $0.cachePolicy = .cacheOnly }) }),
    ("stale, by a header", { try await $0.image(for: $1.with { $0.headers[.cacheControl] = "max-stale" }) }),
    ("from memory only", { try await $0.image(for: $1.with { $0.readTiers = .memory }) }),
    ("from disk only", { try await $0.image(for: $1.with { $0.readTiers = .disk }) }),
    ("from originals only", { try await $0.image(for: $1.with { $0.readTiers = .originals }) }),
    ("reloaded", { try await $0.image(for: $1.with { $0.cachePolicy = .reload }) }),
    ("past its cache", { try await $0.image(for: $1.with { $0.cachePolicy = .loaderOnly }) }),
    ("smaller", { try await $0.image(for: $1.with { $0.thumbnail = .fit(width: 4, height: 4) }) }),
    (
      "larger than needed",
      {
        try await $0.image(
          for: $1.with { ($0.thumbnail, $0.acceptsLarger) = (.fit(width: 4, height: 4), true) })
      }
    ),
    (
      "transformed",
      {
        try await $0.image(for: $1.with { $0.transforms = .chain([ImageTransform(Transforms.Grayscale())]) })
      }
    ),
    ("all frames", { try await $0.image(for: $1.with { $0.frames = .all }) }),
    ("without its orientation", { try await $0.image(for: $1.with { $0.appliesOrientation = false }) }),
    ("by a canonical key", { try await $0.image(for: $1.with { $0.keyPolicy = .canonical }) }),
    ("by a key without its query", { try await $0.image(for: $1.with { $0.keyPolicy = .withoutQuery }) }),
    ("by a name", { try await $0.image(for: $1.with { $0.keyPolicy = .named("logo") }) }),
    (
      "with another address as fallback",
      {
        try await $0.image(for: $1.with { $0.fallbacks = $0.source.url.map { [$0] } ?? [] })
      }
    ),
  ]

  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let memory = MemoryCache<CachedImage>(byteLimit: 64 << 20)
  private let failures = FailureMemory()

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
    let png = try Samples.png()
    server.route("/logo.png") { request in
      .resource(
        png, etag: "\"1\"", for: request,
        headers: [("Cache-Control", "max-age=100, stale-while-revalidate=100")])
    }
    // Where the confined may go, and from where they are sent inside.
    server.route("/to-logo") { [server] _ in .redirect(to: "\(server.url("/logo.png"))", status: 301) }
    server.route("/missing", .status(404))
  }

  /// - Parameter policy: Hosts called `public.test` are this server, by intent.
  private func pipeline(_ policy: AddressPolicy) -> ImagePipeline {
    var curl = CurlLoader.Configuration()
    curl.addressPolicy = policy
    curl.hostAddresses["public.test"] = [.init("127.0.0.1")].compactMap { $0 }
    var http = HTTPLoader.Configuration()
    http.retry = .none
    http.failureMemory = failures
    http.partials = PartialStore(folder: folder.url.appending(path: "parts"), minBytes: 1)
    let loader = LoaderGroup.standard.adding(HTTPLoader(http, transport: CurlLoader(curl)))
    return ImagePipeline(.init(loader: loader, memoryCache: memory, diskCache: folder.diskCache()))
  }

  private var trusted: ImagePipeline { pipeline(.any) }
  private var confined: ImagePipeline { pipeline(.public.allowing(host: "public.test")) }

  private func isDelivered(_ way: Way, _ pipeline: ImagePipeline, _ request: ImageRequest) async -> Bool {
    do {
      return try await way(pipeline, request) != nil
    } catch {
      return false
    }
  }

  /// Each way is shown to lead to the image first, so that it can fail.
  @Test(
    "an image of the internal network is seen in no way, whatever is cached of it", arguments: ways.indices)
  func internalImages(way index: Int) async throws {
    let way = Self.ways[index]
    let inside = ImageRequest(url: server.url("/logo.png"))
    let trusted = trusted
    // As the trusted caller asks, so that all of it is in the caches.
    _ = try await trusted.image(for: inside)
    await trusted.settle()
    let isSeen = await isDelivered(way.ask, trusted, inside)
    await trusted.settle()
    #expect(isSeen || way.name == "from disk only", "\(way.name), trusted")
    let asked = server.requests.count
    let confined = confined
    #expect(await !isDelivered(way.ask, confined, inside), "\(way.name)")
    // By a public name that leads inside.
    let redirected = ImageRequest(url: server.url("/to-logo", host: "public.test"))
    _ = try await trusted.image(for: redirected)
    await trusted.settle()
    #expect(await !isDelivered(way.ask, confined, redirected), "\(way.name), redirected")
    await confined.settle()
    // Only the redirect was asked for, and the image by the trusted caller.
    let seen = server.requests.dropFirst(asked)
    #expect(seen.filter { $0.path == "/logo.png" }.count <= 1, "\(way.name)")
  }

  @Test("a fallback inside is not seen, although another caller had it from there")
  func fallbacks() async throws {
    var request = ImageRequest(url: server.url("/missing", host: "public.test"))
    request.fallbacks = [server.url("/logo.png")]
    let trusted = trusted
    _ = try await trusted.image(for: request)
    await trusted.settle()
    let error = await #expect(throws: LoadingError.self) { try await confined.image(for: request) }
    #expect(error?.code == "addressRefused")
  }

  @Test("a part of an internal image that was kept is not gone on with")
  func parts() async throws {
    let photo = try #require(Samples.stream)
    server.route("/photo.jpg") { request in
      ScriptedReply.resource(photo, etag: "\"1\"", for: request).cut(after: photo.count / 2)
    }
    let request = ImageRequest(url: server.url("/photo.jpg", host: "public.test"))
    let trusted = trusted
    await #expect(throws: LoadingError.self) { try await trusted.image(for: request) }
    await trusted.settle()
    await #expect(throws: LoadingError.self) { try await confined.image(for: request) }
    let last = try #require(server.requests.last)
    #expect(last[header: "Range"] == nil)
    // Who left it goes on, and gets the rest.
    _ = try await trusted.image(for: request)
    #expect(server.requests.last?[header: "Range"] != nil)
  }

  @Test("a policy of addresses is asked before caches, also of what it let in when it was another")
  func checkedFirst() async throws {
    let error = await #expect(throws: LoadingError.self) {
      try await confined.image(
        for: ImageRequest(url: server.url("/logo.png")).with { $0.cachePolicy = .cacheOnly })
    }
    #expect(error?.code == "addressRefused")
  }
}

extension ImageRequest {
  fileprivate func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
    var request = self
    change(&request)
    return request
  }
}

extension ImageLoad.Event {
  fileprivate var isImage: Bool {
    switch self {
    case .response, .preview: true
    case .queued, .started, .progress, .confirmed, .refreshFailed: false
    }
  }
}

extension ImagePipeline {
  /// Whether a prefetch of the request ends well.
  fileprivate nonisolated func isPrefetched(_ request: ImageRequest) async -> Bool {
    let result = await Prefetcher(self).prefetch([request]).result
    return result.failed.isEmpty && result.loaded.count + result.skipped.count == 1
  }
}
