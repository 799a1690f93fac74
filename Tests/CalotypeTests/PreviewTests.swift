import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// What can be seen of an image before all of it is there.
@Suite("Previews", .timeLimit(.minutes(5)))
struct PreviewTests {
  private let server: ScriptedHTTPServer
  private let pipeline: ImagePipeline

  init() throws {
    server = try ScriptedHTTPServer()
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, memoryCache: MemoryCache(byteLimit: 64 << 20), diskCache: nil)
    configuration.clock = SlowClock()
    pipeline = ImagePipeline(configuration)
  }

  /// As if every transfer took for ever: a second passes whenever somebody looks.
  private struct SlowClock: Clock {
    private let looks = Lock(0)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant {
      start.advanced(
        by: .seconds(
          looks.withLock { looks in
            looks += 1
            return looks
          }))
    }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      await Task.yield()
      try Task.checkCancellation()
    }
  }

  /// A picture with something to see.
  private func picture(_ thumbnail: Thumbnail = .fit(width: 600, height: 400)) throws -> Image {
    try CoderRegistry.standard.decode(
      Samples.photo("stream.jpg"), options: DecodeOptions(thumbnail: thumbnail))
  }

  /// As the effort that makes them progressive.
  private func progressive() throws -> Data { try jpeg(.small) }

  private func jpeg(_ effort: EncodeOptions.Effort) throws -> Data {
    var options = EncodeOptions.jpeg(quality: 85)
    options.effort = effort
    return try picture().encoded(as: options)
  }

  /// Serves data in pieces, each when what came before was decoded as far as it goes, and collects the previews.
  private func previews(
    _ data: Data, _ policy: ImageRequest.PreviewPolicy, pieces: Int = 40,
    change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> (previews: [Image], image: Image) {
    let gates = (0..<pieces).map { _ in Gate() }
    let length = (data.count + pieces - 1) / pieces
    server.route("/a", .gated(data, by: gates))
    var request = ImageRequest(url: server.url("/a"))
    request.cachePolicy = .reload
    request.previews = policy
    change(&request)
    var previews: [Image] = []
    var response: ImageResponse?
    gates[0].open()
    for try await event in pipeline.load(request).events {
      switch event {
      case .progress(let progress):
        // What has arrived by now is decoded before the next piece comes.
        let next = progress.received / length
        if progress.received % length == 0, next < pieces {
          try await eventually { await !pipeline.isDecoding }
          gates[next].open()
        }
      case .preview(let preview): previews.append(preview)
      case .response(let value): response = value
      default: continue
      }
    }
    await pipeline.settle()
    return (previews, try #require(response?.image))
  }

  @Test("a progressive JPEG shows every scan, better each time, in the size of the image; none is cached")
  func scans() async throws {
    let data = try progressive()
    var (previews, image) = try await previews(data, .everyPass)
    // On a busy machine, the next piece may come before the decode of the last one has begun, which then shows both.
    for _ in 0..<9 where previews.count < 3 {
      (previews, image) = try await self.previews(data, .everyPass)
    }
    #expect(previews.count >= 3)
    #expect(image.bitmap == (try CoderRegistry.standard.decode(data)).bitmap)
    var last = Double.infinity
    for preview in previews {
      #expect(preview.isPartial)
      #expect(preview.bitmap.size == image.bitmap.size)
      let distance = image.bitmap.distance(to: preview.bitmap)
      #expect(distance <= last)
      last = distance
    }
    #expect(last > 0)
    #expect(!image.isPartial)
  }

  @Test("the scan that is good enough, once")
  func goodEnough() async throws {
    let data = try progressive()
    let (previews, image) = try await previews(data, .pass(2))
    #expect(previews.count == 1)
    // The earliest that there could be: of the first scan, of all of it at most.
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    var first: Image?
    for start in stride(from: 0, to: data.count, by: 256) where first == nil {
      try decoder.append(data.dropFirst(start).prefix(256))
      first = try decoder.snapshot()
    }
    let preview = try #require(previews.first)
    #expect(preview.isPartial)
    #expect(
      image.bitmap.distance(to: preview.bitmap) < image.bitmap.distance(to: try #require(first).bitmap))
  }

  @Test("a transfer that is replaced by that of another URL of the same key leaves nothing in the image")
  func anotherURL() async throws {
    let (baseline, other) = (
      try jpeg(.balanced), try picture(.fit(width: 600, height: 400)).transformed(by: [.invert()])
    )
    var options = EncodeOptions.jpeg(quality: 85)
    options.effort = .balanced
    let bytes = try other.encoded(as: options)
    let gates = (0..<40).map { _ in Gate() }
    let (broken, length) = (Gate(), (baseline.count + 39) / 40)
    var steps = ScriptedReply.gated(baseline, by: gates).steps
    // The first twenty pieces, and the end of the connection.
    steps.removeLast(steps.count - 41)
    let cut = ScriptedReply(steps + [.wait(broken), .close])
    server.route("/a") { $0.query == "sig=1" ? cut : .body(bytes) }
    func request(_ signature: Int) -> ImageRequest {
      var request = ImageRequest(url: server.url("/a?sig=\(signature)"))
      request.keyPolicy = .dropping(["sig"])
      request.cachePolicy = .reload
      return request
    }
    let leader = Task { try await pipeline.data(for: request(1)) }
    try await server.waitForRequests("/a")
    var follower = request(2)
    follower.previews = .interval(.zero)
    var (previews, response) = (0, ImageResponse?.none)
    gates[0].open()
    for try await event in pipeline.load(follower).events {
      switch event {
      case .progress(let progress):
        let next = progress.received / length
        guard progress.received % length == 0, next < 20 else { continue }
        try await eventually { await !pipeline.isDecoding }
        gates[next].open()
        if next == 19 { broken.open() }
      case .preview: previews += 1
      case .response(let value): response = value
      default: continue
      }
    }
    #expect(previews > 0)
    #expect(response?.image.bitmap == (try CoderRegistry.standard.decode(bytes)).bitmap)
    await #expect(throws: LoadingError.self) { try await leader.value }
    await pipeline.settle()
  }

  @Test("baseline JPEG has none by pass and some by interval; off has none; a GIF has its first frame")
  func kinds() async throws {
    let baseline = try jpeg(.balanced)
    #expect(try await previews(baseline, .everyPass).previews.isEmpty)
    #expect(try await previews(baseline, .interval(.zero)).previews.count > 3)
    #expect(try await previews(progressive(), .off).previews.isEmpty)
    let frames = try (0..<4).map { index in
      AnimationSource.Frame(
        bitmap: try picture(.fit(width: 300, height: 200)).transformed(by: [
          .hueRotation(degrees: Double(index * 90))
        ])
        .bitmap,
        duration: .milliseconds(100))
    }
    let source = AnimationSource(frameCount: 4, loopCount: 0) { (index) throws(ImagingError) in frames[index]
    }
    let gif = try CoderRegistry.standard.encode(source, as: .gif)
    let (previews, image) = try await previews(gif, .everyPass)
    #expect(previews.count == 1)
    #expect(previews.first?.bitmap == image.bitmap)
  }

  @Test("previews go through the size and the transforms of the request")
  func transforms() async throws {
    let (previews, image) = try await previews(progressive(), .everyPass) { request in
      request.thumbnail = .fit(width: 120, height: 120)
      request.transforms = [.grayscale(), .rotate(degrees: 90)]
    }
    #expect(!previews.isEmpty)
    for preview in previews {
      #expect(preview.bitmap.size == image.bitmap.size)
      #expect(preview.bitmap.withUnsafeBytes { $0[0] == $0[1] && $0[1] == $0[2] })
    }
  }

  @Test("who joins in the middle sees the newest preview at once")
  func joiner() async throws {
    let data = try progressive()
    let decoder = CountingDecoder()
    var configuration = pipeline.configuration
    configuration.coders.register(decoder)
    let pipeline = ImagePipeline(configuration)
    let gate = Gate()
    let open = Gate()
    open.open()
    server.route("/b", .gated([(open, data.prefix(data.count / 2)), (gate, data.dropFirst(data.count / 2))]))
    var request = ImageRequest(url: server.url("/b"))
    request.previews = .everyPass
    func firstPreview() async throws -> Image? {
      for try await event in pipeline.load(request).events {
        if case .preview(let preview) = event { return preview }
      }
      return nil
    }
    let stays = Task { [request] in try await pipeline.image(for: request) }
    // Somebody has seen it, so the next one is told without a decode.
    #expect(try await firstPreview() != nil)
    let snapshots = decoder.snapshots
    #expect(snapshots > 0)
    #expect(try await firstPreview() != nil)
    #expect(decoder.snapshots == snapshots)
    gate.open()
    #expect(try await stays.value.width == 600)
    #expect(server.requests(for: "/b").count == 1)
    await pipeline.settle()
  }

  @Test("bytes that turn out to be damaged end previews; the error is that of the whole")
  func damaged() async throws {
    // Pixels that take most of the file.
    let bitmap = try Bitmap(size: PixelSize(width: 300, height: 300)) { (pixels) throws(ImagingError) in
      for index in pixels.indices {
        pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* index >> 5)
      }
      return true
    }
    var data = try Image(bitmap: bitmap).encoded(as: .png)
    data[data.count / 2] ^= 0xff
    await #expect(throws: ImagingError.self) {
      try await previews(data, .interval(.zero)) { $0.damage = .strict }
    }
    await pipeline.settle()
    #expect(pipeline.statistics.decodedBytes == 0)
    // Unless damage is tolerated: then the rows before it are the image.
    #expect(try await previews(data, .interval(.zero)).image.isDamaged)
    await pipeline.settle()
  }
}

extension ImagePipeline {
  fileprivate var isDecoding: Bool {
    context.decodes.statistics.running + context.decodes.statistics.waiting > 0
  }
}

extension Bitmap {
  /// Mean difference of all samples.
  fileprivate func distance(to other: Bitmap) -> Double {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        var sum = 0
        for index in mine.indices { sum += abs(Int(mine[index]) - Int(theirs[index])) }
        return Double(sum) / Double(mine.count)
      }
    }
  }
}
