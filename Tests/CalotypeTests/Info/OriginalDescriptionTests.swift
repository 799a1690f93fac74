import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Descriptions of originals in responses", .timeLimit(.minutes(1)))
struct OriginalDescriptionTests {
  private let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

  private func pipeline(_ loader: FakeLoader, disk: (any DataCaching)?, _ time: ManualTime) -> ImagePipeline {
    LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(now: { time.instant })
      configuration.diskCache = disk
      configuration.now = { time.date }
    }
  }

  @Test("the same facts come with the image from the loader, from memory, from disk, and with its bytes")
  func everywhere() async throws {
    let time = ManualTime()
    let url = try LoadSamples.url("h")
    let fields: HTTPFields = [
      .cacheControl: "max-age=100", .eTag: "\"abc\"", .lastModified: modified, .contentType: "image/png",
      .setCookie: "a=b",
    ]
    let loader = FakeLoader([url: .body(try LoadSamples.noise(40, 40), headers: fields)])
    let disk = FaultyCache()
    let pipeline = pipeline(loader, disk: disk, time)
    let request = ImageRequest(url: url, thumbnail: .fit(width: 20, height: 20))
    let end = time.date.addingTimeInterval(100)
    func check(_ original: ImageResponse.Original, _ comment: Comment) {
      #expect(original.url == url && original.status == 200, comment)
      #expect(original.entityTag == EntityTag("\"abc\"") && original.contentType == "image/png", comment)
      #expect(original.lastModified == Date(timeIntervalSince1970: 784_111_777), comment)
      // Stored times are whole seconds.
      #expect(abs(original.freshUntil?.timeIntervalSince(end) ?? 1e9) < 1, comment)
      #expect(original.fields[.setCookie] == nil, comment)
    }
    check(try await pipeline.response(for: request).original, "loader")
    check(try await pipeline.response(for: request).original, "memory")
    check(try await pipeline.data(for: request).original, "data")
    check(try await pipeline.info(for: request).original, "info")
    check(try await pipeline.encoded(request, as: .jpeg()).original, "encoded")
    await pipeline.settle()
    let second = self.pipeline(loader, disk: disk, time)
    let stored = try await second.response(for: request)
    #expect(stored.source == .disk)
    check(stored.original, "disk")
    check(try await second.encoded(request, as: .jpeg()).original, "encoded on disk")
    check(try await second.response(for: ImageRequest(url: url)).original, "original on disk")
    #expect(loader.requests.count == 1)
  }

  @Test("the URL is that after redirects, without a user, also from a cache")
  func finalURL() async throws {
    let time = ManualTime()
    let url = try LoadSamples.url("h")
    var reply = FakeReply.body(try LoadSamples.noise(40, 40), headers: [.cacheControl: "max-age=100"])
    reply.url = URL(string: "http://me:secret@elsewhere/b.png")
    let loader = FakeLoader([url: reply])
    let disk = FaultyCache()
    let expected = URL(string: "http://elsewhere/b.png")
    let first = pipeline(loader, disk: disk, time)
    let request = ImageRequest(url: url, thumbnail: .fit(width: 20, height: 20))
    #expect(try await first.response(for: request).original.url == expected)
    #expect(try await first.response(for: request).original.url == expected)
    await first.settle()
    let second = pipeline(loader, disk: disk, time)
    #expect(try await second.response(for: request).original.url == expected)
    #expect(try await second.data(for: request).original.url == expected)
    #expect(loader.requests.count == 1)
  }

  @Test("a response that must not be stored is described as well, and an image of the program is not")
  func unstored() async throws {
    let time = ManualTime()
    let url = try LoadSamples.url("h")
    let fields: HTTPFields = [.cacheControl: "no-store", .eTag: "\"abc\""]
    let loader = FakeLoader([url: .body(try LoadSamples.noise(40, 40), headers: fields)])
    let pipeline = pipeline(loader, disk: nil, time)
    let response = try await pipeline.response(for: ImageRequest(url: url))
    #expect(response.original.status == 200 && response.original.entityTag?.opaque == "abc")
    #expect(response.original.freshUntil.map { $0 <= time.date } == true)
    let own = ImageRequest(url: try LoadSamples.url("h", "own"))
    try await pipeline.cache.store(response.image, for: own)
    let stored = try await pipeline.response(for: own)
    #expect(stored.source == .memory && stored.original.status == nil && stored.original.url == nil)
  }
}
