import Calotype
import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeTestKit
import Foundation
import Synchronization
import Testing

/// What programs do with a pipeline, in as many lines as it takes. Only public interfaces, so that each case shows what a
/// program has to write.
@Suite("Use cases")
struct UseCaseTests {
  let url: URL
  let loader = FakeLoader()
  let pipeline: ImagePipeline

  init() throws {
    url = try #require(URL(string: "https://images.test/photo.jpg"))
    loader.route(url, .body(try SampleImages.still(.jpeg(), width: 640, height: 480)))
    pipeline = ImagePipeline(.init(loader: loader, memoryCache: MemoryCache(), diskCache: nil))
  }

  @Test("a handler of a server answers with a thumbnail")
  func serverHandler() async throws {
    let image = try await pipeline.image(
      for: ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240)))
    let body = try await pipeline.encode(image, as: .webp(quality: 80))

    #expect(ImageFormat.sniff(body) == .webp)
    #expect(image.size == PixelSize(width: 320, height: 240))
  }

  @Test("progress, then the image")
  func progress() async throws {
    var last: LoadProgress?

    let load = pipeline.load(url)
    for await progress in load.progress { last = progress }
    let image = try await load.image

    #expect(image.width == 640)
    #expect(last?.fraction == 1)
  }

  @Test("previews, then the image")
  func previews() async throws {
    loader.route(url, .body(try SampleImages.progressiveJPEG()))
    var request = ImageRequest(url: url)
    request.previews = .everyPass

    let load = pipeline.load(request)
    for await preview in load.previews { #expect(preview.isPartial) }
    let image = try await load.image

    #expect(!image.isPartial)
  }

  @Test("all that happens, by one loop that ends with the image")
  func events() async throws {
    var image: Image?

    for try await case .response(let response) in pipeline.load(url).events { image = response.image }

    #expect(image?.width == 640)
  }

  @Test("a thumbnail")
  func thumbnail() async throws {
    let image = try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: 320)))

    #expect(image.size == PixelSize(width: 320, height: 240))
  }

  @Test("prefetching")
  func prefetching() async throws {
    let prefetcher = Prefetcher(pipeline)
    let prefetch = prefetcher.prefetch([url])

    #expect(await prefetch.result.loaded.count == 1)
    #expect(pipeline.cachedImage(for: url) != nil)
  }

  /// Encoded bytes in a dictionary.
  private actor DictionaryCache: DataCaching {
    private var records: [CacheKey: CacheRecord] = [:]

    func read(_ key: CacheKey) -> CacheRecord? { records[key] }
    func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) {
      records[key] = CacheRecord(data: data, metadata: metadata, created: .now, accessed: .now)
    }
    func remove(_ key: CacheKey) -> Bool { records.removeValue(forKey: key) != nil }
    func flush() {}
    func removeAll() -> Int {
      defer { records = [:] }
      return records.count
    }
    func removeAll(_ selection: CacheSelection) -> Int {
      let keys = records.filter { selection.contains(source: $0.key.source, tags: $0.value.metadata.tags) }
        .keys
      for key in keys { records[key] = nil }
      return keys.count
    }
  }

  @Test("a cache of one's own")
  func customCache() async throws {
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: DictionaryCache()))

    _ = try await pipeline.image(for: url)
    await pipeline.flush()
    _ = try await pipeline.image(for: url)

    #expect(loader.requests.count == 1)
  }

  /// Pictures of one colour: `DOT`, width, height, red, green, blue.
  private struct DotDecoder: ImageDecoding {
    let formats = [ImageFormat(rawValue: "dot")]

    func format(of prefix: Data) -> ImageFormat? { prefix.starts(with: Data("DOT".utf8)) ? formats[0] : nil }
    func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
      let bytes = Array(data)
      guard bytes.count >= 8 else { throw .truncated(formats[0], byteCount: bytes.count) }
      let row = [UInt8](repeatingElements: bytes[5..<8], count: Int(bytes[3]) * Int(bytes[4]))
      return Image(bitmap: try Bitmap(rgb: row, width: Int(bytes[3]), height: Int(bytes[4])))
    }
  }

  @Test("a decoder of one's own")
  func customDecoder() async throws {
    var configuration = ImagePipeline.Configuration(loader: loader, memoryCache: nil, diskCache: nil)
    configuration.coders.register(DotDecoder())
    loader.route(url, .body(Data("DOT".utf8) + Data([4, 3, 255, 0, 0])))

    let image = try await ImagePipeline(configuration).image(for: url)

    #expect(image.size == PixelSize(width: 4, height: 3))
    #expect(try image.bitmap.averageColor() == PixelColor(red: 255, green: 0, blue: 0))
  }

  @Test("transforms, with one of one's own that throws any error")
  func transforms() async throws {
    struct TooSmall: Error {}
    let request = ImageRequest(
      url: url,
      transforms: [
        .resize(width: 320, height: 320, mode: .fill), .roundedCorners(24),
        .custom(id: "checked") { bitmap in
          guard bitmap.width > 100 else { throw TooSmall() }
          return bitmap
        },
      ])

    let image = try await pipeline.image(for: request)

    #expect(image.size == PixelSize(width: 320, height: 320))
    #expect(try image.bitmap.hasTransparency())
  }

  @Test("all variants of a source removed")
  func invalidation() async throws {
    _ = try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: 32)))
    _ = try await pipeline.image(for: url)

    try await pipeline.cache.removeAll(of: ImageRequest(url: url))

    #expect(pipeline.cachedImage(for: url) == nil)
    #expect(pipeline.cachedImage(for: ImageRequest(url: url, thumbnail: .fit(width: 32))) == nil)
  }

  @Test("a pipeline with settings of its own")
  func configuring() async throws {
    let pipeline = ImagePipeline(urls: .untrusted) {
      $0.diskCache = nil
      $0.limits.decodes = 4
    }

    #expect(pipeline.configuration.limits.decodes == 4)
    let internalURL = try #require(URL(string: "http://127.0.0.1/a.png"))
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: internalURL) }
  }

  private final class Counter: PipelineObserving {
    let finished = Mutex(0)

    func requestFinished(
      _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration
    ) { finished.withLock { $0 += 1 } }
  }

  @Test("requests observed")
  func observing() async throws {
    let counter = Counter()
    var configuration = ImagePipeline.Configuration(loader: loader, diskCache: nil)
    configuration.observers = [counter]
    let pipeline = ImagePipeline(configuration)

    _ = try await pipeline.image(for: url)

    #expect(counter.finished.withLock { $0 } == 1)
  }

  @Test("a request cancelled with its task")
  func cancelling() async throws {
    loader.route(url, .hang)
    let task = Task { try await pipeline.image(for: url) }
    try await loader.waitForRequests(url)

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await loader.waitForCancellations()
  }

  @Test("bytes of an upload become a small JPEG")
  func upload() async throws {
    let upload = try SampleImages.still(.png, width: 640, height: 480)

    let jpeg = try await pipeline.encode(
      pipeline.decode(upload, thumbnail: .fit(width: 320, height: 240)), as: .jpeg())

    #expect(try Image(data: jpeg).size == PixelSize(width: 320, height: 240))
  }

  @Test("an upload without bytes is an error of the image, not of a server")
  func emptyUpload() async throws {
    await #expect(throws: ImagingError.emptyInput) { try await pipeline.decode(Data()) }
  }

  @Test("a download to a file")
  func download() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID()).jpg")
    defer { try? FileManager.default.removeItem(at: file) }

    try await pipeline.download(ImageRequest(url: url), to: file)

    #expect(try Image(contentsOf: file).width == 640)
  }

  @Test("pixels in, pixels out, without a pipeline")
  func pixels() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID()).png")
    defer { try? FileManager.default.removeItem(at: file) }

    let bitmap = try Bitmap(rgba: [255, 0, 0, 255, 0, 0, 255, 255], width: 2, height: 1)
    try Image(bitmap: bitmap).write(to: file, as: .png)
    let small = try Image(contentsOf: file).resized(width: 1)

    #expect(small.size == PixelSize(width: 1, height: 1))
    #expect(bitmap.bytes.unsafeLoad(fromByteOffset: 4, as: UInt32.self) == UInt32(littleEndian: 0xFFFF_0000))
  }
}

extension [UInt8] {
  fileprivate init(repeatingElements elements: some Collection<UInt8>, count: Int) {
    self = (0..<count).flatMap { _ in elements }
  }
}
