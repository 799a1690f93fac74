import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import PipelineSamples
import Testing

@testable import Calotype

/// Folders of image caches: shared, read-only, and moved.
@Suite("Image caches: folders", .timeLimit(.minutes(1)))
struct ImageCacheFolderTests {
  private let folder: CacheFolder

  init() throws {
    folder = try CacheFolder()
  }

  private func disk(_ name: String) -> DiskCache {
    var configuration = folder.configuration
    configuration.folder = folder.url.appending(path: name, directoryHint: .isDirectory)
    return DiskCache(configuration)
  }

  private func named(_ name: String) -> ImageCache.Configuration {
    var configuration = ImageCache.Configuration()
    configuration.name = name
    return configuration
  }

  // MARK: Names

  @Test("caches of different names do not see each other, in one folder and one memory")
  func names() async throws {
    let (disk, memory) = (disk("a"), MemoryCache<CachedImage>(byteLimit: 1 << 20))
    // Names that could be mistaken for one another.
    let long = String(repeating: "n", count: 100_000)
    let names = ["", "a", "a\ntext 1 a", "text 1 a", "ab", long, long + "x"]
    let caches = names.map { ImageCache(named($0), memory: memory, disk: disk) }
    for (index, cache) in caches.enumerated() {
      try await cache.store(try Badge.image(index + 1), for: "key", options: .init(tags: ["tag"]))
      try await cache.store(try Badge.image(index + 1), for: "other")
    }
    func check(_ expected: [Bool], _ key: String) async throws {
      for (index, cache) in caches.enumerated() {
        let image = try await cache.image(for: key)
        #expect(image.map { Badge.number(of: $0) } == (expected[index] ? UInt8(index + 1) : nil))
        // By another process.
        let other = ImageCache(named(names[index]), disk: self.disk("a"))
        #expect(
          try await other.image(for: key).map { Badge.number(of: $0) }
            == (expected[index] ? UInt8(index + 1) : nil))
      }
    }
    try await check([true, true, true, true, true, true, true], "key")
    try await caches[1].remove("key")
    try await check([true, false, true, true, true, true, true], "key")
    #expect(try await caches[2].removeAll(tag: "tag") == 2)
    try await check([true, false, false, true, true, true, true], "key")
    #expect(try await caches[3].removeAll() == 4)
    #expect(try await caches[5].removeAll() == 4)
    try await check([true, false, false, false, true, false, true], "key")
    try await check([true, true, true, false, true, false, true], "other")
  }

  @Test("caches of one name and folder share their images")
  func sharedFolder() async throws {
    let caches = [ImageCache(disk: disk("a")), ImageCache(disk: disk("a"))]
    for round in 1...20 {
      let (writer, reader) = (caches[round % 2], caches[(round + 1) % 2])
      try await writer.store(try Badge.image(round), for: "\(round)")
      #expect(try await reader.image(for: "\(round)")?.bitmap == Badge.image(round).bitmap)
    }
    try await caches[0].removeAll()
    #expect(try await caches[1].statistics().disk?.count == 0)
  }

  @Test("a pipeline over the same folder and memory is not disturbed, nor does it disturb")
  func pipelines() async throws {
    let (disk, memory, loader) = (disk("a"), MemoryCache<CachedImage>(byteLimit: 1 << 20), FakeLoader())
    let url = try #require(URL(string: "http://images.test/a.png"))
    loader.route(url, .body(try Samples.png(shade: 77)))
    let pipeline = ImagePipeline(
      .init(
        loader: loader, memoryCache: memory, diskCache: disk,
        freshness: FreshnessPolicy(defaultLifetime: .seconds(1000))))
    var request = ImageRequest(url: url)
    request.tags = ["tag"]
    let cache = ImageCache(memory: memory, disk: disk)
    for key in [url.absoluteString, request.key.text, request.sourceKey.text] {
      try await cache.store(try Badge.image(9), for: key, options: .init(tags: ["tag"]))
    }
    let loaded = try await pipeline.response(for: request)
    #expect(loaded.source == .loader && Badge.number(of: loaded.image) == 77)
    await pipeline.settle()
    #expect(try await cache.image(for: url.absoluteString).map { Badge.number(of: $0) } == 9)
    // Whatever the pipeline removes by name is its own.
    for selection in [
      CacheSelection.source(url.absoluteString), .sourcePrefix("http"), .host("images.test"), .tag("tag"),
    ] {
      try await pipeline.cache.removeAll(selection)
      #expect(try await pipeline.response(for: request).source == .loader)
      await pipeline.settle()
      for tier in [ImageCache.Tiers.memory, .disk] {
        for key in [url.absoluteString, request.key.text, request.sourceKey.text] {
          #expect(try await cache.contains(key, in: tier), "\(selection)")
        }
      }
    }
    #expect(try await cache.removeAll(tag: "tag") == 6)
    #expect(try await cache.removeAll() == 0)
    #expect(await pipeline.cache.tiers(of: request) == .all)
  }

  @Test("the default is a namespace of its own, which a pipeline does not empty")
  func defaultFolder() async throws {
    let cache = ImageCache()
    #expect(cache.diskCache?.configuration.namespace == "images")
    #expect(cache.diskCache?.configuration.maxAge == .seconds(7 * 86_400))
    #expect(cache.diskCache?.configuration.ageOrigin == .lastAccess)
    #expect(cache.diskCache?.configuration.byteLimit == 1 << 30)
    #expect(cache.memory?.statistics.byteLimit == MemoryCache<CachedImage>.defaultByteLimit)
  }

  // MARK: Read-only folders

  @Test("read-only folders are searched after the own one, and never changed")
  func readOnlyFolders() async throws {
    for (name, number) in [("first", 1), ("second", 2)] {
      let seed = ImageCache(disk: disk(name))
      try await seed.store(try Badge.image(number), for: "both", options: .init(tags: ["x"]))
      try await seed.store(try Badge.image(number), for: name)
    }
    func cache() -> ImageCache { ImageCache(disk: disk("own"), readOnly: [disk("first"), disk("second")]) }
    func number(_ key: String) async throws -> UInt8? {
      try await cache().image(for: key).map { Badge.number(of: $0) }
    }
    #expect(try await number("both") == 1)
    #expect(try await number("second") == 2)
    #expect(try await number("none") == nil)
    #expect(try await cache().contains("second", in: .disk))
    #expect(try await cache().data(for: "first") != nil)
    // Not copied.
    #expect(try await disk("own").statistics().count == 0)
    try await cache().store(try Badge.image(3), for: "both")
    #expect(try await number("both") == 3)
    #expect(try await cache().statistics().disk?.count == 1)
    #expect(try await cache().remove("both"))
    #expect(try await number("both") == 1)
    #expect(try await cache().removeAll(tag: "x") == 0)
    #expect(try await cache().removeAll() == 0)
    #expect(try await disk("first").statistics().count == 2)
    #expect(try await disk("second").statistics().count == 2)
    // Behind an unusable record there may be a sound one.
    try await disk("own").store(Data("<html>".utf8), for: ImageKeySpace(name: "images").key("both"))
    #expect(try await number("both") == 1)
    #expect(try await disk("own").statistics().count == 0)
    // No folder of its own.
    let seeds = ImageCache(disk: nil, readOnly: [disk("second")])
    try await seeds.store(try Badge.image(4), for: "second")
    #expect(try await seeds.image(for: "second").map { Badge.number(of: $0) } == 4)
    #expect(try await seeds.remove("second"))
    #expect(try await seeds.image(for: "second").map { Badge.number(of: $0) } == 2)
  }

  // MARK: Migration

  private func migrating(_ name: String = "new") -> ImageCache {
    var configuration = ImageCache.Configuration()
    configuration.migratesFrom = folder.url.appending(path: "old", directoryHint: .isDirectory)
    return ImageCache(configuration, disk: disk(name))
  }

  @Test("an older folder moves at the first use, whatever that is")
  func migration() async throws {
    let uses: [(String, @Sendable (ImageCache) async throws -> Bool)] = [
      ("image", { try await $0.image(for: "3") != nil }),
      ("thumbnail", { try await $0.image(for: "3", thumbnail: .fit(width: 2))?.width == 2 }),
      ("animation", { try await $0.animation(for: "3") != nil }),
      ("data", { try await $0.data(for: "3") != nil }),
      ("contains", { try await $0.contains("3") }),
      ("store", { try await $0.store(try Badge.image(3), for: "3") == () }),
      ("trim", { try await $0.trim()?.count == 5 }),
    ]
    for (name, use) in uses {
      let old = ImageCache(disk: disk("old"))
      for number in 1...5 { try await old.store(try Badge.image(number), for: "\(number)") }
      let cache = migrating(name)
      #expect(try await disk("old").statistics().count == 5)
      #expect(try await use(cache), "\(name)")
      #expect(try await cache.statistics().migrated == 5, "\(name)")
      #expect(try await disk("old").statistics().count == 0)
      for number in 1...5 {
        #expect(try await cache.image(for: "\(number)").map { Badge.number(of: $0) } == UInt8(number))
      }
      // Once: a folder that fills again waits for the next process.
      try await old.store(try Badge.image(6), for: "6")
      #expect(try await cache.image(for: "6") == nil)
      #expect(try await migrating(name).image(for: "6") != nil)
    }
    let removals: [(String, @Sendable (ImageCache) async throws -> Int)] = [
      ("remove", { try await $0.remove("1") ? 1 : 0 }), ("removeAll", { try await $0.removeAll() }),
      ("removeAll(tag:)", { try await $0.removeAll(tag: "x") }),
    ]
    for (name, removal) in removals {
      let old = ImageCache(disk: disk("old"))
      try await old.store(try Badge.image(1), for: "1", options: .init(tags: ["x"]))
      let cache = migrating(name)
      // The images of the old folder must not return after it.
      #expect(try await removal(cache) == 1, "\(name)")
      #expect(try await cache.image(for: "1") == nil)
      #expect(try await migrating(name).image(for: "1") == nil)
    }
  }

  @Test("several processes may migrate at once, into a folder with images")
  func concurrentMigration() async throws {
    let old = ImageCache(disk: disk("old"))
    for number in 1...100 { try await old.store(try Badge.image(number), for: "\(number)") }
    let before = ImageCache(disk: disk("new"))
    // Newer than the image of that key in the old folder.
    try await before.store(try Badge.image(201), for: "1")
    try await before.store(try Badge.image(202), for: "x")
    let caches = (0..<4).map { _ in migrating() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, cache) in caches.enumerated() {
        for number in stride(from: index + 2, through: 100, by: 7) {
          group.addTask {
            let image = try await cache.image(for: "\(number)")
            #expect(image.map { Badge.number(of: $0) } == UInt8(number))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await caches[0].image(for: "1").map { Badge.number(of: $0) } == 201)
    #expect(try await caches[1].image(for: "x").map { Badge.number(of: $0) } == 202)
    var migrated = 0
    for cache in caches {
      _ = try await cache.data(for: "1")
      migrated += try await cache.statistics().migrated
    }
    #expect(migrated == 99)
    #expect(try await disk("new").statistics().count == 101)
  }

  @Test("a migration that fails is reported, and the cache works")
  func failedMigration() async throws {
    let old = ImageCache(disk: disk("old"))
    try await old.store(try Badge.image(1), for: "1")
    let files = FaultyFileSystem()
    files.fail(.rename, with: EIO)
    var configuration = ImageCache.Configuration()
    configuration.migratesFrom = folder.url.appending(path: "old", directoryHint: .isDirectory)
    var new = folder.configuration
    new.folder = folder.url.appending(path: "new", directoryHint: .isDirectory)
    let cache = ImageCache(configuration, disk: DiskCache(new, fileSystem: files))
    #expect(try await cache.image(for: "1") == nil)
    files.heal()
    #expect(try await cache.statistics().migrationFailure != nil)
    try await cache.store(try Badge.image(2), for: "2")
    #expect(try await cache.image(for: "2") != nil)
    #expect(try await disk("old").statistics().count == 1)
    #expect(try await migrating().image(for: "1") != nil)
  }
}
