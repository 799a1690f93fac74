import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Headers of remote images", .timeLimit(.minutes(2)))
struct InfoTests {
  private static let byteCount = 20 << 20

  /// A file of 20 MB whose header is at its beginning, as that of every ordinary image.
  private static func large(_ format: ImageFormat) throws -> Data {
    let filling = Data(count: byteCount)
    switch format {
    case .jpeg: return try SampleImages.still(.jpeg(), width: 40, height: 30) + filling
    case .png, .apng:
      let image =
        format == .png
        ? try SampleImages.still(width: 40, height: 30)
        : try SampleImages.animation(.apng, frames: 3, width: 40, height: 30)
      // Behind the first image data. A private chunk with a wrong checksum is skipped.
      let place = try #require(image.firstRange(of: Data("IDAT".utf8))).lowerBound - 4
      let length = image[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = place + 12 + length
      return image[..<end] + bigEndian(filling.count) + Data("juNk".utf8) + filling + Data(count: 4)
        + image[end...]
    case .webp:
      var image = try SampleImages.still(.webpLossless, width: 40, height: 30)
      image += Data("JUNK".utf8) + littleEndian(filling.count) + filling
      image.replaceSubrange(4..<8, with: littleEndian(image.count - 8))
      return image
    default:
      var image = try SampleImages.animation(.gif, frames: 3, width: 40, height: 30)
      image.removeLast()
      image += [0x21, 0xFE]
      for _ in 0..<byteCount / 256 { image += [255] + filling[..<255] }
      return image + [0, 0x3B]
    }
  }

  private static func littleEndian(_ value: Int) -> Data {
    withUnsafeBytes(of: UInt32(value).littleEndian) { Data($0) }
  }
  private static func bigEndian(_ value: Int) -> Data {
    withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) }
  }

  private func pipeline(
    _ loader: any ImageLoading = CurlLoader(), disk: (any DataCaching)? = nil, time: ManualTime = ManualTime()
  ) -> ImagePipeline {
    LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(now: { time.instant })
      configuration.diskCache = disk
      configuration.now = { time.date }
    }
  }

  @Test(
    "of a file of 20 MB, a server with ranges sends 64 KiB, and the connection to any other is closed",
    arguments: [ImageFormat.jpeg, .png, .apng, .webp, .gif])
  func twentyMegabytes(format: ImageFormat) async throws {
    let data = try Self.large(format)
    let whole = try CoderRegistry.standard.probe(data)
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    server.route("/ranges") { .resource(data, etag: "\"1\"", for: $0) }
    server.route("/plain", .body(data))
    for path in ["/ranges", "/plain"] {
      let pipeline = pipeline()
      let response = try await pipeline.info(for: server.url(path))
      #expect(response.info.format == format && response.info.size == PixelSize(width: 40, height: 30))
      #expect(response.info.orientation == whole.orientation && response.info.hasAlpha == whole.hasAlpha)
      #expect(response.hasAllFrames == ![.gif, .apng].contains(format))
      // A GIF does not announce its frames; all of these are in front of the filling.
      #expect(response.info.frameCount == whole.frameCount)
      #expect(response.byteCount == data.count && response.source == .loader)
      #expect(response.loadedByteCount >= 64 << 10)
      #expect(pipeline.statistics.decodes == 0)
      if path == "/ranges" {
        #expect(response.loadedByteCount == 64 << 10)
        // With the head of the response.
        #expect(server.bytesSent(path) < 65 << 10)
        #expect(server.requests(for: path).map { $0[header: "Range"] } == ["bytes=0-65535"])
      } else {
        // A chunk of the transfer may be larger than what was needed of it.
        #expect(response.loadedByteCount < 256 << 10)
        try await server.waitForDisconnects(path)
        #expect(server.bytesSent(path) < data.count)
      }
    }
  }

  @Test("a header behind more metadata than that takes a larger range, and at last the transfer of the whole")
  func longMetadata() async throws {
    let image = try SampleImages.still(.jpeg(), width: 40, height: 30)
    let segment = Data([0xFF, 0xED, 0xFF, 0xFF]) + Data(count: 65_533)
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    let pipeline = pipeline()
    for (segments, ranges) in [
      (0, ["bytes=0-65535"]), (3, ["bytes=0-65535", "bytes=0-1048575"]),
      (20, ["bytes=0-65535", "bytes=0-1048575", nil]),
    ] {
      let data =
        image[..<2] + (0..<segments).reduce(into: Data()) { data, _ in data += segment } + image[2...]
      let path = "/\(segments)"
      server.route(path) { .resource(data + Data(count: 3 << 20), etag: "\"1\"", for: $0) }
      let response = try await pipeline.info(for: server.url(path))
      #expect(response.info.size == PixelSize(width: 40, height: 30))
      #expect(server.requests(for: path).map { $0[header: "Range"] } == ranges)
    }
  }

  @Test(
    "a header is kept for as long as the original is fresh, and is that of images and originals in the caches"
  )
  func caching() async throws {
    let time = ManualTime()
    let png = try LoadSamples.noise(60, 60)
    let (kept, unkept) = (try LoadSamples.url("h", "kept"), try LoadSamples.url("h", "unkept"))
    let loader = FakeLoader()
    loader.route(kept, .body(png, headers: [.cacheControl: "max-age=100"]))
    loader.route(unkept, .body(png, headers: [.cacheControl: "no-store"]))
    let pipeline = pipeline(loader, disk: FaultyCache(), time: time)
    #expect(try await pipeline.info(for: kept).source == .loader)
    let again = try await pipeline.info(for: kept)
    #expect(again.source == .memory && again.loadedByteCount == 0 && again.info.size.width == 60)
    #expect(again.byteCount == png.count)
    #expect(loader.requests.count == 1)
    time.advance(by: .seconds(101))
    #expect(try await pipeline.info(for: kept).source == .loader)
    try await pipeline.cache.remove(ImageRequest(url: kept))
    #expect(try await pipeline.info(for: kept).source == .loader)
    try await pipeline.cache.removeAll(.source(kept.absoluteString))
    #expect(try await pipeline.info(for: kept).source == .loader)
    try await pipeline.cache.removeAll()
    #expect(try await pipeline.info(for: kept).source == .loader)
    #expect(loader.requests.count == 5)
    for _ in 0..<2 { #expect(try await pipeline.info(for: unkept).source == .loader) }
    // The image, and then its original, are in the caches.
    _ = try await pipeline.image(for: kept)
    let count = loader.requests.count
    #expect(try await pipeline.info(for: kept).source == .memory)
    await pipeline.settle()
    let other = self.pipeline(loader, disk: pipeline.configuration.diskCache, time: time)
    #expect(try await other.info(for: kept).source == .diskOriginal)
    #expect(loader.requests.count == count && other.statistics.decodes == 0)
    // The size of the request makes no difference.
    let small = ImageRequest(url: kept, thumbnail: .fit(width: 10, height: 10))
    #expect(try await other.info(for: small).info.size.width == 60)
  }

  @Test("concurrent calls share one load, which is cancelled with the last of them")
  func coalescing() async throws {
    let png = try LoadSamples.noise(60, 60)
    let gate = Gate()
    let url = try LoadSamples.url("h")
    let loader = FakeLoader([url: FakeReply.body(png).behind(gate)])
    let pipeline = pipeline(loader)
    let tasks = (0..<20).map { _ in Task { try await pipeline.info(for: url).info.size } }
    try await loader.waitForRequests(url)
    try await eventually { pipeline.context.jobs.infos.all.first?.subscriberCount == 20 }
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    gate.open()
    for task in tasks.dropFirst() { #expect(try await task.value == PixelSize(width: 60, height: 60)) }
    #expect(loader.requests.count == 1)
    let hanging = try LoadSamples.url("h", "hanging")
    loader.route(hanging, .hang)
    let task = Task { try await pipeline.info(for: hanging) }
    try await loader.waitForRequests(hanging)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await loader.waitForCancellations()
    await pipeline.settle()
    #expect(pipeline.statistics.encodedBytes == 0)
  }

  @Test("errors are those of the loader and of the header")
  func errors() async throws {
    let png = try LoadSamples.noise(60, 60)
    let loader = FakeLoader()
    let pipeline = pipeline(loader)
    func error(_ path: String, _ reply: FakeReply) async throws -> (any Error)? {
      let url = try LoadSamples.url("h", path)
      loader.route(url, reply)
      do {
        _ = try await pipeline.info(for: url)
        return nil
      } catch { return error }
    }
    let part: HTTPFields = [.contentRange: "bytes 5-70000/80000"]
    let other = try await error("part", .body(png, status: 206, headers: part)) as? LoadingError
    #expect(other?.code == "protocolError")
    #expect(
      try await error("empty", .body(Data())) as? LoadingError
        == .emptyBody(.url(try LoadSamples.url("h", "empty"))))
    #expect(
      (try await error("text", .body(Data("<html>".utf8))) as? ImagingError)?.code == "unrecognizedFormat")
    #expect(
      (try await error("cut", FakeReply.body(png).cut(after: 10)) as? LoadingError)?.code == "truncatedBody")
    #expect((try await error("gone", .status(404)) as? LoadingError)?.code == "httpStatus")
    var request = ImageRequest(url: try LoadSamples.url("h", "none"))
    request.cachePolicy = .cacheOnly
    await #expect(throws: PipelineError.self) { try await pipeline.info(for: request) }
    request = ImageRequest(url: try LoadSamples.url("h", "large"))
    loader.route(try LoadSamples.url("h", "large"), .body(png))
    request.limits = DecodeLimits(maxPixels: 100)
    let failure = await #expect(throws: ImagingError.self) { try await pipeline.info(for: request) }
    #expect(failure?.code == "limitExceeded")
  }

  @Test("bytes at hand and streams are described as a whole")
  func bytesAtHand() async throws {
    let gif = try SampleImages.animation(.gif, frames: 5)
    let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard, diskCache: nil))
    let response = try await pipeline.info(for: ImageRequest(source: .data(gif, id: "a")))
    #expect(response.info.frameCount == 5 && response.hasAllFrames && response.byteCount == gif.count)
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "a.gif")
    try gif.write(to: file)
    let local = try await pipeline.info(for: file)
    #expect(local.info.frameCount == 5 && local.hasAllFrames && local.original.url == file)
  }
}
