import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// What is removed stays away, whatever goes on meanwhile.
@Suite("Removals while images are made", .timeLimit(.minutes(5)))
struct RemovalTests {
  /// What goes on when the removal begins, and ends after it.
  enum Moment: CaseIterable {
    case loading, confirming, readingResult, readingOriginal, storingOriginal, storingResult
  }

  enum Removal: CaseIterable {
    case request, ofSource, prefix, tag, everything
  }

  /// A cache whose reads hand out late what they found, and whose stores happen late.
  private final class LateCache: DataCaching {
    let inner: FaultyCache
    private let held = Lock<(verb: FaultyCache.Verb, key: CacheKey, gate: Gate)?>(nil)
    let reached = Gate()

    init(_ inner: FaultyCache) { self.inner = inner }

    func hold(_ verb: FaultyCache.Verb, _ key: CacheKey, at gate: Gate) {
      held.withLock { $0 = (verb, key, gate) }
    }

    private func pass(_ verb: FaultyCache.Verb, _ key: CacheKey) async {
      guard let held = held.withLock({ $0 }), held.verb == verb, held.key == key else { return }
      reached.open()
      try? await held.gate.wait()
    }

    func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
      let record = try await inner.read(key)
      await pass(.read, key)
      return record
    }

    func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
      await pass(.store, key)
      try await inner.store(data, metadata: metadata, for: key)
    }

    func contains(_ key: CacheKey) async throws(CachingError) -> Bool { try await inner.contains(key) }
    func remove(_ key: CacheKey) async throws(CachingError) -> Bool { try await inner.remove(key) }
    func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
      try await inner.removeAll(selection)
    }
    func removeAll() async throws(CachingError) -> Int { try await inner.removeAll() }
    func flush() async throws(CachingError) { try await inner.flush() }
  }

  private let time = ManualTime()

  private func pipeline(_ cache: any DataCaching, _ loader: FakeLoader) -> ImagePipeline {
    let time = time
    return ImagePipeline(
      .init(
        loader: loader, memoryCache: MemoryCache(byteLimit: 1 << 20, now: { time.instant }), diskCache: cache,
        now: { time.date }))
  }

  @Test(arguments: Moment.allCases, Removal.allCases)
  func nothingComesBack(moment: Moment, removal: Removal) async throws {
    let time = time
    let records = FaultyCache(now: { time.date })
    let cache = LateCache(records)
    let loader = FakeLoader()
    let url = try LoadSamples.url("h")
    var reply = FakeReply.body(
      try SampleImages.still(width: 20, height: 20), headers: [.cacheControl: "max-age=100", .eTag: "\"1\""])
    var request = ImageRequest(url: url, thumbnail: .fit(width: 4, height: 4))
    request.tags = ["tag"]
    let pipeline = pipeline(cache, loader)
    let plan = ResolvedRequest(pipeline.prepared(request), pipeline.configuration)
    let resultKey = try #require(plan.resultKey)
    let gate = Gate()

    // What is there before.
    loader.route(url, reply)
    switch moment {
    case .loading, .storingOriginal, .storingResult: break
    case .readingOriginal:
      var other = request
      other.thumbnail = .fit(width: 8, height: 8)
      let before = self.pipeline(records, loader)
      _ = try await before.image(for: other)
      await before.settle()
    case .confirming, .readingResult:
      let before = self.pipeline(records, loader)
      _ = try await before.image(for: request)
      await before.settle()
      if moment == .confirming { time.advance(by: .seconds(101)) }
    }
    switch moment {
    case .loading, .confirming: reply = reply.behind(gate)
    case .readingResult: cache.hold(.read, resultKey, at: gate)
    case .readingOriginal: cache.hold(.read, request.sourceKey, at: gate)
    case .storingOriginal: cache.hold(.store, request.sourceKey, at: gate)
    case .storingResult: cache.hold(.store, resultKey, at: gate)
    }
    loader.route(url, reply)

    let count = loader.requests.count
    let task = Task { [request] in try await pipeline.image(for: request) }
    switch moment {
    case .loading, .confirming: try await loader.waitForRequests(url, count: count + 1)
    default: try await cache.reached.wait()
    }
    switch removal {
    case .request: try await pipeline.cache.remove(request)
    case .ofSource: try await pipeline.cache.removeAll(of: request)
    case .prefix: try await pipeline.cache.removeAll(.sourcePrefix("http://h/"))
    case .tag: try await pipeline.cache.removeAll(.tag("tag"))
    case .everything: try await pipeline.cache.removeAll()
    }
    gate.open()
    #expect(try await task.value.width == 4)
    await pipeline.settle()
    #expect(pipeline.cachedImage(for: request) == nil)
    // What was found before the removal counts for nothing: the image is loaded anew, after it, and may be kept.
    let isLoadedAnew = moment == .readingResult || moment == .readingOriginal
    // What a server confirms is not there any more.
    #expect(loader.requests.count == count + (moment == .confirming ? 2 : 1))
    let left = Set(records.keys.map(\.text))
    #expect(!left.contains(resultKey.text))
    // The other result that was made of the original is not meant by the removal of one.
    let other = removal == .request && moment == .readingOriginal ? 1 : 0
    #expect(left.count == (isLoadedAnew ? 1 : 0) + other, "\(left)")
  }

  @Test("requests made after a removal get nothing from before, though others join jobs all the time")
  func joiningMeanwhile() async throws {
    let bodies = try [PixelColor.black, .white].map {
      try SampleImages.still(width: 4096, height: 8, color: $0)
    }
    let url = try LoadSamples.url("h")
    for _ in 0..<40 {
      let current = Lock(0)
      let gate = Gate()
      let loader = FakeLoader { request in
        request.source.url == url
          ? FakeReply.body(bodies[current.withLock { $0 }]).behind(gate) : .hang
      }
      var configuration = ImagePipeline.Configuration(
        loader: loader, memoryCache: MemoryCache(), diskCache: nil)
      (configuration.limits.waitingRequests, configuration.limits.callers) = (100_000, 100_000)
      configuration.limits.loads = 100
      let pipeline = ImagePipeline(configuration)
      // Jobs that the removal looks at, and does not mean.
      let others = try (0..<50).map { index in
        let url = try LoadSamples.url("other\(index)")
        return Task { try await pipeline.image(for: ImageRequest(url: url)) }
      }
      let request = { @Sendable in ImageRequest(url: url, thumbnail: .fit(width: $0, height: $0)) }
      let first = Task { try await pipeline.image(for: request(4000)) }
      try await loader.waitForRequests(url)
      try await eventually { pipeline.statistics.runningImageJobs > others.count }
      current.withLock { $0 = 1 }
      let joined = Lock((count: 0, isOver: false))
      let joining = Task.detached {
        var tasks: [Task<Image, any Error>] = []
        while tasks.count < 2000, !joined.withLock({ $0.isOver }) {
          let side = 10 + tasks.count
          tasks.append(Task { try await pipeline.image(for: request(side)) })
          joined.withLock { $0.count += 1 }
          await Task.yield()
        }
        return tasks
      }
      try await eventually { joined.withLock { $0.count } > 4 }
      try await pipeline.cache.removeAll(of: request(4000))
      joined.withLock { $0.isOver = true }
      let before = await joining.value
      // For the same jobs as those, if they have not been detached.
      let after = before.indices.map { side in Task { try await pipeline.image(for: request(10 + side)) } }
      try await eventually { await pipeline.subscribers >= after.count + others.count }
      gate.open()
      for task in after {
        #expect(try await task.value.bitmap.withUnsafeBytes { $0[0] } > 0)
      }
      for task in before { _ = try await task.value }
      _ = try await first.value
      for task in others { task.cancel() }
      for task in others { _ = await task.result }
    }
  }
}
