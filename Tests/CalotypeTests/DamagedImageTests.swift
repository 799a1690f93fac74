import Calotype
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

/// Damaged images are delivered and marked, and soon asked for again.
@Suite("Damaged images") struct DamagedImageTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let time = ManualTime()

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
  }

  private func pipeline() -> ImagePipeline {
    let time = time
    return ImagePipeline(
      .init(
        loader: Samples.loader, memoryCache: MemoryCache(byteLimit: 64 << 20, now: { time.instant }),
        diskCache: DiskCache(folder.configuration, now: { time.date }), now: { time.date }))
  }

  private static func damaged() throws -> Data {
    var photo = try Samples.photo("stream.jpg")
    let middle = photo.count / 2
    photo.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
    return photo
  }

  private func serve(_ data: Data) {
    server.route("/a.jpg", .body(data, headers: [("Cache-Control", "max-age=86400")]))
  }

  private func request(_ side: Int?) -> ImageRequest {
    ImageRequest(url: server.url("/a.jpg"), thumbnail: side.map { .fit(width: $0, height: $0) })
  }

  private var count: Int { server.requests(for: "/a.jpg").count }

  @Test("kept in memory for a minute, on disk not at all, whatever the server says", arguments: [nil, 64])
  func shortLife(side: Int?) async throws {
    serve(try Self.damaged())
    var request = request(side)
    let pipeline = pipeline()
    let response = try await pipeline.response(for: request)
    #expect(response.isDamaged && response.image.isDamaged && !response.image.isPartial)
    #expect(response.image.info?.isDamaged == true)
    await pipeline.settle()
    #expect(try await folder.diskCache().statistics().count == 0)
    time.advance(by: .seconds(59))
    let again = try await pipeline.response(for: request)
    #expect(again.source == .memory && again.isDamaged && count == 1)
    time.advance(by: .seconds(1))
    // Gone, also for those who trust the age of what is cached.
    request.cachePolicy = .ignoreHTTPFreshness
    serve(try Samples.photo("stream.jpg"))
    let sound = try await pipeline.response(for: request)
    #expect(sound.source == .loader && !sound.isDamaged && count == 2)
    await pipeline.settle()
    #expect(try await folder.diskCache().statistics().count > 0)
    time.advance(by: .seconds(61))
    request.cachePolicy = .http
    #expect(try await pipeline.response(for: request).source == .memory)
  }

  @Test("the same damaged bytes after a minute: another minute")
  func stillDamaged() async throws {
    serve(try Self.damaged())
    let pipeline = pipeline()
    for round in 1...3 {
      #expect(try await pipeline.response(for: request(64)).isDamaged)
      await pipeline.settle()
      #expect(count == round)
      time.advance(by: .seconds(60))
    }
  }

  @Test("a transform of a damaged image is damaged, and lives no longer than it")
  func transformed() async throws {
    serve(try Self.damaged())
    let pipeline = pipeline()
    #expect(try await pipeline.image(for: request(64)).isDamaged)
    time.advance(by: .seconds(40))
    var request = request(64)
    request.transforms = [.grayscale()]
    #expect(try await pipeline.image(for: request).isDamaged)
    time.advance(by: .seconds(20))
    await pipeline.settle()
    #expect(pipeline.cachedImage(for: request) == nil)
  }

  @Test("an original that is damaged in the cache is loaded again")
  func damagedInTheCache() async throws {
    serve(try Self.damaged())
    let first = pipeline()
    // Nobody decodes it: it is kept.
    _ = try await first.data(for: request(nil))
    await first.settle()
    #expect(try await folder.diskCache().statistics().count == 1)
    serve(try Samples.photo("stream.jpg"))
    let response = try await pipeline().response(for: request(64))
    #expect(!response.isDamaged && response.source == .loader && count == 2)
  }

  @Test("a strict request fails with the reason, beside a tolerant one that is in memory")
  func strict() async throws {
    serve(try Self.damaged())
    let pipeline = pipeline()
    #expect(try await pipeline.image(for: request(64)).isDamaged)
    var strict = request(64)
    strict.damage = .strict
    strict.allowsPartial = true
    let error = await #expect(throws: ImagingError.self) { try await pipeline.image(for: strict) }
    #expect(error?.code == "corrupt")
    await pipeline.settle()
  }

  @Test("a body that is cut off stays an error")
  func cutOff() async throws {
    let photo = try Samples.photo("stream.jpg")
    serve(photo.prefix(photo.count / 2))
    let error = await #expect(throws: ImagingError.self) { try await pipeline().image(for: request(64)) }
    #expect(error?.code == "truncated")
  }
}
