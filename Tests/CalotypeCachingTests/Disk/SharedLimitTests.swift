import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Four caches of one folder, eight tasks each, and a look at all files before every change that one of them makes.
@Suite struct SharedLimitTests {
  private static let byteLimit = 1_500_000

  /// Content that follows from key and number, 0 to 200,000 bytes of it, most of it short.
  private static func content(_ key: Int, _ number: UInt64, isShared: Bool) -> Data {
    if isShared { return bytes(40_000 + Int(number % 3) * 20_000, seed: number % 3) }
    let seed = (number << 8 | UInt64(key)) &* 0x9E37_79B9_7F4A_7C15
    let size = Int(seed >> 40 % 200_001)
    return bytes(size >> (seed >> 60 & 3 == 0 ? 0 : 5), seed: seed)
  }

  private struct Seen {
    var observations = 0
    var most = 0
    var reads = 0
    var hits = 0
    var changes = 0
  }

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func theByteLimitHoldsAtEveryMoment(isShared: Bool) async throws {
    let folder = try TemporaryFolder()
    let seen = Lock(Seen())
    // Whoever makes a change has the lock, so that nobody else changes anything while this looks.
    let files = FaultyFileSystem()
    files.intercept { operation, path throws(FileSystemError) in
      guard [.append, .rename, .remove, .link].contains(operation) else { return }
      let walked = folder.walk()
      seen.withLock { seen in
        seen.observations += 1
        seen.most = max(seen.most, walked.bytes + walked.unfinished)
      }
    }
    let configuration = folder.configuration {
      $0.byteLimit = Self.byteLimit
      $0.journalCount = 50
      $0.stagingByteLimit = 1_000_000
      // Looking at all files takes longer than the lock is usually held.
      $0.storeTimeout = $0.lockTimeout
    }
    let caches = (0..<4).map { _ in DiskCache(configuration, fileSystem: files) }
    let numbers = Lock(UInt64(0))
    let end = ContinuousClock.now + .milliseconds(2500)
    try await withThrowingTaskGroup { group in
      for task in 0..<32 {
        group.addTask {
          let cache = caches[task % 4]
          // Longer, where the disk is slow.
          while ContinuousClock.now < end || seen.withLock({ $0.hits <= 100 || $0.observations <= 100 }) {
            let number = numbers.withLock { numbers in
              numbers += 1
              return numbers
            }
            let key = Int.random(in: 0..<40)
            let cacheKey = CacheKey("key \(key)")
            let metadata = RecordMetadata(tags: ["\(key % 4)"], user: ["number": "\(number)"])
            switch Int.random(in: 0..<1000) {
            case 0..<300:
              try await cache.store(
                Self.content(key, number, isShared: isShared), metadata: metadata, for: cacheKey)
            case 300..<450:
              _ = try? cache.handOver(
                Self.content(key, number, isShared: isShared), metadata: metadata, for: cacheKey)
            case 450..<500: try await cache.remove(cacheKey)
            case 500: try await cache.removeAll()
            case 501: try await cache.trim()
            case 502: try await cache.removeAll(.tag("\(key % 4)"))
            default:
              let record = try await cache.read(cacheKey)
              let found = record?.metadata.user["number"].flatMap { UInt64($0) }
              #expect(record == nil || record?.data == Self.content(key, found ?? 0, isShared: isShared))
              seen.withLock { seen in
                seen.reads += 1
                if record != nil { seen.hits += 1 }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for cache in caches { try await cache.flush() }
    files.heal()
    let result = seen.withLock { $0 }
    #expect(result.most <= Self.byteLimit)
    #expect(result.most > Self.byteLimit / 2)
    #expect(result.observations > 100 && result.hits > 100)
    let walked = folder.walk()
    for cache in caches {
      let statistics = try await cache.statistics()
      #expect(statistics.bytes == walked.bytes && statistics.count == walked.count)
      #expect(statistics.damaged == 0 && statistics.failures == 0)
    }
    var shared = 0
    for cache in caches { shared += try await cache.statistics().sharedStores }
    #expect((shared > 10) == isShared)
    print(
      "\(numbers.withLock { $0 }) operations, \(result.observations) observations, most \(result.most) of"
        + " \(Self.byteLimit) bytes, \(result.hits) hits")
  }
}
