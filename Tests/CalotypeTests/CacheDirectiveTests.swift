import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// `immutable`, `no-transform` and `Clear-Site-Data`, through the pipeline.
@Suite("Directives of origins", .timeLimit(.minutes(1))) struct CacheDirectiveTests {
  private let time = ManualTime()

  private func pipeline(
    _ loader: FakeLoader, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    let time = time
    return LoadSamples.pipeline(loader) {
      $0.memoryCache = MemoryCache(now: { time.instant })
      $0.diskCache = FaultyCache()
      $0.now = { time.date }
      change(&$0)
    }
  }

  private func request(_ text: String) throws -> ImageRequest {
    ImageRequest(url: try #require(URL(string: text)))
  }

  @Test(
    "a reload asks for what is immutable only if it did not come over https",
    arguments: [("https", 1, 2), ("http", 2, 3)])
  func immutable(scheme: String, afterReload: Int, afterForcedReload: Int) async throws {
    let png = try LoadSamples.noise(20, 20)
    let loader = FakeLoader { _ in
      .body(png, headers: [.cacheControl: "max-age=100, immutable", .eTag: "\"1\""])
    }
    let pipeline = pipeline(loader)
    var request = try self.request("\(scheme)://example.org/a.png")
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    time.advance(by: .seconds(1))
    request.headers[.cacheControl] = "max-age=0"
    // The header fields are part of the key of an image; the original is shared.
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    let reloads = loader.requests.count
    request.headers[.cacheControl] = "no-cache"
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    #expect(reloads == afterReload && loader.requests.count == afterForcedReload)
  }

  @Test("what must not be transformed is served with the prohibition, and stored as loaded")
  func noTransform() async throws {
    let photo = try Samples.photo("stream.jpg")
    for (control, expected) in [
      ("max-age=100, no-transform", "max-age=100, no-transform"), ("max-age=100", "max-age=100"),
      ("no-store, no-transform", "no-store, no-transform"),
    ] {
      let loader = FakeLoader { _ in .body(photo, headers: [.cacheControl: control]) }
      let pipeline = pipeline(loader) {
        $0.originalSerializer = .transcoded(as: .webp(quality: 50))
        $0.memoryCache = nil
      }
      var small = try self.request("https://example.org/a.jpg")
      small.decoding.thumbnail = .fit(width: 40, height: 40)
      let made = try await pipeline.encoded(small, as: .webp(quality: 70))
      #expect(made.headerFields(at: time.date)[.cacheControl] == expected)
      #expect(made.forbidsTransformation == expected.contains("no-transform"))
      #expect(made.format == .webp && made.width == 40)
      await pipeline.settle()
      let stored = try await pipeline.cache.data(for: request("https://example.org/a.jpg"))
      switch control {
      case "max-age=100, no-transform": #expect(stored == photo)
      case "max-age=100": #expect((stored?.count ?? .max) < photo.count)
      default: #expect(stored == nil)
      }
      let found = try await pipeline.encoded(small, as: .webp(quality: 70))
      #expect(found.headerFields(at: time.date)[.cacheControl] == expected)
      await pipeline.settle()
    }
  }

  @Test("no original is stored although it must not be transformed, if none is to be stored")
  func noTransformOfNothing() async throws {
    let png = try LoadSamples.noise(20, 20)
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=100, no-transform"]) }
    let pipeline = pipeline(loader) { $0.originalSerializer = .none }
    let request = try self.request("https://example.org/a.png")
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    #expect(try await pipeline.cache.data(for: request) == nil)
  }

  @Test("an origin clears its own entries, if that is allowed", arguments: [false, true])
  func clearSiteData(isAllowed: Bool) async throws {
    let png = try LoadSamples.noise(20, 20)
    let loader = FakeLoader { request in
      var headers: HTTPFields = [.cacheControl: "max-age=1000"]
      if request.source.url?.path() == "/bye.png", let name = HTTPField.Name("Clear-Site-Data") {
        headers[name] = "\"cache\", \"cookies\""
      }
      return .body(png, headers: headers)
    }
    let pipeline = pipeline(loader) { $0.freshness.honorsClearSiteData = isAllowed }
    let addresses = [
      "https://example.org/a.png", "https://example.org/b.png?c", "https://example.org:8443/a.png",
      "http://example.org/a.png", "https://other.example.org/a.png",
    ]
    for address in addresses { _ = try await pipeline.image(for: request(address)) }
    await pipeline.settle()
    func held() async throws -> [Bool] {
      var held: [Bool] = []
      for address in addresses { held.append(await !pipeline.cache.tiers(of: try request(address)).isEmpty) }
      return held
    }
    #expect(try await held() == [true, true, true, true, true])
    // Not over a connection that anybody could write to.
    _ = try await pipeline.image(for: request("http://example.org/bye.png"))
    await pipeline.settle()
    #expect(try await held() == [true, true, true, true, true])
    _ = try await pipeline.image(for: request("https://example.org/bye.png"))
    await pipeline.settle()
    #expect(
      try await held() == (isAllowed ? [false, false, true, true, true] : [true, true, true, true, true]))
    #expect(
      await pipeline.cache.tiers(of: try request("https://example.org/bye.png")).isEmpty == isAllowed)
  }
}
