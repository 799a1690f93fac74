import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

/// Requests whose transforms begin alike share what these make.
@Suite("Shared transforms", .timeLimit(.minutes(5)))
struct TransformSharingTests {
  /// Counts how often it is applied, and adds to the first byte.
  private struct Counting: ImageTransforming {
    let name: String
    let amount: UInt8
    let count = Lock(0)
    var gate: Gate?
    var failure: ImagingError?

    var identity: String { "counting:\(name)" }

    func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      count.withLock { $0 += 1 }
      gate?.waitBlocking()
      if let failure { throw failure }
      return try Bitmap(size: bitmap.size) { pixels throws(ImagingError) in
        bitmap.withUnsafeBytes { source in
          for index in pixels.indices {
            pixels[index] = index % 4 == 0 ? source[index] &+ amount : source[index]
          }
        }
        return bitmap.isOpaque
      }
    }
  }

  private func pipeline(_ server: ScriptedHTTPServer, gate: Gate? = nil) throws -> ImagePipeline {
    let png = try Samples.png(shade: 10)
    server.route("/a.png", gate.map { .gated([($0, png)]) } ?? .resource(png))
    return .isolated()
  }

  private func red(_ image: Image) -> UInt8 { image.bitmap.withUnsafeBytes { $0[0] } }

  private func request(_ server: ScriptedHTTPServer, _ steps: Counting...) -> ImageRequest {
    ImageRequest(
      url: server.url("/a.png"), transforms: .chain(TransformChain(steps.map { ImageTransform($0) })))
  }

  @Test("the same source with different transforms: one load, one decode, each transform once")
  func differentTransforms() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    let pipeline = try pipeline(server, gate: gate)
    let (a, b) = (Counting(name: "a", amount: 1), Counting(name: "b", amount: 2))
    async let first = pipeline.image(for: request(server, a))
    async let second = pipeline.image(for: request(server, b))
    // Both requests, and each of them in the decode.
    try await eventually { await pipeline.subscribers >= 4 }
    gate.open()
    #expect(try await red(first) == 11)
    #expect(try await red(second) == 12)
    let statistics = pipeline.statistics
    #expect((statistics.loads, statistics.decodes, statistics.transforms) == (1, 1, 2))
    await pipeline.settle()
  }

  @Test(
    "[a, b] and [a]: a is applied once, and its result is what b is applied to", arguments: [true, false])
  func prefix(longFirst: Bool) async throws {
    let server = try ScriptedHTTPServer()
    let pipeline = try pipeline(server)
    let gate = Gate()
    let (a, b) = (Counting(name: "a", amount: 1, gate: gate), Counting(name: "b", amount: 2))
    let long = request(server, a, b)
    let short = request(server, a)
    let requests = longFirst ? [long, short] : [short, long]
    let tasks = try await requests.asyncMap { request in
      let task = Task { try await pipeline.image(for: request) }
      try await eventually { a.count.withLock({ $0 }) > 0 }
      return task
    }
    // Both requests, the longer one in the shorter one, and that one in the decode.
    try await eventually { await pipeline.subscribers >= 4 }
    gate.open()
    let values = try await tasks.asyncMap { red(try await $0.value) }
    #expect(values == (longFirst ? [13, 11] : [11, 13]))
    #expect(a.count.withLock { $0 } == 1)
    #expect(b.count.withLock { $0 } == 1)
    await pipeline.settle()
  }

  @Test("only what was asked for is cached; what is cached is where the rest begins, without a load")
  func intermediates() async throws {
    let server = try ScriptedHTTPServer()
    let pipeline = try pipeline(server)
    let (a, b) = (Counting(name: "a", amount: 1), Counting(name: "b", amount: 2))
    let (long, short) = (request(server, a, b), request(server, a))
    #expect(try await red(pipeline.image(for: long)) == 13)
    await pipeline.settle()
    #expect(pipeline.cachedImage(for: long) != nil)
    #expect(pipeline.cachedImage(for: short) == nil)
    #expect(pipeline.cachedImage(for: request(server)) == nil)
    #expect(try await red(pipeline.image(for: short)) == 11)
    await pipeline.settle()
    let c = Counting(name: "c", amount: 5)
    let loads = pipeline.statistics.loads
    #expect(try await red(pipeline.image(for: request(server, a, c))) == 16)
    #expect(a.count.withLock { $0 } == 2)
    #expect(pipeline.statistics.loads == loads)
    await pipeline.settle()
  }

  @Test("a result on disk is where the rest begins as well")
  func intermediatesOnDisk() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png(shade: 10)))
    let folder = try CacheFolder()
    let (a, b) = (Counting(name: "a", amount: 1), Counting(name: "b", amount: 2))
    do {
      let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
      var short = request(server, a)
      short.storeTiers = [.disk]
      _ = try await pipeline.image(for: short)
      try await pipeline.cache.flush()
    }
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    #expect(try await red(pipeline.image(for: request(server, a, b))) == 13)
    #expect(a.count.withLock { $0 } == 1)
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("a transform that fails is an error for all who need it, nothing is cached, and others go on")
  func failing() async throws {
    let server = try ScriptedHTTPServer()
    let pipeline = try pipeline(server)
    let failure = ImagingError.invalidParameter(name: "a", reason: "never")
    let bad = Counting(name: "bad", amount: 1, failure: failure)
    let good = Counting(name: "good", amount: 2)
    let requests = [request(server, bad), request(server, bad, good), request(server, good)]
    let results = await requests.asyncMap { request in
      await Task { try await pipeline.image(for: request) }.result
    }
    #expect(throws: failure) { try results[0].get() }
    #expect(throws: failure) { try results[1].get() }
    let third = try results[2].get()
    #expect(red(third) == 12)
    await pipeline.settle()
    #expect(pipeline.cachedImage(for: requests[0]) == nil)
    #expect(pipeline.cachedImage(for: requests[1]) == nil)
    #expect(pipeline.statistics.runningImageJobs == 0)
  }

  @Test("a chain step by step has the pixels of the chain at once")
  func pixels() async throws {
    let data = try Samples.photo("stream.jpg")
    let chain: TransformChain = [
      .resize(width: 300, height: 200), .rotate(degrees: 90), .blur(sigma: 2), .grayscale(), .sepia(),
      .roundedCorners(12),
    ]
    let pipeline = ImagePipeline.isolated()
    for thumbnail in [nil, Thumbnail.fit(width: 500, height: 500)] {
      let request = ImageRequest(
        source: .data(data, id: "stream"), thumbnail: thumbnail, transforms: .chain(chain))
      let image = try await pipeline.image(for: request)
      let expected = try CoderRegistry.standard.decode(
        data, options: DecodeOptions(thumbnail: thumbnail, transforms: chain))
      #expect(image.bitmap == expected.bitmap)
    }
    await pipeline.settle()
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// One after the other.
  func asyncMap<Result: Sendable>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
