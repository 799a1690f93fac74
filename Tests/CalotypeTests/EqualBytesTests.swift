import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Equal bytes from several URLs", .timeLimit(.minutes(1)))
struct EqualBytesTests {
  @Test("they are decoded once, each with its own freshness; removing one leaves the other")
  func twoURLs() async throws {
    let time = ManualTime()
    let png = try LoadSamples.noise(60, 60)
    let (first, second) = (try LoadSamples.url("a"), try LoadSamples.url("b"))
    let loader = FakeLoader()
    loader.route(first, .body(png, headers: [.cacheControl: "max-age=10"]))
    loader.route(second, .body(png, headers: [.cacheControl: "max-age=1000"]))
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(now: { time.instant })
      configuration.now = { time.date }
    }
    func request(_ url: URL) -> ImageRequest {
      ImageRequest(url: url, thumbnail: .fit(width: 20, height: 20))
    }
    let image = try await pipeline.image(for: request(first))
    let other = try await pipeline.image(for: request(second))
    #expect(pipeline.statistics.decodes == 1 && loader.requests.count == 2)
    #expect(
      image.bitmap.bytes.withUnsafeBytes(\.baseAddress) == other.bitmap.bytes.withUnsafeBytes(\.baseAddress))
    // Until its job has ended, the next call would join that.
    await pipeline.settle()
    time.advance(by: .seconds(11))
    #expect(pipeline.cachedImage(for: request(first)) == nil)
    #expect(pipeline.cachedImage(for: request(second)) != nil)
    // Loaded again, and the same still.
    _ = try await pipeline.image(for: request(first))
    #expect(loader.requests.count == 3 && pipeline.statistics.decodes == 1)
    try await pipeline.cache.remove(request(first))
    #expect(pipeline.cachedImage(for: request(first)) == nil)
    #expect(pipeline.cachedImage(for: request(second)) != nil)
  }

  @Test(
    "other bytes, options and partitions are decoded apart, and an image that nobody holds is decoded again")
  func distinctions() async throws {
    let (png, changed) = (try LoadSamples.noise(60, 60), try LoadSamples.noise(60, 60, seed: 2))
    let loader = FakeLoader { .body($0.source.url?.path() == "/changed" ? changed : png) }
    let pipeline = LoadSamples.pipeline(loader) { $0.memoryCache = MemoryCache() }
    var held: [Image] = []
    func decodes(_ path: String, _ change: (inout ImageRequest) -> Void = { _ in }) async throws -> Int {
      let before = pipeline.statistics.decodes
      var request = ImageRequest(url: try LoadSamples.url("a", path))
      change(&request)
      held.append(try await pipeline.image(for: request))
      return pipeline.statistics.decodes - before
    }
    #expect(try await decodes("1") == 1)
    #expect(try await decodes("2") == 0)
    #expect(try await decodes("changed") == 1)
    #expect(try await decodes("3") { $0.partition = "tenant" } == 1)
    #expect(try await decodes("4") { $0.partition = "tenant" } == 0)
    #expect(try await decodes("5") { $0.colors = .asStored } == 1)
    #expect(try await decodes("6") { $0.coders = .init("own", .standard) } == 1)
    #expect(try await decodes("7") { $0.thumbnail = .fit(width: 30, height: 30) } == 1)
    #expect(try await decodes("8") { $0.thumbnail = .fit(width: 30, height: 30) } == 0)
    held = []
    try await pipeline.cache.removeAll()
    await pipeline.settle()
    #expect(try await decodes("9") == 1)
  }

  @Test("the table of shared images is bounded, and forgets first those that are gone")
  func bound() throws {
    let images = SharedImages(limit: 20)
    func key(_ index: Int) throws -> SharedImages.Key {
      let content = try #require(withUnsafeBytes(of: index) { KeyedHash(of: $0) })
      return SharedImages.Key(content: content, byteCount: 8, form: "", partition: nil)
    }
    let held = try (0..<5).map { _ in Image(bitmap: try SampleImages.bitmap()) }
    for (index, image) in held.enumerated() { images.add(image, for: try key(index)) }
    for index in 5..<100 { images.add(Image(bitmap: try SampleImages.bitmap()), for: try key(index)) }
    #expect(images.count <= 20)
    for (index, image) in held.enumerated() {
      let key = try key(index)
      #expect(images.image(for: key)?.width == image.width)
    }
    #expect(try images.image(for: key(50)) == nil)
    images.removeAll()
    #expect(images.count == 0)
  }

  @Test("a keyed hash depends on every byte, and on the length")
  func hash() {
    let bytes = [UInt8](repeating: 7, count: 1000)
    func hash(_ bytes: [UInt8]) -> KeyedHash? { bytes.withUnsafeBytes { KeyedHash(of: $0) } }
    #expect(hash(bytes) != nil)
    var hashes: Set<KeyedHash?> = [hash(bytes)]
    #expect(hash(bytes) == hash(bytes))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      hashes.insert(hash(other))
      hashes.insert(hash(Array(bytes[..<index])))
    }
    #expect(hashes.count == 2001)
  }
}
