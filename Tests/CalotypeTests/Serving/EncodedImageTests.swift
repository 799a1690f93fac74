import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Encoded images", .timeLimit(.minutes(2)))
struct EncodedImageTests {
  private let fresh: HTTPFields = [.cacheControl: "max-age=1000"]

  private func pipeline(
    _ loader: FakeLoader, disk: (any DataCaching)? = nil, time: ManualTime = ManualTime()
  ) -> ImagePipeline {
    LoadSamples.pipeline(loader) { configuration in
      configuration.memoryCache = MemoryCache(now: { time.instant })
      configuration.encodedCache = MemoryCache(byteLimit: 1 << 20, now: { time.instant })
      configuration.diskCache = disk
      configuration.now = { time.date }
    }
  }

  private func thumbnail(_ path: String = "0") throws -> ImageRequest {
    ImageRequest(url: try LoadSamples.url("h", path), thumbnail: .fit(width: 30, height: 30))
  }

  @Test("a cached image is neither decoded, encoded nor copied, and from disk not decoded")
  func hits() async throws {
    let png = try LoadSamples.noise(60, 60)
    let loader = FakeLoader { [fresh] _ in .body(png, headers: fresh) }
    let disk = FaultyCache()
    let first = pipeline(loader, disk: disk)
    let request = try thumbnail()
    let made = try await first.encoded(request, as: .webp(quality: 70))
    #expect(made.source == .loader)
    #expect(made.format == .webp && made.contentType == "image/webp" && made.width == 30 && made.height == 30)
    #expect(try CoderRegistry.standard.decode(made.data).size == PixelSize(width: 30, height: 30))
    let hit = try await first.encoded(request, as: .webp(quality: 70))
    #expect(hit.source == .memory && hit.entityTag == made.entityTag)
    #expect(hit.data.withUnsafeBytes(\.baseAddress) == made.data.withUnsafeBytes(\.baseAddress))
    #expect(first.statistics.decodes == 1 && first.statistics.encodes == 1 && first.statistics.loads == 1)
    await first.settle()
    let second = pipeline(loader, disk: disk)
    let stored = try await second.encoded(request, as: .webp(quality: 70))
    #expect(stored.source == .disk && stored.entityTag == made.entityTag && stored.data == made.data)
    #expect(stored.width == 30 && stored.content == made.content)
    #expect(try await second.encoded(request, as: .webp(quality: 70)).source == .memory)
    #expect(second.statistics.decodes == 0 && second.statistics.encodes == 0)
    // Other options are another image.
    let other = try await second.encoded(request, as: .webp(quality: 20))
    #expect(other.entityTag != made.entityTag && other.data.count < made.data.count)
    #expect(loader.requests.count == 1)
    await second.settle()
  }

