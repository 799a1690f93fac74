import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// A process may die at any change it makes to the folder: the next one finds all that was confirmed, and no more bytes
/// than are allowed.
@Suite struct DeathTests {
  private func configuration(_ folder: TemporaryFolder, byteLimit: Int) -> DiskCache.Configuration {
    folder.configuration {
      $0.byteLimit = byteLimit
      $0.recordByteLimit = 5000
      $0.threads = 1
      // So that the index is written anew every few stores.
      $0.journalCount = 7
      $0.sharedPayloadBytes = CacheScript.sharedPayloadBytes
    }
  }

  /// Runs the script with a file system and checks what the next process finds.
  ///
  /// - Returns: Whether that one had to list the folder.
  private func check(
    _ files: DyingFileSystem, byteLimit: Int, evicts: Bool, isShared: Bool
  ) async throws -> Bool {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let configuration = configuration(folder, byteLimit: byteLimit)
    var script = CacheScript(isShared: isShared)
    let cache = DiskCache(configuration, fileSystem: files, now: { time.date })
    await script.run(cache, time)
    if !files.isDead { #expect((try await cache.statistics().sharedStores > 10) == isShared) }
    let comment: Comment = "dies at change \(files.changes)"

    let left = folder.walk()
    #expect(left.bytes + left.unfinished <= byteLimit, comment)
    let next = DiskCache(configuration, now: { time.date })
    let first = try await next.statistics()
    #expect(first.failures == 0, comment)
    // A removal that was not noted any more is counted until somebody wants the room. What nobody uses is gone.
    let settled = isShared ? folder.walk() : left
    #expect(first.bytes >= settled.bytes && first.count >= settled.count, comment)
    for index in 0..<CacheScript.keys {
      let number = CacheScript.number(of: try await next.read(CacheScript.key(index)))
      let isEvicted = evicts && number == nil && index != script.newest
      #expect(isEvicted || script.possible[index].contains(number), comment)
    }
    let trimmed = try await next.trim()
    let rest = isShared ? folder.walk() : left
    #expect(trimmed.bytes == rest.bytes && trimmed.count == rest.count, comment)
    #expect(folder.temporaries.isEmpty, comment)
    try await next.store(bytes(2000), for: CacheScript.key(0))
    #expect(try await next.read(CacheScript.key(0))?.data == bytes(2000), comment)
    let (last, walked) = (try await next.statistics(), folder.walk())
    #expect(last.damaged == 0 && last.failures == 0, comment)
    #expect(last.bytes == walked.bytes && last.count == walked.count, comment)
    return first.rebuilds > 0
  }

  @Test(
    .timeLimit(.minutes(4)),
    arguments: [
      (1_000_000, false, false), (12_000, true, false), (1_000_000, false, true), (9_000, true, true),
    ], DyingFileSystem.Manner.allCases)
  func everyChangeMayBeTheLast(
    limit: (bytes: Int, evicts: Bool, isShared: Bool), manner: DyingFileSystem.Manner
  ) async throws {
    let alive = DyingFileSystem()
    _ = try await check(alive, byteLimit: limit.bytes, evicts: limit.evicts, isShared: limit.isShared)
    #expect(alive.changes > 200)
    var rebuilds = 0
    for last in 1...alive.changes {
      let files = DyingFileSystem(last: last, manner)
      if try await check(files, byteLimit: limit.bytes, evicts: limit.evicts, isShared: limit.isShared) {
        rebuilds += 1
      }
      #expect(files.isDead)
    }
    print(
      "\(alive.changes) deaths \(manner), \(limit.bytes) bytes: the folder had to be listed after \(rebuilds)"
    )
  }
}
