import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

@Suite struct DiskFaultTests {
  private let key = CacheKey("key")
  private let disk: FaultyDisk

  init() throws {
    disk = try FaultyDisk()
  }

  @Test func aFullDeviceMakesRoomOnce() async throws {
    let cache = disk.cache { $0.byteLimit = 100_000 }
    for number in 0..<8 { try await cache.store(bytes(10_000), for: CacheKey("old \(number)")) }
    _ = try await cache.trim()
    disk.files.fail(.create, with: ENOSPC, times: 1)
    try await cache.store(bytes(10_000, seed: 9), for: key)
    #expect(try await cache.read(key)?.data == bytes(10_000, seed: 9))
    let statistics = try await cache.statistics()
    #expect(statistics.evictions > 0)
    #expect(statistics.failures == 0)
  }

  @Test(arguments: [ENOSPC, EDQUOT])
  func aDeviceThatStaysFullIsReported(code: Int32) async throws {
    let cache = disk.cache()
    try await cache.store(bytes(100), for: CacheKey("other"))
    disk.files.fail(.create, with: code)
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    #expect(error?.code == "cacheDiskFull")
    #expect(error?.isRetryable == true)
    #expect(error?.description.contains(disk.folder.cache.path) == true)
    disk.files.heal()
    #expect(try await cache.read(key) == nil)
    try await cache.store(bytes(100), for: key)
    #expect(try await cache.read(key) != nil)
  }