  @Test("concurrent calls share one load, one decode and one encode")
  func coalescing() async throws {
    let png = try LoadSamples.noise(60, 60)
    let gate = Gate()
    let loader = FakeLoader { _ in
      try await gate.wait()
      return .body(png)
    }
    let pipeline = pipeline(loader)
    let request = try thumbnail()
    let tasks = (0..<20).map { _ in Task { try await pipeline.encoded(request, as: .jpeg()).entityTag } }
    try await pipeline.until { $0.requests >= 1 }
    gate.open()
    var tags: Set<EntityTag> = []
    for task in tasks { tags.insert(try await task.value) }
    #expect(tags.count == 1)
    #expect(
      pipeline.statistics.encodes == 1 && pipeline.statistics.decodes == 1 && loader.requests.count == 1)
    await pipeline.settle()
  }

  @Test("an original that has the form already is delivered as it is; one with anything else in it is not")
  func passingThrough() async throws {
    let bare = try SampleImages.still(.jpeg(), width: 20, height: 20)
    let text = bare[..<2] + Data([0xFF, 0xFE, 0, 8]) + Data("secret".utf8) + bare[2...]
    let (bareURL, textURL) = (try LoadSamples.url("h", "bare"), try LoadSamples.url("h", "text"))
    let loader = FakeLoader()
    loader.route(bareURL, .body(bare))
    loader.route(textURL, .body(text))
    let pipeline = pipeline(loader)
    #expect(try await pipeline.encoded(bareURL, as: .jpeg()).data == bare)
    #expect(pipeline.statistics.encodes == 0)
    let cleaned = try await pipeline.encoded(textURL, as: .jpeg())
    #expect(pipeline.statistics.encodes == 1)
    #expect(!cleaned.data.contains(Data("secret".utf8)))
    #expect(try await pipeline.encoded(bareURL, as: .webpLossless).format == .webp)
    let small = ImageRequest(url: bareURL, thumbnail: .fit(width: 10, height: 10))
    #expect(try await pipeline.encoded(small, as: .jpeg()).width == 10)
    await pipeline.settle()
  }

  @Test("an expired image is confirmed by a 304 without encoding it again, and made anew from a new original")
  func revalidation() async throws {
    let time = ManualTime()
    let (old, new) = (try LoadSamples.noise(40, 40), try LoadSamples.noise(50, 50))
    let url = try LoadSamples.url("h", "0")
    let modified = "Wed, 21 Oct 2015 07:28:00 GMT"
    let headers: HTTPFields = [.cacheControl: "max-age=10", .eTag: "\"1\"", .lastModified: modified]
    let loader = FakeLoader()
    loader.route(url, .body(old, headers: headers))
    let pipeline = pipeline(loader, disk: FaultyCache(now: { time.date }), time: time)
    let request = try thumbnail()
    let made = try await pipeline.encoded(request, as: .webp())
    #expect(
      made.freshUntil == time.date + 10 && made.lastModified == Date(timeIntervalSince1970: 1_445_412_480))
    await pipeline.settle()
    time.advance(by: .seconds(4))
    #expect(try await pipeline.encoded(request, as: .webp()).age(at: time.date) == .seconds(4))
    time.advance(by: .seconds(20))
    loader.route(url, .status(304, headers: headers))
    let confirmed = try await pipeline.encoded(request, as: .webp())
    #expect(confirmed.entityTag == made.entityTag && !confirmed.isStale)
    #expect(confirmed.freshUntil == time.date + 10)
    #expect(pipeline.statistics.encodes == 1 && pipeline.statistics.revalidations == 1)
    #expect(try await pipeline.encoded(request, as: .webp()).source == .memory)
    await pipeline.settle()
    time.advance(by: .seconds(20))
    loader.route(url, .body(new, headers: [.cacheControl: "max-age=10", .eTag: "\"2\""]))
    let changed = try await pipeline.encoded(request, as: .webp())
    #expect(changed.entityTag != made.entityTag)
    #expect(pipeline.statistics.encodes == 2 && loader.requests.count == 3)
    await pipeline.settle()
  }

  @Test("a stale image is delivered while it is revalidated, if the request says so")
  func staleWhileRevalidate() async throws {
    let time = ManualTime()
    let url = try LoadSamples.url("h", "0")
    let loader = FakeLoader()
    loader.route(url, .body(try LoadSamples.noise(40, 40), headers: [.cacheControl: "max-age=10"]))
    let pipeline = pipeline(loader, time: time)
    var request = try thumbnail()
    request.cachePolicy = .staleWhileRevalidate
    let made = try await pipeline.encoded(request, as: .webp())
    // Until its job has ended, the next call would join that.
    await pipeline.settle()
    time.advance(by: .seconds(20))
    let gate = Gate()
    let new = try LoadSamples.noise(50, 50)
    loader.route(url) { _ in
      try await gate.wait()
      return .body(new, headers: [.cacheControl: "max-age=10"])
    }
    let stale = try await pipeline.encoded(request, as: .webp())
    #expect(stale.isStale && stale.entityTag == made.entityTag)
    gate.open()
    await pipeline.flush()
    let next = try await pipeline.encoded(request, as: .webp())
    #expect(!next.isStale && next.entityTag != made.entityTag && next.source == .memory)
    await pipeline.settle()
  }

  @Test(
    "removed with the request, with its source, and with everything; nothing of what must not be stored is kept"
  )
  func removal() async throws {
    let url = try LoadSamples.url("h", "0")
    let loader = FakeLoader()
    loader.route(url, .body(try LoadSamples.noise(40, 40), headers: fresh))
    let disk = FaultyCache()
    let pipeline = pipeline(loader, disk: disk)
    let request = try thumbnail()
    let other = ImageRequest(url: url, thumbnail: .fit(width: 20, height: 20))
    func make() async throws {
      for request in [request, other] {
        for options in [EncodeOptions.webp(), .png] { _ = try await pipeline.encoded(request, as: options) }
      }
      await pipeline.settle()
    }
    func encodes(_ body: () async throws -> Void) async throws -> Int {
      let before = pipeline.statistics.encodes
      try await body()
      return pipeline.statistics.encodes - before
    }
    try await make()
    #expect(try await encodes(make) == 0)
    try await pipeline.cache.remove(request)
    #expect(try await encodes(make) == 2)
    try await pipeline.cache.removeAll(of: request)
    #expect(try await encodes(make) == 4)
    try await pipeline.cache.removeAll()
    #expect(try await encodes(make) == 4)
    loader.route(url, .body(try LoadSamples.noise(40, 40), headers: [.cacheControl: "no-store"]))
    try await pipeline.cache.removeAll()
    #expect(try await encodes(make) == 4)
    #expect(try await encodes(make) == 4)
  }

  @Test("the outcome of a negotiation is the key: other fields with the same outcome find the same image")
  func negotiation() async throws {
    let cutout = try SampleImages.still(.png, width: 40, height: 40)
    let loader = FakeLoader { [fresh] _ in .body(cutout, headers: fresh) }
    let disk = FaultyCache()
    let pipeline = pipeline(loader, disk: disk)
    let request = try thumbnail()
    func encoded(_ accept: String?, in pipeline: ImagePipeline) async throws -> EncodedImage {
      try await pipeline.encoded(request, as: .negotiated(accept: accept, among: [.webp(), .png, .jpeg()]))
    }
    let webp = try await encoded("image/webp,*/*;q=0.5", in: pipeline)
    #expect(webp.format == .webp && webp.variesOnAccept)
    #expect(try await encoded("image/avif, image/webp", in: pipeline).entityTag == webp.entityTag)
    #expect(try await encoded(nil, in: pipeline).source == .memory)
    #expect(pipeline.statistics.encodes == 1)
    let jpeg = try await encoded("image/jpeg", in: pipeline)
    #expect(jpeg.format == .jpeg && jpeg.variesOnAccept)
    #expect(try await encoded("image/jpeg;q=1.0", in: pipeline).source == .memory)
    await pipeline.settle()
    let again = self.pipeline(loader, disk: disk)
    #expect(try await encoded("image/jpeg", in: again).source == .disk)
    // Found on the way to the other.
    #expect(try await encoded("image/webp", in: again).source == .memory)
    #expect(again.statistics.decodes == 0)
    await #expect(throws: ImagingError.self) {
      try await again.encoded(request, as: .negotiated(accept: nil, among: []))
    }
    await again.settle()
  }

  @Test(
    "a form of an original that is gone is gone, and so is the one of an earlier version with other traits")
  func forgotten() async throws {
    let url = try LoadSamples.url("h", "0")
    let (cutout, photo) = (
      try SampleImages.still(width: 40, height: 40, color: PixelColor(red: 1, green: 2, blue: 3, alpha: 99)),
      try SampleImages.still(.jpeg(), width: 40, height: 40)
    )
    let loader = FakeLoader()
    loader.route(url, .body(cutout, headers: fresh))
    let pipeline = pipeline(loader, disk: FaultyCache())
    var request = try thumbnail()
    func format() async throws -> ImageFormat {
      defer { request.cachePolicy = .http }
      return try await pipeline.encoded(
        request, as: .negotiated(accept: "image/png, image/jpeg", among: [.webp(), .png, .jpeg()])
      ).format
    }
    #expect(try await format() == .png)
    await pipeline.settle()
    loader.route(url, .body(photo, headers: fresh))
    request.cachePolicy = .reload
    #expect(try await format() == .jpeg)
    await pipeline.settle()
    #expect(try await format() == .jpeg)
    loader.route(url, .status(404))
    request.cachePolicy = .reload
    await #expect(throws: LoadingError.self) { try await format() }
    await pipeline.settle()
    request.cachePolicy = .cacheOnly
    await #expect(throws: (any Error).self) { try await format() }
    await pipeline.settle()
  }

  @Test("a result on disk and the encoded image of the same options do not stand for each other")
  func besideResults() async throws {
    let jpeg = try SampleImages.still(.jpeg(), width: 40, height: 20)
    let url = try LoadSamples.url("h", "0")
    let loader = FakeLoader()
    loader.route(url, .body(jpeg, headers: fresh))
    let disk = FaultyCache()
    let (first, second) = (pipeline(loader, disk: disk), pipeline(loader, disk: disk))
    let request = try thumbnail()
    _ = try await first.encoded(request, as: .png)
    await first.settle()
    // The header of the original, which the encoded image does not have.
    #expect(try await second.image(for: request).info?.format == .jpeg)
    await second.settle()
    let third = pipeline(loader, disk: disk)
    #expect(try await third.encoded(request, as: .png).source == .disk)
    #expect(try await third.image(for: request).info?.format == .jpeg)
    #expect(third.statistics.decodes == 0)
    await third.settle()
  }

  @Test("bytes that the image was not made of are not passed on: a damaged original gives way to a sound one")
  func damagedOriginal() async throws {
    let url = try LoadSamples.url("h", "0")
    let sound = try SampleImages.still(.jpeg(), width: 64, height: 64)
    // The codes end in the middle; nothing else is wrong.
    let damaged = sound.prefix(sound.count - sound.count / 8) + Data([0xFF, 0xD9])
    #expect(BareImage.isBare(damaged, format: .jpeg))
    let loader = FakeLoader()
    loader.route(url, .body(sound, headers: fresh))
    let pipeline = pipeline(loader, disk: FaultyCache())
    try await pipeline.cache.store(damaged, for: ImageRequest(url: url))
    let image = try await pipeline.encoded(url, as: .jpeg())
    #expect(!image.isDamaged && image.data != damaged)
    #expect(try !CoderRegistry.standard.decode(image.data).isDamaged)
    #expect(loader.requests.count == 1)
    await pipeline.settle()
  }

  @Test("a request after a removal does not join a negotiation from before it")
  func removalDuringNegotiation() async throws {
    let url = try LoadSamples.url("h", "0")
    let gate = Gate()
    let loader = FakeLoader { _ in
      try await gate.wait()
      return .body(try SampleImages.still(width: 40, height: 40))
    }
    let pipeline = pipeline(loader)
    let request = try thumbnail()
    let call = { @Sendable in
      Task { try await pipeline.encoded(request, as: .negotiated(accept: nil)).format }
    }
    let before = call()
    try await loader.waitForRequests(url)
    try await pipeline.cache.remove(request)
    let after = call()
    try await loader.waitForRequests(url, count: 2)
    gate.open()
    for task in [before, after] { #expect(try await task.value == .webp) }
    await pipeline.settle()
  }

  @Test("the refusal of another caller's signature is nobody else's", arguments: [false, true])
  func signatures(isPlain: Bool) async throws {
    let gate = Gate()
    let loader = FakeLoader { request in
      if request.source.url?.query() == "sig=good" { return .body(try SampleImages.still()) }
      try await gate.wait()
      return .status(403)
    }
    let pipeline = pipeline(loader)
    func request(_ signature: String) throws -> ImageRequest {
      var request = ImageRequest(
        url: try LoadSamples.url("h", "a.png?sig=\(signature)"),
        thumbnail: isPlain ? nil : .fit(width: 4, height: 4))
      request.keyPolicy = .dropping(["sig"])
      return request
    }
    let (forged, good) = (try request("forged"), try request("good"))
    let attacker = Task { try await pipeline.image(for: forged) }
    try await loader.waitForRequests(try #require(forged.source.url))
    let task = Task { try await pipeline.encoded(good, as: .png).width }
    try await eventually {
      (pipeline.jobs.images.all.map(\.subscriberCount) + pipeline.jobs.originals.all.map(\.subscriberCount))
        .contains { $0 >= 2 }
    }
    gate.open()
    #expect(try await task.value == (isPlain ? 8 : 4))
    await #expect(throws: LoadingError.self) { try await attacker.value }
    await pipeline.settle()
  }

  @Test("all frames of an animation where the format has frames, the first one elsewhere")
  func animation() async throws {
    let gif = try SampleImages.animation(.gif)
    let loader = FakeLoader { _ in .body(gif) }
    let pipeline = pipeline(loader)
    var request = ImageRequest(url: try LoadSamples.url("h"), thumbnail: .fit(width: 5, height: 5))
    request.frames = .all
    let webp = try await pipeline.encoded(request, as: .webp())
    #expect(try CoderRegistry.standard.probe(webp.data).frameCount > 1)
    #expect(webp.content.isAnimated)
    #expect(try await pipeline.encoded(request, as: .jpeg()).format == .jpeg)
    await pipeline.settle()
  }

  @Test("errors, cancellation and shutdown reach the caller")
  func endings() async throws {
    let gate = Gate()
    let loader = FakeLoader { request in
      if request.source.url?.path() == "/404" { return .status(404) }
      try await gate.wait()
      return .body(try SampleImages.still())
    }
    let pipeline = pipeline(loader)
    await #expect(throws: LoadingError.self) {
      try await pipeline.encoded(LoadSamples.url("h", "404"), as: .png)
    }
    let url = try LoadSamples.url("h", "slow")
    let task = Task { try await pipeline.encoded(url, as: .png) }
    try await loader.waitForRequests(url)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await pipeline.until { $0.runningLoads == 0 }
    var hurried = ImageRequest(url: url)
    hurried.deadline = .milliseconds(50)
    await #expect(
      throws: PipelineError.deadlineExceeded(hurried.source.description, after: .milliseconds(50))
    ) {
      try await pipeline.encoded(hurried, as: .png)
    }
    // The hurried one may have ended before its load began.
    let earlier = loader.requests(for: url).count
    let waiting = Task { try await pipeline.encoded(url, as: .png) }
    try await loader.waitForRequests(url, count: earlier + 1)
    await pipeline.invalidate()
    await #expect(throws: PipelineError.shutDown) { try await waiting.value }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.encoded(url, as: .png) }
    await pipeline.settle()
  }
}
