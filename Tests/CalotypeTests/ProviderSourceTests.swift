import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Images whose bytes a closure provides.
@Suite("Providers of bytes", .timeLimit(.minutes(1)))
struct ProviderSourceTests {
  /// Counts the calls of the closure, and provides an image of a shade.
  private final class Rows: Sendable {
    private let state = Lock((calls: 0, shade: UInt8(1)))

    var calls: Int { state.withLock { $0.calls } }
    var shade: UInt8 {
      get { state.withLock { $0.shade } }
      set { state.withLock { $0.shade = newValue } }
    }

    func fetch() throws -> Data {
      let shade = state.withLock { state in
        state.calls += 1
        return state.shade
      }
      return try Samples.png(shade: shade)
    }
  }

  private let folder: CacheFolder
  private let rows = Rows()

  init() throws { folder = try CacheFolder() }

  /// A pipeline as a process has that starts now.
  private func pipeline() -> ImagePipeline { .isolated(disk: folder.diskCache()) }

  private func request(version: String?, id: String = "row 7", width: Int? = nil) -> ImageRequest {
    let rows = rows
    return ImageRequest(
      source: .provider(id: id, version: version) { try rows.fetch() },
      thumbnail: width.map { .fit(width: $0, height: 100) })
  }

  private func shade(_ pipeline: ImagePipeline, _ request: ImageRequest) async throws -> UInt8 {
    let image = try await pipeline.image(for: request)
    await pipeline.settle()
    return image.bitmap.withUnsafeBytes { $0[0] }
  }

  @Test(
    "an image that is rendered is an original: thumbnails, caches and encoded forms are made of its pixels")
  func rendered() async throws {
    let rows = rows
    let bitmap = try SampleImages.bitmap(width: 40, height: 20)
    func request(_ version: String?, width: Int? = nil) -> ImageRequest {
      let source = ImageSource.rendered(id: "chart", version: version) {
        _ = try rows.fetch()
        return Image(bitmap: bitmap)
      }
      return ImageRequest(source: source, thumbnail: width.map { .fit(width: $0, height: 100) })
    }
    let first = pipeline()
    let whole = try await first.image(for: request("1"))
    #expect(whole.bitmap.bytes.withUnsafeBytes(Array.init) == bitmap.bytes.withUnsafeBytes(Array.init))
    #expect(try await first.image(for: request("1", width: 10)).size == PixelSize(width: 10, height: 5))
    #expect(try await first.encoded(request("1", width: 10), as: .webp()).width == 10)
    await first.settle()
    #expect(rows.calls == 1)
    let second = pipeline()
    #expect(try await second.response(for: request("1")).source == .diskOriginal && rows.calls == 1)
    _ = try await second.image(for: request("2"))
    #expect(rows.calls == 2)
    for _ in 0..<2 { _ = try await second.image(for: request(nil)) }
    #expect(rows.calls == 4)
    await second.settle()
  }

  @Test("the failure of a rendering reaches the caller, and limits hold for its image")
  func renderedFailure() async throws {
    struct Refusal: Error {}
    let pipeline = pipeline()
    let failing = ImageRequest(source: .rendered(id: "a", version: "1") { throw Refusal() })
    let error = await #expect(throws: LoadingError.self) { try await pipeline.image(for: failing) }
    #expect(error?.code == "sourceFailed")
    let bitmap = try SampleImages.bitmap(width: 40, height: 20)
    var large = ImageRequest(source: .rendered(id: "b", version: "1") { Image(bitmap: bitmap) })
    large.limits = DecodeLimits(maxPixels: 100)
    let limit = await #expect(throws: ImagingError.self) { try await pipeline.image(for: large) }
    #expect(limit?.code == "limitExceeded")
  }

  @Test("a version is cached in memory and on disk, and another one is another image", arguments: [nil, 4])
  func versions(width: Int?) async throws {
    let first = pipeline()
    #expect(try await shade(first, request(version: "1", width: width)) == 1)
    rows.shade = 2
    #expect(try await shade(first, request(version: "1", width: width)) == 1)
    #expect(first.cachedImage(for: request(version: "1", width: width)) != nil)
    let second = pipeline()
    let found = try await second.response(for: request(version: "1", width: width))
    #expect(found.source == (width == nil ? .diskOriginal : .disk))
    #expect(rows.calls == 1)
    #expect(try await shade(second, request(version: "2", width: width)) == 2)
    #expect(try await shade(second, request(version: "1", id: "row 8", width: width)) == 2)
    #expect(rows.calls == 3)
  }

