import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// Hooks and rules that belong to one request: each reaches the loader or the decoder, and keeps its results apart.
@Suite("Hooks of a request", .timeLimit(.minutes(1)))
struct RequestHookTests {
  private let folder: CacheFolder
  private let url: URL
  private let transport = FakeLoader()

  init() throws {
    folder = try CacheFolder()
    url = try #require(URL(string: "http://images.test/a.png"))
    transport.route(url, .body(try Samples.png(), headers: [.cacheControl: "max-age=100"]))
  }

  /// A pipeline as a process has that starts now: over `HTTPLoader`, which carries out hooks itself, or over another
  /// loader.
  private func pipeline(http: Bool = true) -> ImagePipeline {
    var configuration = HTTPLoader.Configuration()
    configuration.retry = RetryPolicy(maxRetries: 1, baseDelay: .zero)
    let loader: any ImageLoading =
      http ? LoaderGroup([HTTPLoader(configuration, transport: transport)]) : transport
    return .isolated(disk: folder.diskCache(), loader: loader)
  }

  private func request(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
    var request = ImageRequest(url: url)
    change(&request)
    return request
  }

  private func shade(_ pipeline: ImagePipeline, _ request: ImageRequest) async throws -> UInt8 {
    let image = try await pipeline.image(for: request)
    await pipeline.settle()
    return image.bitmap.withUnsafeBytes { $0[0] }
  }

