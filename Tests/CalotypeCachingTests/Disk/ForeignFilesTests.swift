import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Files in the folder of a cache that it did not put there.
@Suite struct ForeignFilesTests {
  private let key = CacheKey("https://example.org/image.png")

  @Test func partsOfDownloadsBesideTheRecordsStayAndAreNotOthers() async throws {
    let folder = try TemporaryFolder()
    let part = folder.cache.appending(path: "partial/part")
    try FileManager.default.createDirectory(
      at: part.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes(10).write(to: part)
    let cache = DiskCache(folder.configuration())
    try await cache.store(bytes(10), for: key)
    #expect(FileManager.default.fileExists(atPath: folder.cache.appending(path: "CACHEDIR.TAG").path))
    #expect(try await cache.removeAll() == 1)
    #expect(try await cache.trim().count == 0)
    #expect(FileManager.default.fileExists(atPath: part.path))
  }

  @Test func aFolderOfOthersIsNotTaggedAndTheirFilesStay() async throws {
    let folder = try TemporaryFolder()
    let foreign = folder.cache.appending(path: "holiday.jpg")
    try FileManager.default.createDirectory(at: folder.cache, withIntermediateDirectories: true)
    try bytes(10).write(to: foreign)
    let cache = DiskCache(folder.configuration())
    try await cache.store(bytes(10), for: key)
    let beside = folder.record(key).deletingLastPathComponent().appending(path: "note.txt")
    try bytes(10).write(to: beside)
    #expect(try await cache.removeAll() == 1)
    #expect(try await cache.read(key) == nil)
    #expect(FileManager.default.fileExists(atPath: foreign.path))
    #expect(FileManager.default.fileExists(atPath: beside.path))
    #expect(!FileManager.default.fileExists(atPath: folder.cache.appending(path: "CACHEDIR.TAG").path))
  }

  @Test func linksPipesAndFoldersInThePlaceOfRecordsAreNotFollowed() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    try await cache.store(bytes(100), for: key)
    let path = folder.record(key).path
    let secret = folder.path("secret")
    #expect(rename(path, secret) == 0)

    #expect(symlink(secret, path) == 0)
    #expect(try await !cache.contains(key))
    #expect(try await cache.read(key) == nil)
    try await cache.flush()
    #expect(FileManager.default.fileExists(atPath: secret))

    #expect(mkfifo(path, 0o600) == 0)
    #expect(try await cache.read(key) == nil)
    try await cache.flush()

    try await cache.store(bytes(100), for: key)
    #expect(try await cache.read(key) != nil)
    unlink(path)
    #expect(mkdir(path, 0o700) == 0)
    await #expect(throws: CachingError.self) { try await cache.read(key) }
    await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    #expect(folder.temporaries.isEmpty)
  }

  @Test func whatDeadWritersLeftIsRemoved() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    try await cache.store(bytes(1), for: key)
    let place = folder.cache.appending(path: "v2/tmp")
    for name in ["new", "index", "strange"] { try bytes(10).write(to: place.appending(path: name)) }
    #expect(try await cache.trim().staleTemporaries == 3)
    #expect(folder.temporaries.isEmpty)
    #expect(try await cache.read(key) != nil)
  }

  @Test func whatStandsWhereRecordsAreWrittenIsReplacedAndNotWrittenTo() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    try await cache.store(bytes(1), for: key)
    let place = folder.cache.appending(path: "v2/tmp/new").path
    let other = folder.path("other")
    try bytes(50).write(to: URL(filePath: other))
    let changes: [() -> Int32] = [
      { link(other, place) }, { symlink(other, place) }, { mkfifo(place, 0o600) },
    ]
    for (number, change) in changes.enumerated() {
      #expect(change() == 0)
      try await cache.store(bytes(100 + number), for: key)
      #expect(try await cache.read(key)?.data == bytes(100 + number))
    }
    #expect(try Data(contentsOf: URL(filePath: other)) == bytes(50))
    #expect(folder.temporaries.isEmpty)
  }
}