  @Test(arguments: [
    (EIO, "cacheFileSystem", true), (EROFS, "cacheReadOnly", false), (EACCES, "cachePermissionDenied", false),
    (EMFILE, "cacheFileSystem", true), (ENAMETOOLONG, "cacheFileSystem", false),
  ])
  func failedStoresKeepTheOldRecordAndLeaveNothing(code: Int32, name: String, retryable: Bool) async throws {
    let cache = disk.cache()
    try await cache.store(bytes(100, seed: 1), for: key)
    for operation in [FaultyFileSystem.Operation.create, .rename, .status] {
      disk.files.fail(operation, with: code)
      let error = await #expect(throws: CachingError.self) {
        try await cache.store(bytes(100, seed: 2), for: key)
      }
      #expect(error?.code == name)
      #expect(error?.isRetryable == retryable)
      disk.files.heal()
      #expect(disk.folder.temporaries.isEmpty)
      #expect(try await cache.read(key)?.data == bytes(100, seed: 1))
    }
    #expect(try await cache.statistics().failures == 3)
  }

  @Test(arguments: [FaultyFileSystem.Operation.open, .read])
  func failedReadsAreErrorsAndRemoveNothing(operation: FaultyFileSystem.Operation) async throws {
    let cache = disk.cache()
    try await cache.store(bytes(10_000), for: key)
    disk.files.fail(operation, with: EIO)
    let error = await #expect(throws: CachingError.self) { try await cache.read(key) }
    guard case .fileSystem(_, let path, EIO) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == disk.folder.record(key).path)
    #expect(error?.description.contains("Input/output error") == true)
    await #expect(throws: CachingError.self) { try await cache.contains(key) }
    disk.files.heal()
    #expect(try await cache.read(key)?.data == bytes(10_000))
  }

  @Test func aReadOnlyFolderStillServes() async throws {
    let time = ManualTime()
    let cache = disk.cache(now: { time.date })
    try await cache.store(bytes(100), for: key)
    time.advance(by: .seconds(3600))
    for operation in [FaultyFileSystem.Operation.create, .rename, .remove, .touch, .makeFolder] {
      disk.files.fail(operation, with: EROFS)
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
    let cache = disk.cache()
    let root = disk.folder.cache
    let once = Once()
    disk.files.intercept { operation, _ throws(FileSystemError) in
      if operation == .rename, once.take() { try? FileManager.default.removeItem(at: root) }
    }
    try await cache.store(bytes(100), for: key)
    #expect(try await cache.read(key)?.data == bytes(100))

    // Somebody who does it every time is an error, not a loop.
    disk.files.intercept { operation, _ throws(FileSystemError) in
      if operation == .rename { try? FileManager.default.removeItem(at: root) }
    }
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    #expect(error?.code == "cacheFileSystem")
  }

  @Test func recordsThatVanishDuringATrimAreNoError() async throws {
    let cache = disk.cache { $0.byteLimit = 50_000 }
    _ = try await cache.statistics()
    disk.files.intercept { operation, path throws(FileSystemError) in
      if operation == .remove, path.contains("/v2/"), !path.contains("/v2/tmp/") { unlink(path) }
    }
    for number in 0..<10 { try await cache.store(bytes(10_000), for: CacheKey("key \(number)")) }
    #expect(try await cache.trim().bytes <= 50_000)
    #expect(try await cache.statistics().failures == 0)
    #expect(disk.folder.temporaries.isEmpty)
  }

  @Test func aRecordReadDuringATrimSurvivesIt() async throws {
    let time = ManualTime()
    let cache = disk.cache(
      {
        $0.byteLimit = 50_000
        $0.lowWatermark = 0.5
      }, now: { time.date })
    _ = try await cache.statistics()
    for number in 0..<4 {
      try await cache.store(bytes(10_000), for: CacheKey("key \(number)"))
      time.advance(by: .seconds(10))
    }
    let oldest = disk.folder.record(CacheKey("key 0")).path
    let now = time.date
    let once = Once()
    disk.files.intercept { operation, path throws(FileSystemError) in
      // The question before the removal: the record was read since the scan.
      if operation == .status, path == oldest, once.take() {
        try POSIXFileSystem().touch(path, modified: now)
      }
    }
    try await cache.store(bytes(10_000), for: key)
    #expect(try await cache.contains(CacheKey("key 0")))
    #expect(try await !cache.contains(CacheKey("key 1")))
  }

  @Test func readsDoNotWaitForAScanNorForStores() async throws {
    let cache = disk.cache()
    try await cache.store(bytes(100), for: key)
    let gate = Gate()
    disk.files.intercept { operation, _ throws(FileSystemError) in
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
    try await disk.cache().store(bytes(100), for: key)
    unlink(disk.folder.cache.appending(path: "v2/index").path)
    disk.files.fail(.list, with: EACCES)
    let cache = disk.cache()
    await #expect(throws: CachingError.self) { try await cache.statistics() }
    let error = await #expect(throws: CachingError.self) { try await cache.store(bytes(1), for: key) }
    #expect(error?.code == "cachePermissionDenied")
    // Records are found without any list.
    #expect(try await cache.read(key)?.data == bytes(100))
    disk.files.heal()
    let statistics = try await cache.statistics()
    #expect(statistics.count == 1)
    #expect(statistics.failures == 2)
    #expect(statistics.lastFailure?.code == "cachePermissionDenied")
  }

  @Test func whatFailsForGoodIsTriedOnce() async throws {
    let cache = disk.cache()
    try await cache.store(bytes(100), for: key)
    let (calls, code) = (disk.files.calls(.lock), EACCES)
    disk.files.fail(.lock, with: code)
    await #expect(throws: CachingError.self) { try await cache.store(bytes(1), for: key) }
    #expect(disk.files.calls(.lock) == calls + 1)
  }

  @Test(arguments: [nil, 50, 100, 300])
  func aRenameThatWasDoneAndFailedAllTheSameIsSeen(before: Int?) async throws {
    let cache = disk.cache()
    if let before { try await cache.store(bytes(before, seed: 3), for: key) }
    let new = disk.folder.cache.appending(path: "v2/tmp/new").path
    let path = disk.folder.record(key).path
    try FileManager.default.createDirectory(
      at: disk.folder.record(key).deletingLastPathComponent(), withIntermediateDirectories: true)
    disk.files.intercept { operation, name throws(FileSystemError) in
      // As when the folder cannot be brought to the device.
      guard operation == .rename, name == path else { return }
      rename(new, path)
      throw FileSystemError(operation: "fsync", path: path, code: EIO)
    }
    await #expect(throws: CachingError.self) { try await cache.store(bytes(100), for: key) }
    disk.files.heal()
    #expect(try await cache.read(key)?.data == bytes(100))
    #expect(try await cache.statistics().bytes == disk.folder.walk().bytes)
    #expect(try await DiskCache(disk.folder.configuration()).statistics().bytes == disk.folder.walk().bytes)
  }
}
