import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HelperPrograms
import Testing

@testable import CalotypeCaching

/// Faults of real devices and of other processes.
@Suite struct DeviceTests {
  private let key = CacheKey("key 0")
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache {
    DiskCache(folder.configuration(change))
  }

  /// A small file system of its own in the place of the cache's folder, unmounted when it goes.
  private final class SmallDevice: Sendable {
    let path: String

    init(_ path: String, bytes: Int) throws {
      self.path = path
      mkdir(path, 0o700)
      guard mount("none", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
        throw FileSystemError(operation: "mount", path: path, code: errno)
      }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    func remount(isReadOnly: Bool) -> Bool {
      mount("none", path, "tmpfs", UInt(MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0)), nil) == 0
    }
  }

  static let mayMount: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    return (try? SmallDevice(folder.cache.path, bytes: 65536)) != nil
  }()

  @Test(.enabled(if: mayMount, "needs the right to mount"))
  func aFullDevice() async throws {
    let device = try SmallDevice(folder.cache.path, bytes: 1 << 20)
    defer { withExtendedLifetime(device) {} }
    // The device itself says when it is full.
    let cache = cache { $0.freeSpaceFloor = .none }
    // More than fits: what was there before goes, and nobody is told.
    for number in 0..<200 as Range<UInt64> {
      try await cache.store(bytes(20_000, seed: number), for: CacheKey("\(number)"))
    }
    #expect(try await cache.read(CacheKey("199"))?.data == bytes(20_000, seed: 199))
    let statistics = try await cache.statistics()
    #expect(statistics.evictions > 100 && statistics.failures == 0 && statistics.count > 10)
    #expect(statistics.bytes == folder.walk().bytes)

    // Somebody else takes all of it.
    try await cache.removeAll()
    try await cache.store(bytes(1000), for: key)
    let other = "\(folder.cache.path)/other"
    let descriptor = open(other, O_CREAT | O_WRONLY, 0o600)
    let block = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
    close(descriptor)
    let before = folder.openDescriptors
    for number in 1...50 {
      let error = await #expect(throws: CachingError.self) {
        try await cache.store(bytes(200_000), for: CacheKey("large"))
      }
      #expect(error?.code == "cacheDiskFull")
      #expect(try await cache.statistics().failures == number)
    }
    #expect(try await cache.statistics().lastFailure?.code == "cacheDiskFull")
    #expect(folder.openDescriptors <= before + 2)
    #expect(folder.temporaries.isEmpty)
    unlink(other)
    try await cache.store(bytes(200_000), for: CacheKey("large"))
    #expect(try await cache.read(CacheKey("large"))?.data == bytes(200_000))
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
  }

  @Test(.enabled(if: mayMount, "needs the right to mount"))
  func aReadOnlyDevice() async throws {
    let device = try SmallDevice(folder.cache.path, bytes: 1 << 20)
    try await fillAndRelease()
    // Their descriptors are closed by the threads of that cache.
    try await eventually { device.remount(isReadOnly: true) }
    let cache = cache()
    #expect(try await cache.read(key)?.data == bytes(1000))
    #expect(try await cache.statistics().count == 1)
    let error = await #expect(throws: CachingError.self) {
      try await cache.store(bytes(10), for: CacheKey("new"))
    }
    #expect(error?.code == "cacheReadOnly")
    await #expect(throws: CachingError.self) { try await cache.remove(key) }
    let pending = try cache.handOver(bytes(10), for: key)
    await #expect(throws: CachingError.self) { try await pending.written() }
    #expect(try await cache.read(key)?.data == bytes(1000))
    #expect(try await cache.verify().intact == 1)
    #expect(try await cache.entries().count == 1)
    #expect(try await cache.statistics().failures == 3)
    #expect(device.remount(isReadOnly: false))
    try await cache.store(bytes(10), for: CacheKey("new"))
    #expect(try await cache.statistics().count == 2)
  }

  private func fillAndRelease() async throws {
    try await cache().store(bytes(1000), for: key)
  }

  @Test(.timeLimit(.minutes(1))) func aStoppedProcessThatHasTheLock() async throws {
    let program = try #require(helperProgram("CacheWriter"))
    let time = ManualTime()
    // What reads find useless is waited for even less.
    let cache = DiskCache(
      folder.configuration { $0.lockTimeout = .milliseconds(200) }, now: { time.date }, clock: time.clock)
    let soon = CacheKey("soon over")
    try await cache.store(bytes(1000), for: key)
    try await cache.store(bytes(10), metadata: .init(expires: time.date.addingTimeInterval(5)), for: soon)
    let child = try Child(program, [folder.cache.path, "lock"])
    #expect(child.read(upTo: 7) == Array("locked\n".utf8))
    kill(child.pid, SIGSTOP)
    let before = folder.openDescriptors
    time.advance(by: .seconds(6))
    var shortest = Duration.seconds(60)
    for number in 1...5 {
      // Stores are tried again after a while: LockedFolderTests.
      time.advance(by: .seconds(31))
      let start = ContinuousClock.now
      let error = await #expect(throws: CachingError.self) {
        try await cache.store(bytes(10), for: CacheKey("new"))
      }
      #expect(error?.code == "cacheLocked")
      #expect(error?.isRetryable == true)
      shortest = min(shortest, start.duration(to: .now))
      #expect(try await cache.read(key)?.data == bytes(1000))
      #expect(try await cache.read(soon) == nil)
      #expect(cache.counters.withLock { $0.failures } == number)
    }
    // The lock is waited for once, and not for each attempt.
    #expect(shortest < .milliseconds(1000))
    let statistics = try await cache.statistics()
    #expect(statistics.count == 2 && statistics.lastFailure?.code == "cacheLocked")
    time.advance(by: .seconds(31))
    let pending = try cache.handOver(bytes(10), for: CacheKey("handed over"))
    #expect(try await cache.read(CacheKey("handed over")) != nil)
    await #expect(throws: CachingError.self) { try await pending.written() }
    #expect(folder.openDescriptors <= before + 2)
    child.kill()
    child.wait()
    time.advance(by: .seconds(31))
    try await cache.store(bytes(10), for: CacheKey("new"))
    #expect(try await cache.read(CacheKey("new")) != nil)
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
  }

  /// What a process of another user makes of the folder.
  private func asNobody() throws -> String {
    let program = try #require(helperProgram("CacheWriter"))
    let child = try Child(
      "/usr/bin/setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", program, folder.cache.path, "try"])
    var output: [UInt8] = []
    while case let bytes = child.read(upTo: 1000), !bytes.isEmpty { output += bytes }
    child.wait()
    return String(decoding: output, as: UTF8.self)
  }

  static let mayChangeUser = getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

  @Test(.enabled(if: mayChangeUser, "needs to be root"))
  func aFolderOfAnotherOwner() async throws {
    let cache = cache()
    try await cache.store(bytes(1000), for: key)
    chmod(folder.url.path, 0o755)
    #expect(
      try asNobody() == """
        read cachePermissionDenied
        statistics cachePermissionDenied
        store cachePermissionDenied

        """)
    // Readable by all, and still not theirs to write.
    let root = folder.cache.path
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) + ["."] {
      chmod("\(root)/\(name)", 0o755)
    }
    #expect(
      try asNobody() == """
        read found
        statistics 1
        store cachePermissionDenied

        """)
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) + ["."] {
      #expect(chown("\(root)/\(name)", 65534, 65534) == 0)
    }
    #expect(
      try asNobody() == """
        read found
        statistics 1
        store stored

        """)
    #expect(try await cache.statistics().count == 2)
  }
}