  private func failure(_ pipeline: ImagePipeline, _ request: ImageRequest) async -> LoadingError? {
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: request) }
  }

  // MARK: Interceptors

  private struct Authorizing: LoadIntercepting {
    let token: String
    let calls = EventRecord()
    var identity: String { token }

    func request(_ request: LoadRequest) async throws -> LoadRequest {
      calls.add("request")
      var request = request
      request.credential = .bearer(token)
      return request
    }

    func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
      calls.add("\(response.status ?? 0) \(request.credential?.description ?? "")")
      return response
    }
  }

  private final class EventRecord: Sendable {
    private let events = Lock<[String]>([])
    var all: [String] { events.withLock { $0 } }
    func add(_ event: String) { events.withLock { $0.append(event) } }
  }

  @Test("an interceptor reaches the loader, and its images are apart", arguments: [true, false])
  func interceptor(http: Bool) async throws {
    let (plain, ann, bob) = (try Samples.png(), try Samples.png(shade: 10), try Samples.png(shade: 20))
    transport.route(url) { request in
      let body =
        switch request.credential {
        case .bearer("ann"): ann
        case .bearer("bob"): bob
        default: plain
        }
      return .body(body, headers: [.cacheControl: "max-age=100"])
    }
    let pipeline = pipeline(http: http)
    // Twice: the second time all are in the caches.
    for _ in 0..<2 {
      for (token, shade) in [(nil, 128), ("ann", 10), ("bob", 20)] as [(String?, UInt8)] {
        let request = request { request in
          request.interceptor = token.map {
            ImageRequest.Identified<any LoadIntercepting>("authorizing", Authorizing(token: $0))
          }
        }
        #expect(try await self.shade(pipeline, request) == shade)
        #expect(!request.key.text.contains("ann") && !request.key.text.contains("bob"))
      }
    }
    #expect(transport.requests.count == 3)
    #expect(transport.requests.map(\.credential) == [nil, .bearer("ann"), .bearer("bob")])
  }

  @Test(
    "an interceptor sees each attempt of the loader of HTTP, and all others once", arguments: [true, false])
  func attempts(http: Bool) async throws {
    let authorizing = Authorizing(token: "t")
    let body = FakeReply.body(try Samples.png(), headers: [.cacheControl: "max-age=100"])
    if http { transport.route(url, .status(503), body) } else { transport.route(url, body) }
    let request = request { $0.interceptor = .init("t", authorizing) }
    #expect(try await shade(pipeline(http: http), request) == 128)
    let exchange = ["request", "200 Bearer"]
    #expect(authorizing.calls.all == (http ? ["request", "503 Bearer"] : []) + exchange)
  }

  @Test("an interceptor may forbid the load, or accept any status", arguments: [true, false])
  func decisions(http: Bool) async throws {
    struct Sundays: Error, CustomStringConvertible { let description = "not on Sundays" }
    struct Deciding: LoadIntercepting {
      let forbids: Bool
      let identity = ""
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        if forbids { throw Sundays() }
        return request
      }
      func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
        var response = response
        if response.status == 404 { response.status = 200 }
        return response
      }
    }
    transport.route(url, .body(try Samples.png(shade: 4), status: 404))
    let pipeline = pipeline(http: http)
    let forbidden = request { $0.interceptor = .init("forbids", Deciding(forbids: true)) }
    #expect(await failure(pipeline, forbidden) == .vetoed(url, reason: "not on Sundays"))
    #expect(transport.requests.isEmpty)
    #expect(
      try await shade(pipeline, request { $0.interceptor = .init("takes", Deciding(forbids: false)) }) == 4)
    #expect(await failure(pipeline, request())?.code == "httpStatus")
  }

  // MARK: Transforms of bodies

  /// Delivers other bytes than the server's.
  private struct Replacing: BodyTransforming {
    let body: Data
    var identity: String { "replacing(\(body.count) \(body.reduce(0) { $0 &* 31 &+ Int($1) }))" }

    func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)? {
      Replacement(body: body)
    }

    struct Replacement: ChunkTransforming {
      let body: Data
      mutating func transform(_ chunk: Data) -> Data { Data() }
      mutating func finish() -> Data { body }
    }
  }

  @Test("a transform of the body reaches the loader, and its images are apart", arguments: [true, false])
  func bodyTransform(http: Bool) async throws {
    let pipeline = pipeline(http: http)
    for _ in 0..<2 {
      for shade in [128, 5, 6] as [UInt8] {
        let body = try Samples.png(shade: shade)
        let request = request { request in
          if shade != 128 { request.bodyTransform = .init("replacing", Replacing(body: body)) }
        }
        #expect(try await self.shade(pipeline, request) == shade)
      }
    }
    #expect(transport.requests.count == 3)
    #expect(try await folder.diskCache().entries().count == 3)
  }

  @Test("bytes that a transform has broken are not held against the source")
  func rejections() async throws {
    let pipeline = pipeline()
    let broken = request { $0.bodyTransform = .init("broken", Replacing(body: Data("no image".utf8))) }
    for _ in 0..<2 { await #expect(throws: (any Error).self) { try await pipeline.image(for: broken) } }
    #expect(transport.requests.count == 1)
    #expect(try await shade(pipeline, request()) == 128)
  }

  // MARK: Statuses and validation

  @Test("statuses reach the loader, and images of theirs are apart, also on disk", arguments: [true, false])
  func statuses(http: Bool) async throws {
    transport.route(
      url, .body(try Samples.png(shade: 4), status: 404, headers: [.cacheControl: "max-age=100"]))
    let taking = request { $0.statuses = .success.union(404...404) }
    let first = pipeline(http: http)
    #expect(await failure(first, request())?.code == "httpStatus")
    #expect(try await shade(first, taking) == 4)
    await first.settle()
    let second = pipeline(http: http)
    #expect(try await second.response(for: taking).source == .diskOriginal)
    #expect(await failure(second, request())?.code == "httpStatus")
    #expect(transport.requests.count == 2)
    // Equal sets are equal, however they were written.
    let same = request { $0.statuses = .init(404...404, 250...299, 200...260) }
    #expect(same.key == taking.key && same == taking)
    #expect(request { $0.statuses = .success.union(210...220) }.key == request().key)
  }

  @Test("a validation refuses heads, and nothing that it has not seen is used", arguments: [true, false])
  func validation(http: Bool) async throws {
    struct Refused: Error, CustomStringConvertible { let description = "too old" }
    let pipeline = pipeline(http: http)
    #expect(try await shade(pipeline, request()) == 128)
    let seen = EventRecord()
    let strict = request { request in
      request.validation = .init("strict") { response in
        seen.add("\(response.status ?? 0)")
        if response.headers[.age] == nil { throw Refused() }
      }
    }
    #expect(await failure(pipeline, strict) == .vetoed(url, reason: "too old"))
    transport.route(
      url, .body(try Samples.png(shade: 4), headers: [.cacheControl: "max-age=100", .age: "1"]))
    #expect(try await shade(pipeline, strict) == 4)
    // Found in the cache, it has been seen.
    #expect(try await shade(pipeline, strict) == 4)
    #expect(seen.all == ["200", "200"])
    #expect(try await shade(pipeline, request()) == 128)
    #expect(transport.requests.count == 3)
  }

  @Test("a validation sees no 304")
  func confirmations() async throws {
    let reply = FakeReply.body(
      try Samples.png(), headers: [.cacheControl: "max-age=0", .eTag: "\"1\""])
    transport.route(url, reply)
    let seen = EventRecord()
    let request = request { $0.validation = .init("watching") { seen.add("\($0.status ?? 0)") } }
    for _ in 0..<2 { #expect(try await shade(pipeline(), request) == 128) }
    #expect(transport.requests.count == 2)
    #expect(seen.all == ["200"])
  }

  @Test("hooks apply to sources of other loaders too")
  func otherSources() async throws {
    let png = try Samples.png(shade: 6)
    var request = ImageRequest(source: .provider(id: "a", version: "1") { Data([1, 2, 3]) })
    request.bodyTransform = .init("replacing", Replacing(body: png))
    let pipeline = ImagePipeline.isolated()
    #expect(try await shade(pipeline, request) == 6)
    request.validation = .init("never") { _ in throw CancellationError() }
    #expect(await failure(pipeline, request)?.code == "sourceFailed")
  }

  @Test("requests with different hooks do not share a load")
  func noSharing() async throws {
    let gate = Gate()
    transport.route(url, .body(try Samples.png()).behind(gate))
    let pipeline = pipeline()
    // As many as one origin may load at a time.
    let requests = [
      request(), request { $0.interceptor = .init("a", Authorizing(token: "a")) },
      request { $0.interceptor = .init("b", Authorizing(token: "a")) },
      request { $0.bodyTransform = .init("a", Replacing(body: Data())) },
      request { $0.validation = .init("a") { _ in } },
      request { $0.statuses = .any },
    ]
    #expect(Set(requests.map(\.sourceKey)).count == requests.count)
    let tasks = requests.map { request in Task { _ = try? await pipeline.image(for: request) } }
    try await transport.waitForRequests(url, count: requests.count)
    gate.open()
    for task in tasks { await task.value }
    await pipeline.settle()
  }

  // MARK: Progress

  @Test("each request hears of progress in its own steps, of one shared load")
  func progressStep() async throws {
    let png = try Samples.png(width: 400, height: 400)
    let count = 20
    let size = (png.count + count - 1) / count
    let gates = (0..<count).map { _ in Gate() }
    transport.route(
      url,
      .gated(
        gates.enumerated().map { index, gate -> (gate: Gate?, data: Data) in
          (gate, Data(png[min(png.count, index * size)..<min(png.count, (index + 1) * size)]))
        }))
    let pipeline = pipeline()
    let coarse = pipeline.load(request { $0.progressStep = 0.5 })
    let fine = pipeline.load(request())
    #expect(coarse.request.key == fine.request.key)
    let heard = Task {
      var heard: [Int] = []
      for await progress in coarse.progress { heard.append(progress.received) }
      return heard
    }
    while await pipeline.subscribers < 1 { await Task.yield() }
    gates[0].open()
    var next = 1
    for await progress in fine.progress where next < count {
      while next < count, next * size <= progress.received {
        gates[next].open()
        next += 1
      }
    }
    for gate in gates { gate.open() }
    #expect(try await coarse.image.width == 400)
    let received = await heard.value
    #expect(!received.isEmpty)
    for (one, other) in zip(received, received.dropFirst()) {
      #expect(other - one >= png.count / 2 || other == png.count)
    }
    #expect(received.count <= 3)
    #expect(transport.requests.count == 1)
    await pipeline.settle()
  }

  // MARK: Values

  @Test("values are stored with the original and the result, and do not tell requests apart")
  func userInfo() async throws {
    let first = pipeline()
    let request = request { request in
      request.thumbnail = .fit(width: 4, height: 4)
      request.userInfo = ["author": "Ann", "version": "mine"]
    }
    #expect(try await first.cache.userInfo(for: request) == nil)
    _ = try await shade(first, request)
    let original = self.request()
    #expect(request.sourceKey == original.sourceKey)
    let second = pipeline()
    for found in [request, original] {
      #expect(try await second.cache.userInfo(for: found) == ["author": "Ann", "version": "mine"])
    }
    // The version of the original is another matter: it is found, and not made again.
    #expect(try await second.response(for: request).source == .disk)
    var other = request
    other.userInfo = [:]
    #expect(other.key == request.key && other != request)
    #expect(try await second.response(for: other).source == .memory)
  }

  @Test("values of all requests that share work are stored, and those of images that a program stores")
  func sharedValues() async throws {
    let gate = Gate()
    transport.route(url, .body(try Samples.png(), headers: [.cacheControl: "max-age=100"]).behind(gate))
    let pipeline = pipeline()
    let requests = ["a", "b"].map { name in request { $0.userInfo = [name: "1"] } }
    let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
    while await pipeline.subscribers < 2 { await Task.yield() }
    gate.open()
    for task in tasks { _ = try await task.value }
    await pipeline.settle()
    #expect(try await pipeline.cache.userInfo(for: requests[0]) == ["a": "1", "b": "1"])
    let stored = request { request in
      request.keyPolicy = .named("stored")
      request.userInfo = ["c": "2"]
    }
    try await pipeline.cache.store(try Samples.png(), for: stored)
    #expect(try await pipeline.cache.userInfo(for: stored) == ["c": "2"])
    #expect(try await pipeline.cache.userInfo(for: request { $0.keyPolicy = .named("none") }) == nil)
  }

  // MARK: Options of decoders

  /// Makes an image of one colour, whose shade is an option.
  private struct ShadeDecoder: ImageDecoding {
    let formats = [ImageFormat(rawValue: "shade")]

    func format(of prefix: Data) -> ImageFormat? {
      prefix.starts(with: Data("SHADE".utf8)) ? formats[0] : nil
    }
    func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
      let shade = options.extras["shade"].flatMap { UInt8($0) } ?? 0
      return Image(bitmap: try Bitmap(rgb: [UInt8](repeating: shade, count: 48), width: 4, height: 4))
    }
  }

  @Test("options of a decoder of one's own reach it, and its images are apart")
  func extras() async throws {
    transport.route(url, .body(Data("SHADE".utf8), headers: [.cacheControl: "max-age=100"]))
    var configuration = ImagePipeline.Configuration(
      loader: transport, memoryCache: MemoryCache(byteLimit: 1 << 20), diskCache: folder.diskCache())
    configuration.coders.register(ShadeDecoder())
    let pipeline = ImagePipeline(configuration)
    for _ in 0..<2 {
      for shade in [0, 7, 9] as [UInt8] {
        let request = request { request in
          if shade > 0 { request.extras = ["shade": "\(shade)"] }
          // A larger image of another shade is no substitute.
          request.acceptsLarger = true
          if shade == 9 { request.thumbnail = .fit(width: 2, height: 2) }
        }
        #expect(try await self.shade(pipeline, request) == shade)
        #expect(request.sourceKey == self.request().sourceKey)
      }
    }
    #expect(transport.requests.count == 1)
    #expect(
      request { $0.extras = ["a": "1", "b": "2"] }.key == request { $0.extras = ["b": "2", "a": "1"] }.key)
    #expect(request { $0.extras = ["a": "1\nb"] }.key != request { $0.extras = ["a": "1", "b": ""] }.key)
  }
}
