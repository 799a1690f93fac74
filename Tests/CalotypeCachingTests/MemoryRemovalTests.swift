import Testing

@testable import CalotypeCaching

@Suite struct MemoryRemovalTests {
  private func key(_ variant: Int, of source: String) -> CacheKey {
    CacheKey("\(source) \(variant)", source: source)
  }

  private func filled() -> MemoryCache<Int> {
    let cache = MemoryCache<Int>(byteLimit: 1000)
    for variant in 0..<4 {
      cache.store(
        variant, for: key(variant, of: "https://a/1"), cost: 1, tags: variant == 0 ? ["x", "y"] : [])
      cache.store(variant, for: key(variant, of: "https://a/2"), cost: 1, tags: ["x"])
      cache.store(variant, for: key(variant, of: "https://b/1"), cost: 1)
    }
    return cache
  }

  @Test func allVariantsOfASourceGo() {
    let cache = filled()
    cache.remove(key(1, of: "https://a/1"))
    #expect(cache.removeAll(.source("https://a/1")) == 3)
    #expect(cache.removeAll(.source("https://a/1")) == 0)
    #expect(cache.value(for: key(0, of: "https://a/1")) == nil)
    #expect(cache.value(for: key(0, of: "https://a/2")) == 0)
    #expect((cache.statistics.count, cache.statistics.bytes) == (8, 8))
    cache.store(9, for: key(0, of: "https://a/1"), cost: 1)
    #expect(cache.removeAll(.source("https://a/1")) == 1)
  }

  @Test func prefixesAndTagsSelect() {
    let cache = filled()
    #expect(cache.removeAll(.tag("y")) == 1)
    #expect(cache.removeAll(.tag("x")) == 4)
    #expect(cache.removeAll(.tag("")) == 0)
    #expect(cache.removeAll(.sourcePrefix("https://a/")) == 3)
    #expect(cache.statistics.count == 4)
    #expect(cache.removeAll(.sourcePrefix("")) == 4)
    #expect(cache.statistics.bytes == 0)
  }

  @Test func storingAnewReplacesTags() {
    let cache = filled()
    let key = key(0, of: "https://a/1")
    cache.store(5, for: key, cost: 2, tags: ["z"])
    #expect(cache.removeAll(.tag("y")) == 0)
    #expect(cache.removeAll(.tag("z")) == 1)
    // The same text and digest, as a variant of something else.
    cache.store(6, for: CacheKey("moved", source: "one"), cost: 1)
    cache.store(7, for: CacheKey("moved", source: "two"), cost: 1)
    #expect(cache.removeAll(.source("one")) == 0)
    #expect(cache.removeAll(.source("two")) == 1)
  }

  @Test func textsAreComparedByteByByte() {
    let cache = MemoryCache<Int>(byteLimit: 10)
    cache.store(1, for: CacheKey("\u{e9}"), cost: 1)
    cache.store(2, for: CacheKey("e\u{301}"), cost: 1)
    #expect(cache.removeAll(.source("\u{e9}")) == 1)
    #expect(cache.value(for: CacheKey("e\u{301}")) == 2)
  }

  @Test func evictionLeavesNothingBehind() {
    let cache = MemoryCache<Int>(byteLimit: 10)
    for number in 0..<100 {
      let family = CacheKey("family \(number % 3)")
      cache.store(
        number, for: key(number, of: "source \(number % 7)"), cost: 1, tags: ["tag \(number % 5)"],
        sizeVariant: MemoryTier.SizeVariant(of: family, width: number, height: number))
    }
    #expect(cache.statistics.count == 10)
    #expect((0..<7).reduce(0) { $0 + cache.removeAll(.source("source \($1)")) } == 10)
    #expect((0..<5).allSatisfy { cache.removeAll(.tag("tag \($0)")) == 0 })
    #expect(cache.statistics.bytes == 0)
    #expect(
      cache.value(coveringAtLeast: MemoryTier.SizeVariant(of: CacheKey("family 0"), width: 1, height: 1))
        == nil)
  }

  @Test func removingAllForgetsEverything() {
    let cache = filled()
    cache.removeAll()
    #expect(cache.removeAll(.sourcePrefix("")) == 0)
    #expect(cache.removeAll(.tag("x")) == 0)
    cache.store(1, for: key(0, of: "https://a/1"), cost: 1)
    #expect(cache.removeAll(.source("https://a/1")) == 1)
  }
}
