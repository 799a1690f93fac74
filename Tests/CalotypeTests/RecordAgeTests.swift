import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// Originals and results live for different times, also in one cache on disk.
@Suite("Age limits by the kind of a record", .timeLimit(.minutes(1))) struct RecordAgeTests {
  private let folder: CacheFolder
  private let time = ManualTime()

  init() throws {
    folder = try CacheFolder()
  }

  private func pipeline(
    _ loader: FakeLoader, maxAge: ImagePipeline.Caches.MaxAge,
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    let time = time
    return LoadSamples.pipeline(loader) {
      $0.diskCache = DiskCache(folder.configuration, now: { time.date })
      $0.caches.maxAge = maxAge
      $0.now = { time.date }
      change(&$0)
    }
  }

  private func loader(_ headers: HTTPFields = [.cacheControl: "max-age=1000000"]) throws -> FakeLoader {
    let png = try LoadSamples.noise(60, 60)
    return FakeLoader { _ in .body(png, headers: headers) }
  }

  private func thumbnail() throws -> ImageRequest {
    ImageRequest(url: try LoadSamples.url("h"), thumbnail: .fit(width: 30, height: 30))
  }

  private func full() throws -> ImageRequest { ImageRequest(url: try LoadSamples.url("h")) }

  /// What a process finds that starts now, and asks nobody.
  private func sources(
    _ loader: FakeLoader
  ) async throws -> (
    result: ImageResponse.Source?, original: ImageResponse.Source?, encoded: ImageResponse.Source?
  ) {
    let pipeline = pipeline(loader, maxAge: .init())
    func known(_ request: ImageRequest) async throws -> ImageRequest {
      var known = request
      known.cachePolicy = .cacheOnly
      return known
    }
    let result = try? await pipeline.response(for: try await known(thumbnail())).source
    let original = try? await pipeline.data(for: try await known(full())).source
    let encoded = try? await pipeline.encoded(try await known(thumbnail()), as: .webp(quality: 70)).source
    await pipeline.settle()
    return (result, original, encoded)
  }

  private func fill(_ pipeline: ImagePipeline) async throws {
    _ = try await pipeline.image(for: thumbnail())
    _ = try await pipeline.encoded(thumbnail(), as: .webp(quality: 70))
    await pipeline.settle()
  }

  @Test("originals expire before the results that were made of them")
  func originalsFirst() async throws {
    let loader = try loader()
    try await fill(
      pipeline(loader, maxAge: .init(originals: .seconds(100), results: .seconds(1000))))
    time.advance(by: .seconds(99))
    #expect(try await sources(loader) == (.disk, .diskOriginal, .disk))
    time.advance(by: .seconds(1))
    #expect(try await sources(loader) == (.disk, nil, .disk))
    time.advance(by: .seconds(900))
    #expect(try await sources(loader) == (nil, nil, nil))
    #expect(loader.requests.count == 1)
  }

  @Test("results and encoded images expire before their originals, of which they are made again")
  func resultsFirst() async throws {
    let loader = try loader()
    let first = pipeline(loader, maxAge: .init(originals: .seconds(1000), results: .seconds(100)))
    try await fill(first)
    time.advance(by: .seconds(100))
    // Not from disk any more, but of the original; the encoded image is made of the result, which is there again by then.
    let found = try await sources(loader)
    #expect(found.result == .diskOriginal)
    #expect(found.original == .diskOriginal)
    #expect(found.encoded != nil)
    let statistics = try await DiskCache(folder.configuration, now: { [time] in time.date }).trim()
    #expect(statistics.count == 3)
    #expect(loader.requests.count == 1)
  }

  @Test("without limits, the age limit of the cache counts alone; the earlier end counts")
  func limitsOfTheCache() async throws {
    let loader = try loader()
    try await fill(pipeline(loader, maxAge: .init()))
    time.advance(by: .seconds(100_000))
    #expect(try await sources(loader) == (.disk, .diskOriginal, .disk))
    let disk = DiskCache(folder.configuration, now: { [time] in time.date })
    #expect(try await disk.entries().allSatisfy { $0.metadata.expires == nil })
    try await disk.removeAll()
    var configuration = folder.configuration
    configuration.maxAge = .seconds(50)
    let short = configuration
    try await fill(
      pipeline(loader, maxAge: .init(originals: .seconds(100), results: .seconds(10))) { [time] in
        $0.diskCache = DiskCache(short, now: { time.date })
        // Assigning a cache leaves the limits.
        #expect($0.caches.maxAge.results == .seconds(10))
      })
    let expiries = try await disk.entries().map { $0.metadata.expires }
    #expect(Set(expiries) == [time.date + 100, time.date + 10])
  }

  @Test("a confirmed original lives as long as a loaded one; zero keeps nothing, and a long time forever")
  func confirmed() async throws {
    let png = try LoadSamples.noise(60, 60)
    let loader = FakeLoader { _ in .body(png, headers: [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
    let pipeline = pipeline(loader, maxAge: .init(originals: .seconds(100)))
    _ = try await pipeline.image(for: full())
    await pipeline.settle()
    time.advance(by: .seconds(80))
    _ = try await pipeline.image(for: full())
    await pipeline.settle()
    #expect(pipeline.statistics.revalidations == 1)
    time.advance(by: .seconds(50))
    #expect(try await pipeline.cache.data(for: full()) == png)
    time.advance(by: .seconds(50))
    #expect(try await pipeline.cache.data(for: full()) == nil)

    for (age, isKept) in [(Duration.zero, false), (.seconds(-1), false), (.seconds(Int64.max), true)] {
      let pipeline = self.pipeline(loader, maxAge: .init(originals: age, results: age))
      _ = try await pipeline.image(for: full())
      await pipeline.settle()
      #expect(try await (pipeline.cache.data(for: full()) != nil) == isKept)
    }
  }

  @Test("what a program stores itself has the same ages")
  func storedByPrograms() async throws {
    let pipeline = pipeline(try loader(), maxAge: .init(originals: .seconds(100), results: .seconds(10)))
    let data = try LoadSamples.noise(60, 60)
    try await pipeline.cache.store(data, for: full())
    try await pipeline.cache.store(try CoderRegistry.standard.decode(data), for: thumbnail())
    let disk = DiskCache(folder.configuration, now: { [time] in time.date })
    #expect(Set(try await disk.entries().map { $0.metadata.expires }) == [time.date + 100, time.date + 10])
  }
}
