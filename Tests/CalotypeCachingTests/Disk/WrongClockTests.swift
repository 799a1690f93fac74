import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Records that were stored or read while the clock was ahead.
@Suite struct WrongClockTests {
  private let key = CacheKey("key")
  private let time = Lock(Date(timeIntervalSince1970: 2_000_000_000))
  private let files = PowerLossFileSystem()

  private func cache() -> DiskCache {
    var configuration = DiskCache.Configuration(folder: URL(filePath: "/cache", directoryHint: .isDirectory))
    configuration.maxAge = .seconds(1000)
    return DiskCache(configuration, fileSystem: files, now: { [time] in time.withLock { $0 } })
  }

  private func advance(by seconds: Double) { time.withLock { $0 += seconds } }

  @Test func aRecordOfTheFutureAgesFromTheDayItIsFound() async throws {
    try await cache().store(bytes(10), for: key)
    // The clock is set right.
    advance(by: -500_000)
    let cache = cache()
    #expect(try await cache.trim().expired == 0)
    advance(by: 900)
    #expect(try await cache.trim().expired == 0)
    advance(by: 200)
    #expect(try await cache.trim().expired == 1)
    #expect(try await cache.read(key) == nil)
  }

  @Test func aRecordOfTheFutureIsTouchedWhenItIsRead() async throws {
    try await cache().store(bytes(10), for: key)
    advance(by: -500_000)
    let cache = cache()
    #expect(try await cache.read(key) != nil)
    advance(by: 1100)
    #expect(try await cache.read(key) == nil)
  }
}
