import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// What is removed together, and what is kept apart.
@Suite struct VaryKeyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func fill(_ cache: DiskCache) async throws {
    for number in 0..<30 {
      let source = "https://\(number % 3).example/\(number % 5)"
      try await cache.store(
        bytes(100 + number), metadata: RecordMetadata(tags: ["t\(number % 4)", "all"]),
        for: CacheKey("\(source) as \(number)", source: source))
    }
  }

  @Test(arguments: [false, true])
  func selectionsAreRemovedAndNothingElse(isRebuilt: Bool) async throws {
    func left(after selection: CacheSelection) async throws -> (removed: Int, left: [String]) {
      let cache = DiskCache(folder.configuration())
      try await cache.removeAll()
      try await fill(cache)
      if isRebuilt { unlink(folder.cache.appending(path: "v2/index").path) }
      let other = isRebuilt ? DiskCache(folder.configuration()) : cache
      let removed = try await other.removeAll(selection)
      let statistics = try await other.statistics()
      if isRebuilt { #expect(statistics.rebuilds == 1) }
      #expect(statistics.count == 30 - removed)
      return (removed, try await other.entries().map(\.key).sorted())
    }
    func expected(_ isLeft: (Int) -> Bool) -> [String] {
      (0..<30).filter(isLeft).map { "https://\($0 % 3).example/\($0 % 5) as \($0)" }.sorted()
    }
    let source = try await left(after: .source("https://1.example/2"))
    #expect(source.removed == 2 && source.left == expected { $0 % 3 != 1 || $0 % 5 != 2 })
    let prefix = try await left(after: .sourcePrefix("https://2.example/"))
    #expect(prefix.removed == 10 && prefix.left == expected { $0 % 3 != 2 })
    let tag = try await left(after: .tag("t3"))
    #expect(tag.removed == 7 && tag.left == expected { $0 % 4 != 3 })
    #expect(try await left(after: .tag("all")).left.isEmpty)
    #expect(try await left(after: .tag("none")).removed == 0)
    #expect(try await left(after: .source("https://1.example/")).removed == 0)
    #expect(try await left(after: .sourcePrefix("")).removed == 30)
  }

  @Test func aStoreThatWaitsIsRemovedToo() async throws {
    let cache = DiskCache(folder.configuration())
    try cache.handOver(bytes(10), metadata: .init(tags: ["a"]), for: CacheKey("k"))
    #expect(try await cache.removeAll(.tag("a")) == 1)
    #expect(try await cache.read(CacheKey("k")) == nil)
  }

  @Test func aPipeInThePlaceOfARecordHoldsNothingUp() async throws {
    let cache = DiskCache(folder.configuration())
    try await fill(cache)
    let odd = folder.record(CacheKey("https://0.example/0 as 0")).path
    unlink(odd)
    #expect(mkfifo(odd, 0o600) == 0)
    #expect(try await cache.removeAll(.tag("all")) == 29)
    #expect(try await cache.entries().isEmpty)
  }

  @Test func namespacesOfAnyNameAreApart() async throws {
    let long = String(repeating: "x", count: 300)
    // The file name of the long one, as far as text can imitate it.
    let digest = CacheKey(long).hexDigest
    let names: [String?] = [
      nil, "", ".", "..", "../x", "/", "/etc", "a/b", "a", "A", "a\0b", "\0", "%", "%00", "ü", "日本", "🙂", " ",
      long,
      long + "y", String(repeating: "x", count: 100) + "-" + digest, "v2", "namespaces", "partial",
    ]
    let key = CacheKey("key")
    for (number, name) in names.enumerated() {
      let cache = DiskCache(folder.configuration { $0.namespace = name })
      try await cache.store(bytes(10 + number), for: key)
    }
    for (number, name) in names.enumerated() {
      let cache = DiskCache(folder.configuration { $0.namespace = name })
      #expect(try await cache.read(key)?.data == bytes(10 + number))
      #expect(try await cache.statistics().count == 1)
      #expect(try await cache.removeAll() == 1)
    }
    // Nothing left the folder.
    let outside = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(outside == ["cache"])
    let inside = try FileManager.default.contentsOfDirectory(atPath: folder.cache.path)
    #expect(Set(inside) == ["v2", "namespaces", "CACHEDIR.TAG"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.cache.appending(path: "namespaces").path)
        .count
        == names.count - 1)
  }

  @Test func aLongNamespaceCannotBeImitated() {
    let long = "\u{12}" + String(repeating: "x", count: 300)
    let name = CacheLayout.fileName(of: long)
    #expect(name.utf8.count <= 255 && !name.contains("/"))
    // Names of short ones have two hexadecimal digits behind each percent sign.
    let mark = name.utf8.firstIndex(of: UInt8(ascii: "%")).map { name.utf8.index(after: $0) }
    #expect(mark != nil && name.hasPrefix("%12"))
    #expect(name.contains("%-"))
  }
}
