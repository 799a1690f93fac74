import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// A loss of power at every moment: what a flush has confirmed is there, and nothing is anything but a version of it.
@Suite(.timeLimit(.minutes(5))) struct PowerLossTests {
  /// What was stored under each key, in this order; `nil` for a removal.
  private struct Book: Sendable {
    var versions: [Int: [UInt64?]] = [:]
    /// The first version that may be found.
    var confirmed: [Int: Int] = [:]

    mutating func change(_ key: Int, to version: UInt64?) { versions[key, default: [nil]].append(version) }

    /// What is the newest of each key, to be confirmed when a flush has ended.
    var newest: [Int: Int] { versions.mapValues { $0.count - 1 } }

    func allows(_ found: UInt64?, for key: Int) -> Bool {
      let versions = versions[key] ?? [nil]
      if found == nil, confirmed[key] == nil { return true }
      return versions[(confirmed[key] ?? 0)...].contains { $0 == found }
    }
  }

  private struct Moment: Sendable {
    var image: DeviceImage
    var book: Book
  }

  private static let keys = 6

  private static func configuration() -> DiskCache.Configuration {
    var configuration = DiskCache.Configuration(
      folder: URL(filePath: "/var/cache", directoryHint: .isDirectory))
    // The index is written anew every few stores.
    configuration.journalCount = 5
    configuration.sharedPayloadBytes = 100
    return configuration
  }

  /// Stores, removals and flushes, with what there was after each operation of the file system.
  private func moments(
    ignoring ignored: Set<PowerLossFileSystem.Part> = [], isDurable: Bool = false, isShared: Bool = false
  ) async throws -> [Moment] {
    let book = Lock(Book())
    let moments = Lock<[Moment]>([])
    let files = PowerLossFileSystem(ignoring: ignored) { image in
      let book = book.withLock { $0 }
      moments.withLock { $0.append(Moment(image: image, book: book)) }
    }
    var configuration = Self.configuration()
    if isDurable { configuration.durability = .fsync }
    let cache = DiskCache(configuration, fileSystem: files)
    var generator = SeededGenerator(seed: 7)
    for version in 1...60 as ClosedRange<UInt64> {
      let key = Int.random(in: 0..<Self.keys, using: &generator)
      if version.isMultiple(of: 9) {
        book.withLock { $0.change(key, to: nil) }
        try await cache.remove(CacheKey("\(key)"))
      } else {
        book.withLock { $0.change(key, to: version) }
        let data = Self.content(version, isShared: isShared)
        try await cache.store(
          data, metadata: RecordMetadata(user: ["version": "\(version)"]), for: CacheKey("\(key)"))
        if isDurable { book.withLock { $0.confirmed[key] = $0.newest[key] } }
      }
      guard version.isMultiple(of: 5) else { continue }
      let newest = book.withLock { $0.newest }
      try await cache.flush()
      book.withLock { $0.confirmed.merge(newest) { max($0, $1) } }
    }
    moments.withLock { $0.append(Moment(image: files.image, book: book.withLock { $0 })) }
    #expect((try await cache.statistics().sharedStores > 10) == isShared)
    return moments.withLock { $0 }
  }

  private static func content(_ version: UInt64, isShared: Bool = false) -> Data {
    isShared ? bytes(500, seed: version % 4) : bytes(Int(version * 37 % 900), seed: version)
  }

  /// The keys of which something is found that must not be.
  private func violations(
    of moment: Moment, _ loss: DeviceImage.Loss, seed: UInt64, isShared: Bool = false
  ) async throws -> [Int] {
    let files = PowerLossFileSystem(moment.image.afterPowerLoss(loss, seed: seed))
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    // The index is believed when it is loaded; without it, files are looked for.
    if seed.isMultiple(of: 2) { _ = try await cache.statistics() }
    var violations: [Int] = []
    for key in 0..<Self.keys {
      let record = try await cache.read(CacheKey("\(key)"))
      let version = record?.metadata.user["version"].flatMap { UInt64($0) }
      let isKnown = record == nil || version.map { Self.content($0, isShared: isShared) } == record?.data
      if !isKnown || !moment.book.allows(version, for: key) { violations.append(key) }
    }
    return violations
  }

  @Test(arguments: DeviceImage.Loss.allCases, [(false, false), (true, false), (false, true), (true, true)])
  func confirmedRecordsSurviveEveryMoment(
    loss: DeviceImage.Loss, kind: (isDurable: Bool, isShared: Bool)
  ) async throws {
    let moments = try await moments(isDurable: kind.isDurable, isShared: kind.isShared)
    #expect(moments.count > 300)
    #expect(moments.last?.book.confirmed.count == Self.keys)
    for (index, moment) in moments.enumerated() {
      let found = try await violations(of: moment, loss, seed: UInt64(index), isShared: kind.isShared)
      #expect(found.isEmpty, "\(loss) at operation \(index) of \(moments.count)")
    }
  }

  @Test(arguments: PowerLossFileSystem.Part.allCases, [false, true])
  func aDeviceThatIsNotAskedLosesRecords(part: PowerLossFileSystem.Part, isShared: Bool) async throws {
    var count = 0
    for (index, moment) in try await moments(ignoring: [part], isShared: isShared).enumerated() {
      count += try await violations(of: moment, .everything, seed: UInt64(index), isShared: isShared).count
    }
    #expect(count > 0)
  }

  @Test func aCacheGoesOnAfterALossOfPower() async throws {
    for (index, moment) in try await moments().enumerated() where index.isMultiple(of: 10) {
      let files = PowerLossFileSystem(moment.image.afterPowerLoss(.some, seed: UInt64(index)))
      let cache = DiskCache(Self.configuration(), fileSystem: files)
      try await cache.store(Self.content(99), for: CacheKey("after"))
      try await cache.flush()
      let next = PowerLossFileSystem(files.image.afterPowerLoss(.everything, seed: 1))
      let survivor = DiskCache(Self.configuration(), fileSystem: next)
      _ = try await survivor.statistics()
      #expect(try await survivor.read(CacheKey("after"))?.data == Self.content(99))
    }
  }

  @Test func manyRecordsAreSynchronizedInOneCall() async throws {
    let files = FaultyFileSystem(PowerLossFileSystem())
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    for number in 0..<300 { try cache.handOver(bytes(10), for: CacheKey("\(number)")) }
    try await cache.flush()
    #expect(files.calls(.synchronize) == 1)
    // Nothing has changed since.
    try await cache.flush()
    #expect(files.calls(.synchronize) == 1)
  }

  @Test func aStoreDoesNotWaitForTheDevice() async throws {
    let files = FaultyFileSystem(PowerLossFileSystem())
    let gate = CalotypeTestKit.Gate()
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    try await cache.store(bytes(10), for: CacheKey("1"))
    #expect(files.calls(.synchronize) == 0)
    files.hold(.synchronize, at: gate)
    let flush = Task { try await cache.flush() }
    try await files.waitForCalls(.synchronize)
    // Not of the same key: that was confirmed, and is replaced with care.
    try await cache.store(bytes(10), for: CacheKey("2"))
    #expect(try await cache.read(CacheKey("2")) != nil)
    flush.cancel()
    await #expect(throws: CachingError.cancelled) { try await flush.value }
    gate.open()
    try await cache.flush()
  }

  @Test func aFlushWaitsForTheOneBefore() async throws {
    let files = FaultyFileSystem(PowerLossFileSystem())
    let gate = CalotypeTestKit.Gate()
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    try await cache.store(bytes(10), for: CacheKey("1"))
    files.hold(.synchronize, at: gate)
    let first = Task { try await cache.flush() }
    try await files.waitForCalls(.synchronize)
    // It has nothing left to do, and must not say so before the first has done it.
    let second = Task {
      try await cache.flush()
      return gate.isOpen
    }
    _ = try await cache.statistics()
    gate.open()
    try await first.value
    #expect(try await second.value)
  }

  @Test func aRecordThatTheDeviceDoesNotTakeIsRemoved() async throws {
    let files = FaultyFileSystem(PowerLossFileSystem())
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    let (bad, good) = (CacheKey("bad"), CacheKey("good"))
    try await cache.store(bytes(10), for: good)
    try await cache.store(bytes(10), for: bad)
    let name = bad.hexDigest.dropFirst(2)
    files.intercept { operation, path throws(FileSystemError) in
      if operation == .synchronize, path.hasSuffix(name) {
        throw FileSystemError(operation: "fsync", path: path, code: EIO)
      }
    }
    let error = await #expect(throws: CachingError.self) { try await cache.flush() }
    guard case .fileSystem("fsync", _, EIO) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    files.heal()
    #expect(try await cache.read(bad) == nil)
    #expect(try await cache.read(good) != nil)
    try await cache.flush()
  }

  @Test func aSharedPayloadThatTheDeviceDoesNotTakeIsLostForBoth() async throws {
    let files = FaultyFileSystem(PowerLossFileSystem())
    let cache = DiskCache(Self.configuration(), fileSystem: files)
    let (one, two, other) = (CacheKey("one"), CacheKey("two"), CacheKey("other"))
    try await cache.store(bytes(500), for: one)
    try await cache.store(bytes(500), for: two)
    try await cache.store(bytes(10), for: other)
    #expect(try await cache.statistics().sharedStores == 1)
    let name = one.hexDigest.dropFirst(2)
    let isTold = Once()
    files.intercept { operation, path throws(FileSystemError) in
      // The kernel tells it under the first name that is asked for.
      if operation == .synchronize, path.hasSuffix(name), isTold.take() {
        throw FileSystemError(operation: "fsync", path: path, code: EIO)
      }
    }
    await #expect(throws: CachingError.self) { try await cache.flush() }
    files.heal()
    #expect(try await cache.read(one) == nil)
    #expect(try await cache.read(two) == nil)
    #expect(try await cache.read(other) != nil)
    try await cache.flush()
  }

  @Test func theMachinesFileSystemSynchronizesFilesAndFolders() throws {
    let folder = try TemporaryFolder()
    let files = POSIXFileSystem()
    try files.create(folder.path("a"), parts: [bytes(10)], modified: .now, synchronize: true)
    try files.rename(folder.path("a"), to: folder.path("b"), synchronize: true)
    #expect(try files.synchronize(folder.path("b")))
    #expect(try files.synchronize(folder.url.path))
    #expect(try files.synchronizeAll(at: folder.url.path))
    #expect(try !files.synchronize(folder.path("a")))
    #expect(try !files.synchronizeAll(at: folder.path("none")))
    let error = #expect(throws: FileSystemError.self) { try files.synchronize("/dev/null") }
    #expect(error?.operation == "fsync")
  }
}
