import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Any operation may fail, for a moment or for longer: no more than the step that needed it fails with it, and
/// everything works again afterwards.
@Suite struct EveryFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let code: Int32
    /// How many operations fail, one after the other.
    let times: Int
    /// Every which operation: all of each kind would take a minute.
    var stride = 4
    /// Whether the records share their payloads.
    var isShared = false
    var testDescription: String {
      "\(SystemError.text(of: code)), \(times) times\(isShared ? ", shared payloads" : "")"
    }
  }

  private static let byteLimit = 12_000

  /// Counts the operations of the script, and lets some fail.
  private final class Plan: Sendable {
    let count = Lock(0)
    let failing: Range<Int>

    init(failing: Range<Int>) { self.failing = failing }
  }

  /// - Returns: How many operations there were.
  private func check(_ fault: Fault, at first: Int, in parent: TemporaryFolder) async throws -> Int {
    let folder = try TemporaryFolder(in: parent.url)
    let time = ManualTime()
    let files = FaultyFileSystem()
    let plan = Plan(failing: first..<first + fault.times)
    files.intercept { operation, path throws(FileSystemError) in
      // There are hundreds of lists one like the other.
      if operation == .list, !path.hasSuffix("/00") { return }
      let number = plan.count.withLock { count in
        count += 1
        return count
      }
      if plan.failing.contains(number) {
        throw FileSystemError(operation: "\(operation)", path: path, code: fault.code)
      }
    }
    let cache = DiskCache(
      folder.configuration {
        $0.byteLimit = Self.byteLimit
        $0.recordByteLimit = 5000
        $0.threads = 1
        $0.journalCount = 7
        $0.sharedPayloadBytes = CacheScript.sharedPayloadBytes
      }, fileSystem: files, now: { time.date })
    var script = CacheScript(isShared: fault.isShared)
    await script.run(cache, time, stops: false)
    files.heal()
    let comment: Comment = "\(fault.testDescription) from operation \(first) on"
    #expect(script.failures.allSatisfy { $0 is CachingError }, comment)
    // Each failure is counted once, and those of upkeep, which no caller is told of.
    let counted = try await cache.statistics().failures
    #expect(counted >= script.failures.count && counted <= fault.times, comment)

    // Room may still be being made, now that nobody wants to store.
    await cache.finishUpkeep()
    let left = folder.walk()
    #expect(left.bytes + left.unfinished <= Self.byteLimit, comment)
    let statistics = try await cache.statistics()
    #expect(statistics.bytes >= left.bytes && statistics.count >= left.count, comment)
    for index in 0..<CacheScript.keys {
      let number = CacheScript.number(of: try await cache.read(CacheScript.key(index)))
      #expect(number == nil || script.possible[index].contains(number), comment)
      let other = DiskCache(folder.configuration(), now: { time.date })
      if index % 4 == 0 {
        #expect(CacheScript.number(of: try await other.read(CacheScript.key(index))) == number, comment)
      }
    }
    let trimmed = try await cache.trim()
    #expect(trimmed.bytes == (fault.isShared ? folder.walk() : left).bytes, comment)
    try await cache.store(bytes(2000), for: CacheScript.key(0))
    #expect(try await cache.read(CacheScript.key(0))?.data == bytes(2000), comment)
    #expect(try await cache.statistics().bytes == folder.walk().bytes, comment)
    #expect(try await cache.statistics().damaged == 0, comment)
    #expect(folder.temporaries.isEmpty, comment)
    return plan.count.withLock { $0 }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      Fault(code: EIO, times: 1, stride: 1), Fault(code: EIO, times: 4), Fault(code: ENOSPC, times: 1),
      Fault(code: ENOSPC, times: 3), Fault(code: EROFS, times: 2),
      Fault(code: EIO, times: 1, stride: 1, isShared: true), Fault(code: EIO, times: 4, isShared: true),
      Fault(code: ENOSPC, times: 2, isShared: true),
    ])
  func everyOperationMayFail(fault: Fault) async throws {
    let parent = try TemporaryFolder()
    let count = try await check(fault, at: .max - 10, in: parent)
    #expect(count > 300)
    let start = 1 + Int(fault.code) % fault.stride
    for first in stride(from: start, through: count, by: fault.stride) {
      _ = try await check(fault, at: first, in: parent)
    }
    try await parent.waitUntilClosed()
  }
}
