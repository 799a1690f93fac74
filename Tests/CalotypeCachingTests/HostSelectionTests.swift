import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Removal by URL and host")
struct HostSelectionTests {
  private let sources = [
    "https://images.example.org/a.png", "http://IMAGES.example.org:8080/b.png",
    "https://example.org/images.example.org", "images.example.org", "https://images.example.org.evil.test/c",
  ]

  @Test func selectionsOfTexts() throws {
    let host = CacheSelection.host("Images.Example.org")
    #expect(sources.map { host.contains(source: $0, tags: []) } == [true, true, false, false, false])
    let url = try #require(URL(string: sources[0]))
    #expect(
      sources.map { CacheSelection.url(url).contains(source: $0, tags: []) } == [
        true, false, false, false, false,
      ])
  }

  @Test func memoryAndDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = DiskCache(DiskCache.Configuration(folder: folder.url))
    let memory = MemoryCache<Int>(byteLimit: 1_000)
    for (number, source) in sources.enumerated() {
      let key = CacheKey("\(number)", source: source)
      memory.store(number, for: key, cost: 1)
      try await disk.store(Data([1]), metadata: RecordMetadata(), for: key)
    }
    #expect(memory.removeAll(.host("images.example.org")) == 2)
    #expect(try await disk.removeAll(.host("images.example.org")) == 2)
    #expect(memory.value(for: CacheKey("4")) == 4 && memory.value(for: CacheKey("0")) == nil)
    #expect(try await disk.contains(CacheKey("4")))
    #expect(try await !disk.contains(CacheKey("1")))
  }

  @Test("statistics and reports survive a round trip through JSON")
  func coding() async throws {
    let folder = try TemporaryFolder()
    let disk = DiskCache(DiskCache.Configuration(folder: folder.url))
    try await disk.store(Data([1]), metadata: RecordMetadata(tags: ["t"]), for: CacheKey("a"))
    var statistics = try await disk.statistics()
    statistics.lastFailure = .stalled(operation: "open", path: "/x", after: .milliseconds(1_500))
    func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
      try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
    }
    #expect(try roundTrip(statistics))
    #expect(try roundTrip(try await disk.entries()))
    #expect(try roundTrip(try await disk.trim()))
    #expect(try roundTrip(MemoryCache<Int>(byteLimit: 10).statistics))
  }
}
