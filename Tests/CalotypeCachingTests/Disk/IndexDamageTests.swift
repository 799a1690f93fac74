import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Whatever happens to index and journal, the records stay what they are and the cache starts.
@Suite struct IndexDamageTests {
  private let folder: TemporaryFolder
  private let time = ManualTime()
  private let keys = (0..<6).map { CacheKey("key \($0)") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.cache.appending(path: "v2/\(name)").path }

  private func cache() -> DiskCache {
    let time = time
    return DiskCache(
      folder.configuration {
        $0.threads = 1
        $0.journalCount = 3
      }, now: { time.date })
  }

  /// Fills the folder: some records are in the index, some in the journal.
  ///
  /// - Returns: What index, journal and lock are.
  private func fill() async throws -> [String: Data] {
    let cache = cache()
    for (number, key) in keys.enumerated() {
      try await cache.store(bytes(100 + number), metadata: RecordMetadata(tags: ["all"]), for: key)
    }
    try await cache.remove(keys[5])
    let files = try ["index", "journal", "lock"].map { ($0, try Data(contentsOf: URL(filePath: path($0)))) }
    let good = Dictionary(uniqueKeysWithValues: files)
    #expect((good["index"]?.count ?? 0) > 64 + 3 * 64)
    #expect((good["journal"]?.count ?? 0) > 64 + 2 * 80)
    return good
  }

  private func write(_ data: Data, _ name: String) throws {
    let path = path(name)
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      try FileManager.default.removeItem(atPath: path)
    }
    try data.write(to: URL(filePath: path))
  }

  /// - Returns: How often the folder was listed.
  private func check(_ comment: Comment) async throws -> Int {
    let cache = cache()
    let statistics = try await cache.statistics()
    let walked = folder.walk()
    #expect(statistics.bytes == walked.bytes && statistics.count == walked.count, comment)
    #expect(statistics.count == 5 && statistics.failures == 0, comment)
    for (number, key) in keys.enumerated() {
      let expected = number < 5 ? bytes(100 + number) : nil
      #expect(try await cache.read(key)?.data == expected, comment)
    }
    return statistics.rebuilds
  }

  @Test func intactFilesAreBelieved() async throws {
    _ = try await fill()
    #expect(try await check("intact") == 0)
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["index", "journal", "lock"])
  func everyFlippedBit(name: String) async throws {
    let good = try await fill()
    let original = try #require(good[name])
    var rebuilds = 0
    for bit in 0..<original.count * 8 {
      for (other, data) in good where other != name { try write(data, other) }
      var data = original
      data[bit / 8] ^= 1 << (bit % 8)
      try write(data, name)
      rebuilds += try await check("bit \(bit) of \(name)")
    }
    // The lock file only says how long the journal is; without that it is believed.
    #expect(rebuilds == (name == "lock" ? 0 : original.count * 8))
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["index", "journal", "lock"])
  func everyTruncation(name: String) async throws {
    let good = try await fill()
    let original = try #require(good[name])
    for length in 0..<original.count {
      for (other, data) in good where other != name { try write(data, other) }
      try write(original.prefix(length), name)
      _ = try await check("\(length) bytes of \(name)")
    }
  }

  @Test(arguments: ["index", "journal"])
  func otherThingsInTheirPlace(name: String) async throws {
    let good = try await fill()
    let original = try #require(good[name])
    let path = path(name)
    let others: [(String, () throws -> Void)] = [
      ("nothing", { unlink(path) }),
      ("garbage", { try write(bytes(100_000), name) }),
      ("empty", { try write(Data(), name) }),
      ("zeros", { try write(Data(count: original.count), name) }),
      ("twice", { try write(original + original, name) }),
      ("something behind it", { try write(original + [1, 2, 3], name) }),
      ("a terabyte of holes behind it", { #expect(truncate(path, 1 << 40) == 0) }),
      (
        "folder",
        {
          unlink(path)
          mkdir(path, 0o700)
        }
      ),
      (
        "folder that is not empty",
        {
          unlink(path)
          mkdir(path, 0o700)
          try bytes(10).write(to: URL(filePath: "\(path)/file"))
        }
      ),
      (
        "symbolic link",
        {
          unlink(path)
          try original.write(to: URL(filePath: folder.path("target")))
          #expect(symlink(folder.path("target"), path) == 0)
        }
      ),
      (
        "pipe",
        {
          unlink(path)
          mkfifo(path, 0o600)
        }
      ),
    ]
    for (what, change) in others {
      for (other, data) in good {
        unlink(self.path(other))
        try write(data, other)
      }
      try change()
      _ = try await check("\(what) in the place of \(name)")
      #expect(try await check("the start after \(what)") == 0)
    }
    // Links are not followed.
    #expect(try Data(contentsOf: URL(filePath: folder.path("target"))) == original)
  }

  @Test func exchangedAndOlderFiles() async throws {
    let good = try await fill()
    let (index, journal) = (try #require(good["index"]), try #require(good["journal"]))
    try write(index, "journal")
    try write(journal, "index")
    #expect(try await check("exchanged") == 1)
    // Those of an earlier time, one by one.
    let cache = cache()
    try await cache.removeAll()
    for (number, key) in keys[..<5].enumerated() { try await cache.store(bytes(100 + number), for: key) }
    let newer = try ["index", "journal", "lock"].map { ($0, try Data(contentsOf: URL(filePath: path($0)))) }
    for name in ["index", "journal"] {
      for (other, data) in newer { try write(data, other) }
      try write(name == "index" ? index : journal, name)
      #expect(try await check("older \(name)") == 1)
    }
  }

  @Test func tagsOfARebuiltIndexAreThoseOfTheRecords() async throws {
    let good = try await fill()
    // As long as before, so that only the time tells them apart.
    time.advance(by: .seconds(5))
    let cache = cache()
    try await cache.store(bytes(100, seed: 7), metadata: RecordMetadata(tags: ["own"]), for: keys[0])
    for name in ["index", "journal"] { try write(try #require(good[name]), name) }
    let other = self.cache()
    #expect(try await other.removeAll(.tag("own")) == 1)
    #expect(try await other.removeAll(.tag("all")) == 4)
    #expect(try await other.statistics().count == 0)
  }
}
