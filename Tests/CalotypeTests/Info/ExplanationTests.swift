import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Explanations of requests", .timeLimit(.minutes(1)))
struct ExplanationTests {
  private typealias Step = RequestExplanation.Step

  private func steps(_ explanation: RequestExplanation) -> [String] {
    explanation.steps.map { "\($0.place.rawValue) \($0.outcome.rawValue)" }
  }

  @Test("each place is named with its answer, as the request itself finds it afterwards")
  func tiers() async throws {
    let time = ManualTime()
    let url = try LoadSamples.url("user:secret@h")
    let loader = FakeLoader([
      url: .body(
        try LoadSamples.noise(80, 60), headers: [.cacheControl: "max-age=100", .eTag: "\"1\""])
    ])
    let disk = FaultyCache()
    func pipeline() -> ImagePipeline {
      LoadSamples.pipeline(loader) { configuration in
        configuration.memoryCache = MemoryCache(now: { time.instant })
        configuration.diskCache = disk
        configuration.now = { time.date }
      }
    }
    let first = pipeline()
    let request = ImageRequest(url: url, thumbnail: .fit(width: 20, height: 20))
    let cold = await first.explain(request)
    #expect(steps(cold) == ["memory absent", "disk absent", "originals absent", "loader asked"])
    #expect(cold.prediction == nil && !cold.description.contains("secret") && !cold.source.contains("secret"))
    #expect(loader.requests.isEmpty)
    _ = try await first.image(for: request)
    await first.settle()
    #expect(steps(await first.explain(request)) == ["memory used"])
    let second = pipeline()
    let stored = await second.explain(request)
    #expect(steps(stored) == ["memory absent", "disk used"])
    let prediction = try #require(stored.prediction)
    #expect(prediction.format == "png" && prediction.originalWidth == 80 && prediction.originalHeight == 60)
    #expect(prediction.width == 20 && prediction.height == 15 && prediction.pixelByteCount == 20 * 15 * 4)
    #expect(prediction.decodeByteCount > 0 && prediction.decodeMilliseconds > 0)
    #expect(try await second.response(for: request).source == .disk)
    let third = pipeline()
    let larger = ImageRequest(url: url, thumbnail: .fit(width: 40, height: 40))
    #expect(steps(await third.explain(larger)) == ["memory absent", "disk absent", "originals used"])
    // As it is decoded, the whole image is that of the original.
    #expect(
      steps(await third.explain(ImageRequest(url: url))) == [
        "memory absent", "disk notAsked", "originals used",
      ])
    time.advance(by: .seconds(200))
    #expect(
      steps(await first.explain(request)) == [
        "memory stale", "disk stale", "originals stale", "loader askedConditionally",
      ])
    var trusting = request
    trusting.cachePolicy = .ignoreHTTPFreshness
    #expect(steps(await first.explain(trusting)) == ["memory used"])
    var showing = larger
    showing.cachePolicy = .staleWhileRevalidate
    #expect(
      steps(await third.explain(showing)) == [
        "memory absent", "disk absent", "originals usedWhileRevalidating", "loader askedConditionally",
      ])
    var caches = larger
    caches.cachePolicy = .cacheOnly
    #expect(steps(await pipeline().explain(caches)) == ["memory absent", "disk absent", "originals used"])
    caches.source = .url(try LoadSamples.url("h", "other"))
    #expect(
      steps(await first.explain(caches)) == [
        "memory absent", "disk absent", "originals absent", "loader fails",
      ])
    var direct = request
    direct.cachePolicy = .reload
    #expect(
      steps(await first.explain(direct)) == [
        "memory notAsked", "disk notAsked", "originals notAsked", "loader asked",
      ])
    #expect(loader.requests.count == 1)
    #expect(first.statistics.staleHits == 0 && first.statistics.negativeHits == 0)
  }

  @Test("a request that cannot succeed says why, and an explanation is readable by machines")
  func failing() async throws {
    let url = try #require(URL(string: "http://127.0.0.1/a.png"))
    let pipeline = ImagePipeline(urls: .untrusted) { $0.diskCache = nil }
    let explanation = await pipeline.explain(ImageRequest(url: url))
    #expect(steps(explanation) == ["loader fails"])
    #expect(explanation.steps[0].reason?.contains("127.0.0.1") == true)
    let data = try JSONEncoder().encode(explanation)
    #expect(try JSONDecoder().decode(RequestExplanation.self, from: data) == explanation)
  }
}
