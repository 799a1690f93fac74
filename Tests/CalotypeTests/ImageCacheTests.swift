import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// A cache of images by keys of the program: stores, queries and removals.
@Suite("Image caches", .timeLimit(.minutes(1)))
struct ImageCacheTests {
  private let folder: CacheFolder
  private let time = ManualTime()

  init() throws {
    folder = try CacheFolder()
  }

  private func cache(
    memory: MemoryCache<CachedImage>? = MemoryCache(byteLimit: 64 << 20),
    _ change: (inout ImageCache.Configuration) -> Void = { _ in }
  ) -> ImageCache {
    var configuration = ImageCache.Configuration()
    change(&configuration)
    let time = time
    return ImageCache(
      configuration, memory: memory, disk: DiskCache(folder.configuration, now: { time.date }),
      now: { time.date })
  }

  // MARK: Stores and queries

  @Test("an image is found in memory, and by another process on disk")
  func storesAndFinds() async throws {
    let cache = cache()
    let image = try Badge.image(1)
    #expect(try await cache.image(for: "a") == nil)
    #expect(cache.imageInMemory(for: "a") == nil)
    try await cache.store(image, for: "a")
    #expect(cache.imageInMemory(for: "a")?.bitmap == image.bitmap)
    #expect(try await cache.image(for: "a")?.bitmap == image.bitmap)
    #expect(try await cache.statistics().decodes == 0)
    let other = self.cache()
    #expect(other.imageInMemory(for: "a") == nil)
    #expect(try await other.image(for: "a")?.bitmap == image.bitmap)
    #expect(other.imageInMemory(for: "a")?.bitmap == image.bitmap)
    #expect(try await other.image(for: "a")?.bitmap == image.bitmap)
    let statistics = try await other.statistics()
    #expect(statistics.decodes == 1 && statistics.disk?.count == 1 && statistics.memory?.count == 1)
    #expect(statistics.disk?.bytes ?? 0 > 0 && statistics.memory?.bytes ?? 0 > 0)
  }

  @Test("an image with data is stored as those bytes")
  func data() async throws {
    let cache = cache()
    let data = try Samples.png(shade: 3)
    try await cache.store(try Badge.image(1), data: data, for: "a")
    #expect(try await cache.data(for: "a") == data)
    // In memory is the image that was given.
    #expect(try await cache.image(for: "a")?.bitmap == Badge.image(1).bitmap)
    try await cache.store(data, for: "b")
    #expect(try await cache.data(for: "b") == data)
    #expect(cache.imageInMemory(for: "b") == nil)
    #expect(try await cache.image(for: "b")?.bitmap == CoderRegistry.standard.decode(data).bitmap)
    #expect(try await cache.statistics().encodes == 0)
  }

