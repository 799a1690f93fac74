import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

@Suite struct DiskFaultTests {
  private let key = CacheKey("key")
  private let folder: TemporaryFolder
  private let files = FaultyFileSystem()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache {
    DiskCache(folder.configuration(change), fileSystem: files)
  }

  @Test func aFullDeviceMakesRoomOnce() async throws {
    let cache = cache { $0.byteLimit = 100_000 }
    for number in 0..<8 { try await cache.store(bytes(10_000), for: CacheKey("old \(number)")) }
    _ = try await cache.trim()
    files.fail(.create, with: ENOSPC, times: 1)
    try await cache.store(bytes(10_000, seed: 9), for: key)
    #expect(try await cache.read(key)?.data == bytes(10_000, seed: 9))
    let statistics = try await cache.statistics()
    #expect(statistics.evictions > 0)
    #expect(statistics.failures == 0)
  }

  @Test(arguments: [ENOSPC, EDQUOT])
  func aDeviceThatStaysFullIsReported(code: Int32) async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: CacheKey("other"))
    files.fail(.create, with: code)
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    #expect(error?.code == "cacheDiskFull")
    #expect(error?.isRetryable == true)
    #expect(error?.description.contains(folder.cache.path) == true)
    files.heal()
    #expect(try await cache.read(key) == nil)
    try await cache.store(bytes(100), for: key)
    #expect(try await cache.read(key) != nil)
  }

  @Test(arguments: [
    (EIO, "cacheFileSystem", true), (EROFS, "cacheReadOnly", false), (EACCES, "cachePermissionDenied", false),
    (EMFILE, "cacheFileSystem", true), (ENAMETOOLONG, "cacheFileSystem", false),
  ])
  func failedStoresKeepTheOldRecordAndLeaveNothing(code: Int32, name: String, retryable: Bool) async throws {
    let cache = cache()
    try await cache.store(bytes(100, seed: 1), for: key)
    for operation in [FaultyFileSystem.Operation.create, .rename, .status] {
      files.fail(operation, with: code)
      let error = await #expect(throws: CachingError.self) {
        try await cache.store(bytes(100, seed: 2), for: key)
      }
      #expect(error?.code == name)
      #expect(error?.isRetryable == retryable)
      files.heal()
      #expect(folder.temporaries.isEmpty)
      #expect(try await cache.read(key)?.data == bytes(100, seed: 1))
    }
    #expect(try await cache.statistics().failures == 3)
  }

  @Test(arguments: [FaultyFileSystem.Operation.open, .read])
  func failedReadsAreErrorsAndRemoveNothing(operation: FaultyFileSystem.Operation) async throws {
    let cache = cache()
    try await cache.store(bytes(10_000), for: key)
    files.fail(operation, with: EIO)
    let error = await #expect(throws: CachingError.self) { try await cache.read(key) }
    guard case .fileSystem(_, let path, EIO) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == folder.record(key).path)
    #expect(error?.description.contains("Input/output error") == true)
    await #expect(throws: CachingError.self) { try await cache.contains(key) }
    files.heal()
    #expect(try await cache.read(key)?.data == bytes(10_000))
  }

  @Test func aReadOnlyFolderStillServes() async throws {
    let time = ManualTime()
    let cache = DiskCache(folder.configuration(), fileSystem: files, now: { time.date })
    try await cache.store(bytes(100), for: key)
    time.advance(by: .seconds(3600))
    for operation in [FaultyFileSystem.Operation.create, .rename, .remove, .touch, .makeFolder] {
      files.fail(operation, with: EROFS)
    }
    #expect(try await cache.read(key)?.data == bytes(100))
    await #expect(throws: CachingError.self) { try await cache.store(bytes(1), for: key) }
    await #expect(throws: CachingError.self) { try await cache.remove(key) }
    await #expect(throws: CachingError.self) { try await cache.removeAll() }
    time.advance(by: .seconds(8 * 24 * 3600))
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.read(key) == nil)
    await #expect(throws: CachingError.self) { try await cache.trim() }
  }

  @Test func foldersThatVanishBetweenTheStepsAreMadeAgain() async throws {
    let cache = cache()
    let root = folder.cache
    let once = Once()
    files.intercept { operation, _ throws(FileSystemError) in
      if operation == .rename, once.take() { try? FileManager.default.removeItem(at: root) }
    }
    try await cache.store(bytes(100), for: key)
    #expect(try await cache.read(key)?.data == bytes(100))

    // Somebody who does it every time is an error, not a loop.
    files.intercept { operation, _ throws(FileSystemError) in
      if operation == .rename { try? FileManager.default.removeItem(at: root) }
    }
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    #expect(error?.code == "cacheFileSystem")
  }

  @Test func recordsThatVanishDuringATrimAreNoError() async throws {
    let cache = cache { $0.byteLimit = 50_000 }
    _ = try await cache.statistics()
    let folder = folder
    files.intercept { operation, path throws(FileSystemError) in
      if operation == .remove, path.contains("/v2/"), !path.contains("/tmp/") { unlink(path) }
    }
    for number in 0..<10 { try await cache.store(bytes(10_000), for: CacheKey("key \(number)")) }
    #expect(try await cache.trim().bytes <= 50_000)
    #expect(try await cache.statistics().failures == 0)
    #expect(folder.temporaries.isEmpty)
  }

  @Test func aRecordReadDuringATrimSurvivesIt() async throws {
    let time = ManualTime()
    let cache = DiskCache(
      folder.configuration {
        $0.byteLimit = 50_000
        $0.lowWatermark = 0.5
      }, fileSystem: files, now: { time.date })
    _ = try await cache.statistics()
    for number in 0..<4 {
      try await cache.store(bytes(10_000), for: CacheKey("key \(number)"))
      time.advance(by: .seconds(10))
    }
    let oldest = folder.record(CacheKey("key 0")).path
    let now = time.date
    let once = Once()
    files.intercept { operation, path throws(FileSystemError) in
      // The question before the removal: the record was read since the scan.
      if operation == .status, path == oldest, once.take() {
        try PosixFileSystem().touch(path, modified: now)
      }
    }
    try await cache.store(bytes(10_000), for: key)
    #expect(try await cache.contains(CacheKey("key 0")))
    #expect(try await !cache.contains(CacheKey("key 1")))
  }

  @Test func readsDoNotWaitForAScanNorForStores() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let gate = Gate()
    files.intercept { operation, _ throws(FileSystemError) in
      if operation == .list { gate.wait() }
    }
    let scan = Task { try await cache.trim() }
    await gate.reached()
    #expect(try await cache.read(key) != nil)
    let second = try cache.handOver(bytes(200), for: CacheKey("second"))
    #expect(try await cache.read(CacheKey("second"))?.data == bytes(200))
    gate.open()
    _ = try await scan.value
    try await second.written()
    #expect(try await cache.statistics().count == 2)
  }

  @Test func aFolderThatCannotBeListedIsAnErrorUntilItCan() async throws {
    try await cache().store(bytes(100), for: key)
    unlink(folder.cache.appending(path: "v2/index").path)
    files.fail(.list, with: EACCES)
    let cache = cache()
    await #expect(throws: CachingError.self) { try await cache.statistics() }
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(1), for: key) }
    #expect(error?.code == "cachePermissionDenied")
    // Records are found without any list.
    #expect(try await cache.read(key)?.data == bytes(100))
    files.heal()
    let statistics = try await cache.statistics()
    #expect(statistics.count == 1)
    #expect(statistics.failures == 2)
    #expect(statistics.lastFailure?.code == "cachePermissionDenied")
  }

  @Test func whatFailsForGoodIsTriedOnce() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let (calls, code) = (files.calls(.lock), EACCES)
    files.fail(.lock, with: code)
    await #expect(throws: CachingError.self) { try await cache.store(bytes(1), for: key) }
    #expect(files.calls(.lock) == calls + 1)
  }

  @Test(arguments: [nil, 50, 100, 300])
  func aRenameThatWasDoneAndFailedAllTheSameIsSeen(before: Int?) async throws {
    let cache = cache()
    if let before { try await cache.store(bytes(before, seed: 3), for: key) }
    let new = folder.cache.appending(path: "v2/tmp/new").path
    let path = folder.record(key).path
    try FileManager.default.createDirectory(
      at: folder.record(key).deletingLastPathComponent(), withIntermediateDirectories: true)
    files.intercept { operation, name throws(FileSystemError) in
      // As when the folder cannot be brought to the device.
      guard operation == .rename, name == path else { return }
      rename(new, path)
      throw FileSystemError(operation: "fsync", path: path, code: EIO)
    }
    await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    files.heal()
    #expect(try await cache.read(key)?.data == bytes(100))
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
    #expect(try await DiskCache(folder.configuration()).statistics().bytes == folder.walk().bytes)
  }
}
