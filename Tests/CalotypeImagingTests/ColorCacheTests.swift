import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// The cache of conversions is bounded and gives every thread the right one.
@Suite("Color cache")
struct ColorCacheTests {
  @Test("bounded by number and by bytes; the one not used for longest goes")
  func bounds() throws {
    let p3 = try Fixture.data("Metadata/DisplayP3-v4.icc")
    let cache = ColorCache(capacity: 3, byteLimit: 10_000)
    for extra in 0..<10 {
      _ = cache.conversion(from: .icc(p3 + Data(repeating: 0, count: extra)), source: .rgba8)
      #expect(cache.count == min(extra + 1, 3))
    }
    _ = cache.conversion(from: .icc(p3 + Data(repeating: 0, count: 9_400)), source: .rgba8)
    #expect(cache.count == 1)
    _ = cache.conversion(from: .icc(p3 + Data(repeating: 0, count: 20_000)), source: .rgba8)
    #expect(cache.count == 1)
    _ = cache.conversion(from: .sRGB, source: .rgba8)
    #expect(cache.count == 1)
    _ = cache.conversion(from: .icc(p3), source: .rgba16)
    #expect(cache.count == 1)
    _ = cache.conversion(from: .icc(p3), source: .rgba8)
    #expect(cache.count == 2)
  }

  @Test("many tasks, few entries: everyone's colours are their own")
  func concurrency() async throws {
    let cache = ColorCache(capacity: 2)
    let stored = try ColorTests.bitmap(ColorTests.colors)
    let profiles: [ColorProfile] = [
      try ColorTests.profile("DisplayP3-v4"), try ColorTests.profile("AdobeCompat-v2"),
      .calibrated(.init(gamma: 1)), .calibrated(.init(gamma: 0.6)), .icc(Data([1, 2, 3])), .sRGB,
    ]
    var limits = DecodeLimits.default
    // For sanitizers on busy machines.
    limits.maxDuration = .seconds(600)
    let watch = DecodeLimits.DeadlineChecker(limits)
    @Sendable func convert(_ profile: ColorProfile) throws -> Bitmap {
      try stored.converted(from: profile, keepsGray: true, watch: watch, pool: .shared, cache: cache)
    }
    let expected = try profiles.map(convert)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for round in 0..<120 {
        let index = round % profiles.count
        group.addTask { @concurrent in try convert(profiles[index]) == expected[index] }
      }
      for try await isSame in group { #expect(isSame) }
    }
    #expect(cache.count <= 2)
    #expect(Set(expected.map(ColorTests.bytes)).count == 5)
  }
}
