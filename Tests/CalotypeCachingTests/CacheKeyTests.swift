import CalotypeCaching
import Testing

@Suite struct CacheKeyTests {
  @Test func digestIsSHA256OfTheText() {
    #expect(
      CacheKey("abc").hexDigest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(CacheKey("").hexDigest == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func equalTextsAreOneKey() {
    #expect(CacheKey("https://example.org/a.png") == CacheKey("https://example.org/a.png"))
    #expect(CacheKey("a") != CacheKey("b"))
    #expect(Set(["a", "b", "a"].map { CacheKey($0) }).count == 2)
    #expect("\(CacheKey("text"))" == "text")
  }

  @Test func canonicallyEquivalentTextsAreTwoKeys() {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    #expect(composed == decomposed)
    #expect(CacheKey(composed) != CacheKey(decomposed))
  }
}