  @Test("without a version nothing is kept, neither in memory nor on disk", arguments: [nil, 4])
  func withoutVersion(width: Int?) async throws {
    let pipeline = pipeline()
    #expect(try await shade(pipeline, request(version: nil, width: width)) == 1)
    rows.shade = 2
    #expect(try await shade(pipeline, request(version: nil, width: width)) == 2)
    #expect(rows.calls == 2)
    #expect(await pipeline.cache.tiers(of: request(version: nil, width: width)).isEmpty)
    #expect(try await folder.diskCache().entries().isEmpty)
    // Not even for a policy that trusts everything that is there.
    var only = request(version: nil, width: width)
    only.cachePolicy = .cacheOnly
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: only) }
  }

  @Test("requests at the same time share one call", arguments: [nil, "1"])
  func coalescing(version: String?) async throws {
    let (gate, calls) = (Gate(), Lock(0))
    let pipeline = pipeline()
    let png = try Samples.png()
    let request = ImageRequest(
      source: .provider(id: "a", version: version) {
        calls.withLock { $0 += 1 }
        try await gate.wait()
        return png
      })
    let tasks = (0..<10).map { _ in Task { try await pipeline.image(for: request) } }
    try await eventually { await pipeline.subscribers == 10 }
    gate.open()
    for task in tasks { #expect(try await task.value.width == 8) }
    #expect(calls.withLock { $0 } == 1)
    await pipeline.settle()
  }

  @Test("keys have the version, also before a pipeline has seen the request")
  func keys() {
    let keys = [nil, "1", "2"].map { request(version: $0).key }
    #expect(Set(keys).count == 3)
    #expect(Set([nil, "1", "2"].map { request(version: $0).sourceKey }).count == 3)
    #expect(request(version: "1") == request(version: "1"))
    #expect(request(version: "1") != request(version: "2"))
    let loader = LoaderGroup.standard
    #expect(request(version: "1").versioned(by: loader).key == request(version: "1").key)
  }

  @Test("errors of the closure, and its cancellation, which is not that of the caller")
  func errors() async throws {
    struct Gone: Error {}
    let pipeline = pipeline()
    let failing: [(fetch: DataProvider.Fetch, code: String)] = [
      ({ throw Gone() }, "sourceFailed"), ({ throw CancellationError() }, "sourceFailed"),
      ({ Data() }, "emptyBody"),
    ]
    for (fetch, code) in failing {
      let request = ImageRequest(source: .provider(id: "a", version: "1", fetch: fetch))
      let error = await #expect(throws: LoadingError.self) { try await pipeline.image(for: request) }
      #expect(error?.code == code)
    }
    // A failure is not kept: the next one is asked.
    let png = try Samples.png()
    let request = ImageRequest(source: .provider(id: "a", version: "1") { png })
    #expect(try await pipeline.image(for: request).width == 8)
    await pipeline.settle()
  }

  @Test("what the request allows is the limit, and the bytes count in the memory of the pipeline")
  func limits() async throws {
    let pipeline = pipeline()
    let png = try Samples.png(width: 300, height: 300)
    var request = ImageRequest(source: .provider(id: "a") { png })
    request.limits = pipeline.configuration.decodeLimits
    request.limits?.maxBytes = png.count - 1
    let small = request
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: small) }
    request.limits?.maxBytes = png.count
    #expect(try await pipeline.image(for: request).width == 300)
    await pipeline.settle()
    #expect(pipeline.statistics.peakHeldBytes >= png.count + 300 * 300 * 4)
    #expect(pipeline.statistics.heldBytes == 0)
  }

  @Test("a loader of one's own for providers decides by its own rule")
  func ownLoader() async throws {
    let png = try Samples.png(shade: 9)
    var loader = ClosureLoader(accepts: { if case .provider = $0 { true } else { false } }) { _ in
      LoadResponse(url: URL(filePath: "/"), expectedLength: png.count, body: LoadBody([png]))
    }
    loader.cachingRule = .never
    let pipeline = ImagePipeline.isolated(
      disk: folder.diskCache(), loader: LoaderGroup.standard.adding(loader))
    #expect(try await shade(pipeline, request(version: "1")) == 9)
    #expect(try await folder.diskCache().entries().isEmpty)
    #expect(rows.calls == 0)
  }
}
