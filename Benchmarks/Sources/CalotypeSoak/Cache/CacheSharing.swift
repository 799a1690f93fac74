import CalotypeCaching
import FoundationEssentials
import Glibc

/// Four processes of eight tasks each that share a folder and evict all the time. All of them are stopped again and
/// again: at no such moment the folder may have more bytes than are allowed, whatever they were about.
struct CacheSharing {
  let seconds: Int

  private static let processes = 4
  private static let tasks = 8
  private static let keys = 150
  private static let byteLimit = 3_000_000
  private static let recordLimit = 200_000

  /// Returns whether all went well.
  func run() async throws -> Bool {
    let folder = try CacheFolder()
    let children = try (0..<Self.processes).map { number in
      try SoakChild([SoakChild.own, "cache-hammer", folder.path, "\(seconds)", "\(number + 1)"])
    }
    var (observations, most, mostRecords) = (0, 0, 0)
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end - .milliseconds(200) {
      usleep(.random(in: 0...10_000))
      for child in children { kill(child.pid, SIGSTOP) }
      for child in children { child.wait(untilStopped: true) }
      let walked = CacheContent.walk(folder.path)
      for child in children { kill(child.pid, SIGCONT) }
      observations += 1
      most = max(most, walked.bytes + walked.unfinished)
      mostRecords = max(mostRecords, walked.count)
    }
    var operations = 0
    var lines: [Substring] = []
    var isRight = most <= Self.byteLimit
    for child in children {
      let said = child.lines()
      lines += said
      operations += said.last.flatMap { $0.split(separator: " ").first }.flatMap { Int($0) } ?? 0
      if child.wait() != 0 { isRight = false }
    }
    let cache = DiskCache(Self.configuration(folder.path))
    let statistics = try await cache.statistics()
    let walked = CacheContent.walk(folder.path)
    if statistics.bytes != walked.bytes || statistics.count != walked.count || statistics.rebuilds != 0 {
      isRight = false
    }
    let report = try await cache.verify()
    if !report.damaged.isEmpty { isRight = false }
    for line in lines { print("  \(line)") }
    print(
      "cache-sharing: \(operations / max(1, seconds)) operations a second by \(Self.processes) processes of \(Self.tasks)"
        + " tasks; \(observations) observations, most \(most) of \(Self.byteLimit) bytes, \(mostRecords) records;"
        + " \(statistics.bytes) bytes in the books and \(walked.bytes) in the folder; \(isRight ? "right" : "WRONG")"
    )
    return isRight
  }

  private static func configuration(_ folder: String) -> DiskCache.Configuration {
    DiskCache.Configuration(
      folder: URL(filePath: folder, directoryHint: .isDirectory), byteLimit: byteLimit,
      recordByteLimit: 300_000,
      stagingByteLimit: 2_000_000,
      // So many processes keep each other waiting, and none of them is to fail.
      storeTimeout: .seconds(30))
  }

  /// What a child did.
  private struct Tally {
    var (operations, reads, hits, full, wrong) = (0, 0, 0, 0, 0)
    var example = ""
  }

  /// What the children do: all that a cache can, until the time is over.
  static func hammer(_ folder: String, seconds: Int, seed: Int) async -> Bool {
    let cache = DiskCache(configuration(folder))
    let end = ContinuousClock.now + .seconds(seconds)
    let total = await withTaskGroup(of: Tally.self) { group in
      for task in 0..<tasks {
        group.addTask { await hammer(cache, seed: seed * 1000 + task, until: end) }
      }
      return await group.reduce(into: Tally()) { total, part in
        total.operations += part.operations
        total.reads += part.reads
        total.hits += part.hits
        total.full += part.full
        total.wrong += part.wrong
        if !part.example.isEmpty { total.example = part.example }
      }
    }
    let statistics = try? await cache.statistics()
    SoakChild.say(
      "\(total.operations) operations, \(total.reads) reads, \(total.hits) hits, \(total.full) times the queue was full,"
        + " \(statistics?.stores ?? -1) stores, \(statistics?.evictions ?? -1) evictions, \(total.wrong) wrong \(total.example)"
    )
    return total.wrong == 0 && statistics?.failures == 0 && statistics?.damaged == 0
  }

  private static func hammer(
    _ cache: DiskCache, seed: Int, until end: ContinuousClock.Instant
  ) async -> Tally {
    var random = SplitMix(seed: seed)
    var tally = Tally()
    while ContinuousClock.now < end {
      tally.operations += 1
      let index = Int(random.next() % UInt64(keys))
      let number = seed << 24 | tally.operations
      let key = CacheContent.key(index)
      let metadata = CacheContent.metadata(index, number)
      do {
        switch random.next() % 10_000 {
        case 0: try await cache.removeAll()
        case 1, 2: try await cache.trim()
        case 3...5: try await cache.removeAll(.tag("\(index % 4)"))
        case 6...600: try await cache.remove(key)
        case 601...2500:
          let data = CacheContent.data(index, number, limit: recordLimit)
          do throws(CachingError) {
            try cache.handOver(data, metadata: metadata, for: key)
          } catch {
            guard case .queueFull = error else { throw error }
            tally.full += 1
          }
        case 2501...4000:
          let data = CacheContent.data(index, number, limit: recordLimit)
          try await cache.store(data, metadata: metadata, for: key)
        default:
          tally.reads += 1
          let record = try await cache.read(key)
          if try CacheContent.number(of: record, index, limit: recordLimit) != nil { tally.hits += 1 }
        }
      } catch {
        tally.wrong += 1
        tally.example = "\(error)"
      }
    }
    return tally
  }
}