  @Test("data that are no image, or exceed a limit, change nothing")
  func refusedData() async throws {
    let cache = cache { $0.limits.maxPixels = 100 }
    try await cache.store(try Badge.image(1), for: "a")
    for data in [Data("<html>".utf8), Data(), try Samples.png(width: 11, height: 10)] {
      await #expect(throws: ImagingError.self) { try await cache.store(data, for: "a") }
      await #expect(throws: ImagingError.self) {
        try await cache.store(try Badge.image(2), data: data, for: "a")
      }
    }
    #expect(try await cache.image(for: "a")?.bitmap == Badge.image(1).bitmap)
    #expect(try await self.cache().image(for: "a")?.bitmap == Badge.image(1).bitmap)
  }

  @Test("tiers can be chosen, and lose the previous image otherwise")
  func tiers() async throws {
    let cache = cache()
    try await cache.store(try Badge.image(1), for: "a", in: .memory)
    #expect(try await cache.contains("a"))
    #expect(try await cache.contains("a", in: .memory))
    #expect(try await !cache.contains("a", in: .disk))
    #expect(try await self.cache().image(for: "a") == nil)
    try await cache.store(try Badge.image(2), for: "a", in: .disk)
    #expect(try await !cache.contains("a", in: .memory))
    #expect(try await cache.contains("a", in: .disk))
    #expect(try await cache.image(for: "a")?.bitmap == Badge.image(2).bitmap)
    // The image on disk must not come back when memory evicts this one.
    try await cache.store(try Badge.image(3), for: "a", in: .memory)
    #expect(try await cache.image(for: "a")?.bitmap == Badge.image(3).bitmap)
    _ = cache.memory?.trim(toBytes: 0)
    #expect(try await cache.image(for: "a") == nil)
  }

  @Test("either tier works alone")
  func oneTier() async throws {
    let memory = ImageCache(disk: nil)
    try await memory.store(try Badge.image(1), for: "a")
    #expect(try await memory.image(for: "a")?.bitmap == Badge.image(1).bitmap)
    #expect(try await memory.data(for: "a") == nil)
    #expect(try await memory.statistics().encodes == 0)
    #expect(try await memory.remove("a"))
    #expect(try await memory.image(for: "a") == nil)
    let disk = cache(memory: nil)
    try await disk.store(try Badge.image(1), for: "a")
    for _ in 0..<2 { #expect(try await disk.image(for: "a")?.bitmap == Badge.image(1).bitmap) }
    #expect(try await disk.statistics().decodes == 2)
    #expect(disk.imageInMemory(for: "a") == nil)
  }

  @Test("thumbnails are made from memory or disk, and follow the image")
  func thumbnails() async throws {
    let cache = cache()
    try await cache.store(try Badge.image(1, side: 40), for: "a")
    let small = Thumbnail.fit(width: 10, height: 10)
    #expect(try await cache.image(for: "a", thumbnail: small)?.width == 10)
    #expect(try await cache.statistics().decodes == 0)
    #expect(cache.imageInMemory(for: "a", thumbnail: small)?.width == 10)
    #expect(cache.imageInMemory(for: "a", thumbnail: .fit(width: 11, height: 10)) == nil)
    #expect(cache.imageInMemory(for: "a")?.width == 40)
    let other = self.cache()
    #expect(try await other.image(for: "a", thumbnail: small)?.width == 10)
    #expect(
      other.imageInMemory(for: "a") == nil && other.imageInMemory(for: "a", thumbnail: small)?.width == 10)
    // They go with the image.
    try await cache.store(try Badge.image(2, side: 20), for: "a")
    #expect(cache.imageInMemory(for: "a", thumbnail: small) == nil)
    let replaced = try #require(try await cache.image(for: "a", thumbnail: small))
    #expect(Badge.number(of: replaced) == 2)
    try await cache.remove("a")
    #expect(try await cache.image(for: "a", thumbnail: small) == nil)
    // A thumbnail without a side.
    try await cache.store(try Badge.image(3), for: "a")
    for cache in [cache, self.cache()] {
      await #expect(throws: ImagingError.self) { try await cache.image(for: "a", thumbnail: .fit()) }
    }
  }

  // MARK: The form on disk

  @Test("without data: PNG for alpha, JPEG without, animated WebP for animations")
  func encodingRule() async throws {
    let cache = cache()
    func format(_ key: String) async throws -> ImageFormat? {
      try await cache.data(for: key).flatMap { CoderRegistry.standard.format(of: $0) }
    }
    try await cache.store(try Badge.image(1, alpha: 254), for: "alpha")
    try await cache.store(try Badge.image(1, alpha: 255), for: "opaque")
    // Nobody knows that it is opaque, except by its pixels.
    try await cache.store(try Badge.image(1, alpha: 255, saysOpaque: false), for: "unknown")
    for (alpha, key) in [(UInt16.max, "deep"), (UInt16.max - 1, "deep alpha")] {
      let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), format: .rgba16) { pixels in
        let words = pixels.bindMemory(to: UInt16.self)
        for index in words.indices { words[index] = index % 4 == 3 ? .max : 500 }
        words[words.count - 1] = alpha
        return false
      }
      try await cache.store(Image(bitmap: bitmap), for: key)
    }
    #expect(try await format("alpha") == .png)
    #expect(try await format("opaque") == .jpeg)
    #expect(try await format("unknown") == .jpeg)
    #expect(try await format("deep") == .jpeg)
    #expect(try await format("deep alpha") == .png)
    let frames = try (1...3).map {
      AnimationSource.Frame(bitmap: try Badge.image(UInt8($0 * 60)).bitmap, duration: .milliseconds(35 * $0))
    }
    try await cache.store(frames: frames, loopCount: 4, for: "animation")
    try await cache.store(frames: [frames[0]], for: "still")
    #expect(try await format("animation") == .webp)
    #expect(try await format("still") == .png)
    for cache in [cache, self.cache()] {
      let animation = try #require(try await cache.animation(for: "animation"))
      #expect(animation.frameCount == 3 && animation.loopCount == 4)
      #expect(
        (0..<3).map { animation.duration(of: $0) } == [
          .milliseconds(35), .milliseconds(70), .milliseconds(105),
        ])
      #expect(try await cache.image(for: "animation")?.width == 8)
      #expect(try await cache.animation(for: "still")?.frameCount == 1)
      #expect(try await cache.animation(for: "none") == nil)
    }
    #expect(try await cache.statistics().decodes == 1)
    await #expect(throws: ImagingError.self) { try await cache.store(frames: [], for: "none") }
  }

  @Test("the rule can be replaced, for a cache and for an image")
  func otherEncodings() async throws {
    let seen = Lock<[ImageCache.Encoding.Subject]>([])
    let cache = cache {
      $0.encoding = ImageCache.Encoding { subject in
        seen.withLock { $0.append(subject) }
        return subject.isAnimated ? .gif : .webpLossless
      }
    }
    let frames = try (1...2).map {
      AnimationSource.Frame(bitmap: try Badge.image($0).bitmap, duration: .milliseconds(50))
    }
    try await cache.store(try Badge.image(1, alpha: 255), for: "still")
    try await cache.store(frames: frames, for: "animation")
    try await cache.store(
      try CoderRegistry.standard.decode(try Samples.png()), for: "call",
      options: .init(encoding: .always(.png)))
    #expect(try await CoderRegistry.standard.probe(cache.data(for: "still") ?? Data()).format == .webp)
    #expect(try await CoderRegistry.standard.probe(cache.data(for: "animation") ?? Data()).format == .gif)
    #expect(try await CoderRegistry.standard.probe(cache.data(for: "call") ?? Data()).format == .png)
    let subjects = seen.withLock { $0 }
    #expect(subjects.map(\.isAnimated) == [false, true] && subjects.map(\.hasAlpha) == [false, true])
    #expect(subjects.allSatisfy { $0.size == PixelSize(width: 8, height: 8) && $0.sourceFormat == nil })
    await #expect(throws: ImagingError.self) {
      try await cache.store(frames: frames, for: "x", options: .init(encoding: .always(.jpeg())))
    }
    #expect(try await !cache.contains("x"))
  }

  // MARK: Keys

  @Test("keys are any text, and never the names of files")
  func keys() async throws {
    let long = String(repeating: "lång/", count: 200_000)
    let keys = [
      "", "a", "A", "../../../../etc/passwd", "/", ".", "a\u{0}", "a\u{0}b", "\u{0}", "e\u{301}", "é", "👩‍👩‍👧",
      long,
      long + "1", long + "2", "text 1 a", "a\nthumbnail fit", "image-cache text 6 images\ntext 1 a",
      String(repeating: "x", count: 1024), String(repeating: "x", count: 1025), "https://example.org/a.png",
    ]
    let cache = cache()
    for (index, key) in keys.enumerated() {
      try await cache.store(try Badge.image(UInt8(index + 1)), for: key)
    }
    for cache in [cache, self.cache()] {
      for (index, key) in keys.enumerated() {
        let image = try #require(try await cache.image(for: key))
        #expect(Badge.number(of: image) == UInt8(index + 1), "\(key.prefix(40))")
      }
    }
    #expect(try await cache.statistics().disk?.count == keys.count)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["CACHEDIR.TAG", "v2"])
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.appending(path: "v2").path)
    let isPlain = files.allSatisfy { path in
      path.allSatisfy { $0 == "/" || $0.isHexDigit } || ["tmp", "lock", "index", "journal"].contains(path)
    }
    #expect(isPlain)
    for key in keys { #expect(try await cache.remove(key)) }
    #expect(try await cache.statistics().disk?.count == 0)
  }

  // MARK: Removal and expiry

  @Test("images are removed alone, by tag, and all")
  func removal() async throws {
    let cache = cache()
    for index in 1...6 {
      try await cache.store(
        try Badge.image(UInt8(index)), for: "\(index)",
        options: .init(tags: index < 4 ? ["low", "any"] : ["any"]))
    }
    let small = Thumbnail.fit(width: 2, height: 2)
    _ = try await cache.image(for: "1", thumbnail: small)
    #expect(try await cache.remove("6"))
    #expect(try await !cache.remove("6"))
    #expect(try await cache.image(for: "6") == nil)
    #expect(try await self.cache().image(for: "6") == nil)
    #expect(try await cache.remove("5", from: .memory))
    #expect(cache.imageInMemory(for: "5") == nil)
    #expect(try await cache.image(for: "5") != nil)
    // Three records, three images in memory and a thumbnail.
    #expect(try await cache.removeAll(tag: "low") == 7)
    #expect(cache.imageInMemory(for: "1", thumbnail: small) == nil)
    for key in ["1", "2", "3"] { #expect(try await cache.image(for: key) == nil) }
    #expect(try await cache.contains("4"))
    #expect(try await cache.contains("5"))
    // Images that were read from disk have their tags.
    let other = self.cache()
    _ = try await other.image(for: "4")
    #expect(try await other.removeAll(tag: "any", from: .memory) == 1)
    #expect(other.imageInMemory(for: "4") == nil)
    #expect(try await cache.removeAll() == 4)
    #expect(try await cache.statistics().disk?.count == 0)
    #expect(cache.memory?.statistics.count == 0)
  }

  @Test("the lifetime of an image ends in both tiers, also for its thumbnails")
  func lifetime() async throws {
    let time = time
    func memory() -> MemoryCache<CachedImage> { MemoryCache(byteLimit: 1 << 20, now: { time.instant }) }
    let small = Thumbnail.fit(width: 2, height: 2)
    let first = cache(memory: memory())
    try await first.store(try Badge.image(1), for: "a", options: .init(lifetime: .seconds(100)))
    try await first.store(try Badge.image(2), for: "b")
    time.advance(by: .seconds(60))
    _ = try await first.image(for: "a", thumbnail: small)
    let second = cache(memory: memory())
    #expect(try await second.image(for: "a") != nil)
    time.advance(by: .seconds(39))
    for cache in [first, second] { #expect(try await cache.contains("a", in: .memory)) }
    time.advance(by: .seconds(2))
    for cache in [first, second] {
      #expect(cache.imageInMemory(for: "a") == nil && cache.imageInMemory(for: "a", thumbnail: small) == nil)
      #expect(try await cache.image(for: "a", thumbnail: small) == nil)
      #expect(try await !cache.contains("a"))
      #expect(try await cache.image(for: "b") != nil)
    }
    try await first.store(try Badge.image(1), for: "c", options: .init(lifetime: .seconds(10)))
    time.advance(by: .seconds(11))
    #expect(try await first.trim()?.expired == 1)
    #expect(first.memory?.statistics.expired ?? 0 >= 1)
  }

  @Test("memory follows the age that counts on disk")
  func ageOrigin() async throws {
    let time = time
    var configuration = folder.configuration
    configuration.maxAge = .seconds(100)
    configuration.ageOrigin = .lastStore
    func cache() -> ImageCache {
      ImageCache(
        memory: MemoryCache(byteLimit: 1 << 20, now: { time.instant }),
        disk: DiskCache(configuration, now: { time.date }), now: { time.date })
    }
    let first = cache()
    try await first.store(try Badge.image(1), for: "a")
    time.advance(by: .seconds(60))
    let second = cache()
    for cache in [first, second] { #expect(try await cache.image(for: "a") != nil) }
    time.advance(by: .seconds(50))
    for cache in [first, second] { #expect(try await cache.image(for: "a") == nil) }
  }

  // MARK: Damage and limits

  @Test("a damaged record is absent")
  func damagedRecord() async throws {
    let cache = cache(memory: nil)
    try await cache.store(try Badge.image(1), for: "a")
    let key = ImageKeySpace(name: "images").key("a")
    let file = folder.url.appending(path: "v2/\(key.hexDigest.prefix(2))/\(key.hexDigest.dropFirst(2))")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 20] ^= 1
    try bytes.write(to: file)
    #expect(try await cache.image(for: "a") == nil)
    #expect(try await self.cache().image(for: "a") == nil)
    try await cache.flush()
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try await cache.statistics().disk?.damaged ?? 0 > 0)
  }

  @Test("a record that is no image is removed, and one that exceeds a limit stays")
  func unusableRecords() async throws {
    let (disk, key) = (folder.diskCache(), ImageKeySpace(name: "images").key("a"))
    let cut = try #require(Samples.stream).prefix(50_000)
    for data in [Data("<html>".utf8), Data(), Data(cut)] {
      try await disk.store(data, for: key)
      let cache = cache()
      #expect(try await cache.image(for: "a") == nil)
      #expect(try await cache.animation(for: "a") == nil)
      #expect(try await cache.statistics().discarded == 1)
      #expect(try await disk.read(key) == nil)
    }
    let image = try Badge.image(1, side: 40)
    try await cache().store(image, for: "a")
    let strict = cache { $0.limits.maxPixels = 100 }
    await #expect(throws: ImagingError.limitExceeded(.pixels, value: 1600, limit: 100)) {
      try await strict.image(for: "a")
    }
    #expect(strict.imageInMemory(for: "a") == nil)
    #expect(try await cache().image(for: "a")?.bitmap == image.bitmap)
    // No decoder is no damage.
    let blind = cache { $0.coders.unregisterDecoders { _ in true } }
    await #expect(throws: ImagingError.unsupportedFormat(.png, reason: nil)) {
      try await blind.image(for: "a")
    }
    #expect(try await cache().image(for: "a") != nil)
  }

  @Test("a disk that fails: the image is in memory, and the previous one does not come back")
  func failingDisk() async throws {
    let disk = FaultyCache()
    let cache = ImageCache(memory: MemoryCache(byteLimit: 1 << 20), disk: disk)
    try await cache.store(try Badge.image(1), for: "a")
    disk.fail(.store, with: .diskFull(path: "/x"), times: 1)
    await #expect(throws: CachingError.diskFull(path: "/x")) {
      try await cache.store(try Badge.image(2), for: "a")
    }
    #expect(try await cache.image(for: "a")?.bitmap == Badge.image(2).bitmap)
    _ = cache.memory?.trim(toBytes: 0)
    #expect(try await cache.image(for: "a") == nil)
    disk.fail(.read, with: .stalled(operation: "read", path: "/x", after: .seconds(1)), times: 1)
    await #expect(throws: CachingError.self) { try await cache.image(for: "a") }
    #expect(try await cache.image(for: "a") == nil)
  }
}

/// Small images that PNG preserves and whose number their pixels tell.
enum Badge {
  static func image(
    _ number: some BinaryInteger, side: Int = 8, alpha: UInt8 = 254, saysOpaque: Bool? = nil
  ) throws -> Image {
    let bitmap = try Bitmap(size: PixelSize(width: side, height: side)) { pixels throws(ImagingError) in
      for index in pixels.indices {
        pixels[index] = index % 4 == 3 ? alpha : UInt8(truncatingIfNeeded: number)
      }
      return saysOpaque ?? (alpha == 255)
    }
    return Image(bitmap: bitmap)
  }

  static func number(of image: Image) -> UInt8 { image.bitmap.withUnsafeBytes { $0[0] } }
}
