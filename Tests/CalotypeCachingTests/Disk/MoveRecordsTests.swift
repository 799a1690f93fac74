import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Records of another folder move into the folder of a cache, and none is lost on the way.
@Suite(.timeLimit(.minutes(2))) struct MoveRecordsTests {
  private let folder: TemporaryFolder
  private let time = ManualTime()

  init() throws {
    folder = try TemporaryFolder()
  }

  private var old: URL { folder.url.appending(path: "old", directoryHint: .isDirectory) }

  private func cache(
    files: FaultyFileSystem = FaultyFileSystem(),
    _ change: (inout DiskCache.Configuration) -> Void = { _ in }
  ) -> DiskCache {
    let time = time
    return DiskCache(folder.configuration(change), fileSystem: files, now: { time.date })
  }

  private func oldCache() -> DiskCache { cache { $0.folder = old } }

  private func key(_ number: Int) -> CacheKey { CacheKey("key \(number)", source: "source \(number % 3)") }

  private func fill(_ cache: DiskCache, _ numbers: Range<Int>, seed: UInt64 = 0) async throws {
    for number in numbers {
      try await cache.store(
        bytes(100 + number, seed: seed + UInt64(number)), metadata: .init(tags: ["tag \(number % 2)"]),
        for: key(number))
    }
  }

  private func check(_ cache: DiskCache, _ numbers: Range<Int>, _ comment: Comment? = nil) async throws {
    for number in numbers {
      let record = try await cache.read(key(number))
      #expect(record?.data == bytes(100 + number, seed: UInt64(number)), comment)
      #expect(record?.metadata.tags == ["tag \(number % 2)"], comment)
    }
  }

  /// Lets the first attempt to give a record its name fail, as if the file were on another file system.
  private final class Elsewhere: Sendable {
    private let seen = Lock<Set<String>>([])

    func check(_ operation: FaultyFileSystem.Operation, _ path: String) throws(FileSystemError) {
      guard operation == .rename, path.split(separator: "/").last?.count == 62,
        seen.withLock({ $0.insert(path).inserted })
      else { return }
      throw FileSystemError(operation: "rename", path: path, code: EXDEV)
    }
  }

  @Test func allMoveWithTheirAgeAndLabels() async throws {
    try await fill(oldCache(), 0..<300)
    let stored = time.date
    time.advance(by: .seconds(1000))
    // Of another program.
    try Data("mine".utf8).write(to: old.appending(path: "v2/00.txt"))
    let cache = cache()
    #expect(try await cache.moveRecords(from: old) == .init(moved: 300))
    #expect(try await cache.statistics().count == 300)
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
    #expect(try await oldCache().statistics().count == 0)
    #expect(try await oldCache().entries().isEmpty)
    #expect(try Data(contentsOf: old.appending(path: "v2/00.txt")) == Data("mine".utf8))
    #expect(try await cache.entries().allSatisfy { $0.created == stored && $0.accessed == stored })
    try await check(cache, 0..<300)
    try await check(self.cache(), 0..<300)
    // Sources and tags are known.
    #expect(try await cache.removeAll(.tag("tag 1")) == 150)
    #expect(try await cache.removeAll(.source("source 0")) == 50)
    // It is over.
    #expect(try await cache.moveRecords(from: old) == .init())
  }

  @Test func theLaterStoreOfAKeyStays() async throws {
    let (old, cache) = (oldCache(), cache())
    try await old.store(bytes(10, seed: 1), for: key(1))
    time.advance(by: .seconds(1))
    try await cache.store(bytes(10, seed: 2), for: key(1))
    try await cache.store(bytes(10, seed: 2), for: key(2))
    time.advance(by: .seconds(1))
    try await old.store(bytes(10, seed: 3), for: key(2))
    try await fill(old, 3..<20)
    try await fill(cache, 20..<40)
    #expect(try await cache.moveRecords(from: self.old) == .init(moved: 18, superseded: 1))
    #expect(try await cache.read(key(1))?.data == bytes(10, seed: 2))
    #expect(try await cache.read(key(2))?.data == bytes(10, seed: 3))
    try await check(cache, 3..<40)
    // A record that was replaced does not come back when its successor is removed.
    try await cache.remove(key(1))
    #expect(try await self.cache().moveRecords(from: self.old) == .init())
    #expect(try await cache.read(key(1)) == nil)
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
  }

  @Test func nothingIsEvictedForThem() async throws {
    try await fill(oldCache(), 0..<100)
    let cache = cache { $0.countLimit = 30 }
    try await fill(cache, 100..<110)
    #expect(try await cache.moveRecords(from: old) == .init(moved: 20, remaining: 80))
    try await check(cache, 100..<110)
    #expect(try await cache.statistics().evictions == 0)
    #expect(try await oldCache().statistics().count == 80)
    let large = self.cache { $0.countLimit = 1000 }
    #expect(try await large.moveRecords(from: old) == .init(moved: 80))
    try await check(large, 0..<110)
  }

  @Test func aMissingFolderAndTheOwnOneAreLeftAlone() async throws {
    let cache = cache()
    #expect(try await cache.moveRecords(from: old) == .init())
    try await fill(cache, 0..<5)
    #expect(try await cache.moveRecords(from: folder.cache) == .init())
    #expect(symlink(folder.cache.path, old.path) == 0)
    #expect(try await cache.moveRecords(from: old) == .init())
    try await check(cache, 0..<5)
  }

  @Test func namespacesMove() async throws {
    try await fill(cache { ($0.folder, $0.namespace) = (old, "a/b") }, 0..<5)
    let cache = cache { $0.namespace = "c" }
    #expect(try await cache.moveRecords(from: old) == .init())
    #expect(try await cache.moveRecords(from: old, namespace: "a/b") == .init(moved: 5))
    try await check(cache, 0..<5)
  }

  @Test func manyMayMoveAtOnce() async throws {
    try await fill(oldCache(), 0..<400)
    let caches = (0..<4).map { _ in cache() }
    let moved = try await withThrowingTaskGroup(of: Int.self) { group in
      for cache in caches { group.addTask { try await cache.moveRecords(from: old).moved } }
      // Both folders are in use meanwhile.
      group.addTask {
        try await fill(caches[0], 400..<500)
        return 0
      }
      return try await group.reduce(0, +)
    }
    #expect(moved == 400)
    for cache in caches { try await check(cache, 0..<500) }
    #expect(try await caches[1].statistics().bytes == folder.walk().bytes)
  }

  @Test func otherFileSystemsAreCopied() async throws {
    try await fill(oldCache(), 0..<20)
    let files = FaultyFileSystem()
    let elsewhere = Elsewhere()
    files.intercept { operation, path throws(FileSystemError) in try elsewhere.check(operation, path) }
    let cache = cache(files: files)
    #expect(try await cache.moveRecords(from: self.old) == .init(moved: 20))
    try await check(cache, 0..<20)
    #expect(try await oldCache().entries().isEmpty)
    #expect(folder.temporaries.isEmpty)
    #expect(files.calls(.synchronize) >= 20)
  }

  /// The process dies at one of the operations, or the operation fails; or every move is a copy meanwhile.
  @Test(arguments: [false, true], [false, true])
  func deathAndFaultsLoseNothing(dies: Bool, isElsewhere: Bool) async throws {
    var first = 1
    while true {
      let folder = try TemporaryFolder()
      let (old, time) = (folder.url.appending(path: "old", directoryHint: .isDirectory), time)
      let files = FaultyFileSystem()
      func cache(_ folder: TemporaryFolder, files: FaultyFileSystem = FaultyFileSystem()) -> DiskCache {
        DiskCache(folder.configuration(), fileSystem: files, now: { time.date })
      }
      func oldCache() -> DiskCache {
        DiskCache(folder.configuration { $0.folder = old }, now: { time.date })
      }
      try await fill(oldCache(), 0..<3)
      try await oldCache().store(bytes(10, seed: 98), for: key(3))
      time.advance(by: .seconds(1))
      try await cache(folder).store(bytes(103, seed: 3), metadata: .init(tags: ["tag 1"]), for: key(3))
      let (count, elsewhere) = (Lock(0), Elsewhere())
      let broken = first..<(dies ? Int.max : first + 1)
      files.intercept { operation, path throws(FileSystemError) in
        if operation == .list, !path.hasSuffix("/00") { return }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if broken.contains(number) { throw FileSystemError(operation: "\(operation)", path: path, code: EIO) }
        if isElsewhere { try elsewhere.check(operation, path) }
      }
      _ = try? await cache(folder, files: files).moveRecords(from: old)
      let comment: Comment = "operation \(first)"
      // Each is in one of the folders.
      for number in 0..<4 {
        let here = try await cache(folder).read(key(number))
        let there = try await oldCache().read(key(number))
        #expect(here != nil || there != nil, comment)
      }
      let next = cache(folder)
      try await next.moveRecords(from: old)
      try await check(next, 0..<4, comment)
      #expect(try await oldCache().entries().isEmpty, comment)
      #expect(try await next.trim().count == 4, comment)
      if count.withLock({ $0 }) < first { break }
      first += 1
    }
    #expect(first > 30)
  }
}
