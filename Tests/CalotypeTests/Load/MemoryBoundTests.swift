import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// What is held while images are loaded and decoded stays within its limit, whatever servers do.
@Suite("Memory under load", .timeLimit(.minutes(5)))
struct MemoryBoundTests {
  @Test(
    "encoded bytes: the limit holds at every change, with and without declared lengths",
    arguments: [true, false])
  func encodedBytes(isDeclared: Bool) async throws {
    let body = try LoadSamples.noise(420, 420)
    let limit = 4 << 20
    let loader = FakeLoader { _ in
      var reply = FakeReply.body(body, chunk: 64 << 10)
      if !isDeclared { reply.expectedLength = nil }
      return reply
    }
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.limits.decodes = 1
      configuration.limits.loads = 1_000
      configuration.limits.loadsPerOrigin = 1_000
      configuration.limits.encodedBytes = limit
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<200 {
        let url = try LoadSamples.url("h", "\(index).png")
        group.addTask {
          try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: 8, height: 8))).width
        }
      }
      for try await width in group { #expect(width == 8) }
    }
    let statistics = pipeline.statistics
    #expect(statistics.peakEncodedBytes <= limit)
    #expect(statistics.peakEncodedBytes > limit / 4)
    await pipeline.settle()
    #expect(pipeline.statistics.heldBytes == 0)
  }

  @Test("a body that can never have room in memory is collected in a file, and decoded all the same")
  func spools() async throws {
    let body = try LoadSamples.noise(300, 300)
    let loader = FakeLoader { _ in .body(body, chunk: 10_000) }
    let pipeline = LoadSamples.pipeline(loader) { $0.limits.encodedBytes = 100_000 }
    #expect(try await pipeline.image(for: LoadSamples.url("h")).width == 300)
    #expect(pipeline.statistics.peakEncodedBytes <= 100_000)
    await pipeline.settle()
  }

  /// A transfer that has begun to be decoded, and waits for the rest of its bytes for ever.
  private func startSlowTransfer(_ loader: FakeLoader, _ pipeline: ImagePipeline, _ time: ManualTime)
    async throws
    -> Task<Image, any Error>
  {
    let big = try LoadSamples.noise(1_200, 1_200)
    let url = try LoadSamples.url("slow")
    let (first, second) = (Gate(), Gate())
    var reply = FakeReply([
      .bytes(Data(big.prefix(64 << 10))), .signal(first), .wait(second),
      .bytes(Data(big.dropFirst(64 << 10).prefix(64 << 10))), .hang,
    ])
    reply.expectedLength = big.count
    loader.route(url, reply)
    let task = Task { try await pipeline.image(for: url) }
    try await first.wait()
    time.advance(by: .milliseconds(100))
    second.open()
    return task
  }

  @Test("decoders of images that arrive give way to images that are here")
  func arrivingGivesWay() async throws {
    let (loader, time) = (FakeLoader(), ManualTime())
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.clock = time.clock
      configuration.memory = ImagePipeline.Memory(byteLimit: 24 << 20)
    }
    let slow = try await startSlowTransfer(loader, pipeline, time)
    try await pipeline.until { $0.arrivingBytes > 5 << 20 }
    // It needs what the other holds.
    let url = try LoadSamples.url("fast")
    loader.route(url, .body(try SampleImages.still(width: 1_500, height: 1_500)))
    #expect(try await pipeline.image(for: url).width == 1_500)
    #expect(pipeline.statistics.arrivingBytes == 0)
    slow.cancel()
    await #expect(throws: CancellationError.self) { try await slow.value }
    await pipeline.settle()
    #expect(pipeline.statistics.heldBytes == 0)
  }

  /// Says when its header is found, and when its decoders are given bytes.
  private final class WatchedCoder: ImageDecoding {
    private final class Decoder: IncrementalImageDecoding {
      let coder: WatchedCoder
      init(_ coder: WatchedCoder) { self.coder = coder }
      func append(_ chunk: Data) { coder.isFed.open() }
      var info: ImageInfo? { nil }
      func snapshot() -> Image? { nil }
      func finish() throws(ImagingError) -> Image { throw .emptyInput }
    }

    static let watched = ImageFormat(rawValue: "watched")
    let hasHeader = Gate()
    let isFed = Gate()
    let looks = Lock(0)
    var formats: [ImageFormat] { [Self.watched] }

    func format(of prefix: Data) -> ImageFormat? {
      prefix.starts(with: Data("watched".utf8)) ? Self.watched : nil
    }

    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      looks.withLock { $0 += 1 }
      guard data.count >= 2_000 else { throw .truncated(Self.watched, byteCount: data.count) }
      hasHeader.open()
      return ImageInfo(format: Self.watched, size: PixelSize(width: 4_000, height: 4_000))
    }

    func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
      throw .emptyInput
    }

    func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? { Decoder(self) }
  }

  @Test("a canvas is reserved before a decoder makes it", arguments: [32, 256])
  func canvasesAreReserved(megabytes: Int) async throws {
    let coder = WatchedCoder()
    let (loader, time) = (FakeLoader(), ManualTime())
    let pipeline = LoadSamples.pipeline(loader) { configuration in
      configuration.clock = time.clock
      configuration.coders.register(coder)
      configuration.memory = ImagePipeline.Memory(byteLimit: megabytes << 20)
    }
    let url = try LoadSamples.url("slow")
    let body = Data("watched".utf8) + Data(count: 200_000)
    let last = Gate()
    var steps = (0..<40).map { FakeReply.Step.bytes(Data(body[($0 * 100)..<($0 * 100 + 100)])) }
    steps += [.wait(last), .bytes(Data(body.dropFirst(4_000)))]
    var reply = FakeReply(steps)
    reply.expectedLength = body.count
    loader.route(url, reply)
    var request = ImageRequest(url: url)
    request.previews = .everyPass
    let task = Task { [request] in
      for try await _ in pipeline.load(request).events {}
    }
    try await coder.hasHeader.wait()
    // With room for sixteen megapixels it is fed as the bytes come; without, never.
    if megabytes == 256 { try await coder.isFed.wait() }
    last.open()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(coder.isFed.isOpen == (megabytes == 256))
    #expect(coder.looks.withLock { $0 } < 12)
    await pipeline.settle()
    #expect(pipeline.statistics.heldBytes == 0)
  }

  @Test("what is stale gives way while its server is being asked")
  func staleOriginalsGiveWay() async throws {
    let (loader, time, folder) = (FakeLoader(), ManualTime(), try CacheFolder())
    let png = try LoadSamples.noise(200, 200)
    let pipeline = LoadSamples.pipeline(LoaderGroup([BytesLoader(), loader])) { configuration in
      configuration.diskCache = DiskCache(folder.configuration, now: { time.date })
      configuration.now = { time.date }
      configuration.memory = ImagePipeline.Memory(byteLimit: 16 << 20)
    }
    let urls = try (0..<20).map { try LoadSamples.url("h", "\($0)") }
    for url in urls {
      loader.route(url, .body(png, headers: [.cacheControl: "max-age=1"]))
      _ = try await pipeline.image(for: url)
    }
    await pipeline.settle()
    time.advance(by: .seconds(100))
    for url in urls {
      loader.route(url, FakeReply([.hang]))
      var request = ImageRequest(url: url)
      request.cachePolicy = .staleWhileRevalidate
      #expect(try await pipeline.response(for: request).isStale)
    }
    // The stale responses do not wait for the loads behind them.
    try await eventually { pipeline.statistics.arrivingBytes >= urls.count * png.count }
    let large = try SampleImages.still(width: 1_700, height: 1_700)
    #expect(try await pipeline.image(for: ImageRequest(source: .data(large, id: "large"))).width == 1_700)
    #expect(pipeline.statistics.arrivingBytes == 0)
    await pipeline.invalidate()
    await pipeline.shutDown(within: .zero)
    #expect(pipeline.statistics.heldBytes == 0)
  }

  @Test("an observer that stops reading holds nothing that others need")
  func idleObservers() async throws {
    let png = try SampleImages.still(width: 1_000, height: 1_000)
    let loader = FakeLoader { _ in .body(png) }
    let pipeline = LoadSamples.pipeline(loader) { $0.limits.decodedBytes = 10 << 20 }
    var held: [ImageLoad.Events.Iterator] = []
    for index in 0..<4 {
      var request = ImageRequest(url: try LoadSamples.url("h", "\(index)"))
      request.includesData = true
      var iterator = pipeline.load(request).events.makeAsyncIterator()
      _ = try await iterator.next()
      held.append(iterator)
    }
    #expect(try await pipeline.image(for: LoadSamples.url("h", "other")).width == 1_000)
    try await pipeline.until { $0.runningImageJobs == 0 && $0.runningSourceJobs == 0 }
    #expect(pipeline.statistics.heldBytes == 0)
    // They find their endings when they look.
    while let event = try await held[0].next() {
      if case .response(let response) = event {
        #expect(response.image.width == 1_000 && response.data == png)
      }
    }
    withExtendedLifetime(held) {}
  }

  @Test("an image that needs more than the limit is refused by its header, with a typed error")
  func refused() async throws {
    let loader = FakeLoader([
      try LoadSamples.url("h"): .body(try SampleImages.still(width: 2_000, height: 2_000))
    ])
    let pipeline = LoadSamples.pipeline(loader) { $0.memory = ImagePipeline.Memory(byteLimit: 8 << 20) }
    do {
      _ = try await pipeline.image(for: LoadSamples.url("h"))
      Issue.record("it was decoded")
    } catch PipelineError.exceedsMemory(_, let bytes, let limit) {
      #expect(bytes >= 16_000_000 && limit == 8 << 20)
    }
    // A thumbnail fits.
    #expect(
      try await pipeline.image(
        for: ImageRequest(url: LoadSamples.url("h"), thumbnail: .fit(width: 100, height: 100))
      ).width
        == 100)
    await pipeline.settle()
  }

  @Test("an image that is larger than its share goes alone, and those behind it follow")
  func alone() async throws {
    let large = try SampleImages.still(width: 1_200, height: 1_200)
    let small = try SampleImages.still(width: 100, height: 100)
    let memory = ImagePipeline.Memory(byteLimit: 8 << 20)
    let pipeline = LoadSamples.pipeline(LoaderGroup.standard) { $0.memory = memory }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<60 {
        let (data, width) = index % 3 == 0 ? (large, 1_200) : (small, 100)
        group.addTask {
          let image = try await pipeline.image(for: ImageRequest(source: .data(data, id: "\(index)")))
          #expect(image.width == width)
          return image.width
        }
      }
      try await group.waitForAll()
    }
    #expect(memory.statistics.peakBytes <= 8 << 20)
    await pipeline.settle()
    #expect(memory.statistics.bytes == 0)
  }

  @Test("several pipelines share one limit")
  func shared() async throws {
    let memory = ImagePipeline.Memory(byteLimit: 8 << 20)
    let png = try SampleImages.still(width: 700, height: 700)
    let pipelines = (0..<3).map { _ in LoadSamples.pipeline(LoaderGroup.standard) { $0.memory = memory } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<90 {
        group.addTask {
          let request = ImageRequest(source: .data(png, id: "\(index)"))
          let image = try await pipelines[index % 3].image(for: request)
          #expect(image.width == 700)
        }
      }
      try await group.waitForAll()
    }
    for pipeline in pipelines { await pipeline.settle() }
    #expect(memory.statistics.peakBytes <= 8 << 20)
    #expect(memory.statistics.bytes == 0)
  }

  @Test(
    "the default follows the memory that the process may use",
    arguments: [
      (256 << 20, 107_374_182), (24 << 30, 1 << 30), (1 << 20, 419_430),
    ])
  func defaults(memory: Int, limit: Int) {
    #expect(ImagePipeline.Memory.byteLimit(forMemory: memory) == limit)
    #expect(ImagePipeline.Memory.defaultByteLimit <= 1 << 30)
  }
}
