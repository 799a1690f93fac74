import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import Calotype

@Suite("What images cost in memory", .serialized)
struct ImageCostTests {

  @Test(
    "the costs of tiny images are what they take",
    .enabled(if: !Sanitizer.isOn, "sanitizers have a malloc of their own"))
  func tiny() throws {
    let count = 20_000
    var ratios: [Double] = []
    // Other tests take memory and free it meanwhile.
    for _ in 0..<5 {
      let cache = MemoryCache<CachedImage>(byteLimit: 1 << 30)
      let before = Allocator.bytesInUse
      for index in 0..<count {
        let address = try #require(URL(string: "https://images.example.org/pixel.png?i=\(index)"))
        let cached = CachedImage(Image(bitmap: try SampleImages.bitmap(width: 1, height: 1)))
        cache.store(
          cached, for: ImageRequest(url: address).key, cost: cached.cost, freshFor: .seconds(1000))
      }
      #expect(cache.statistics.count == count)
      ratios.append(Double(cache.statistics.bytes) / Double(Allocator.bytesInUse - before))
      if let last = ratios.last, (2.0 / 3...1.5).contains(last) { return }
    }
    Issue.record("costs are \(ratios) of the growth")
  }

  @Test("everything that is kept counts")
  func parts() throws {
    let bitmap = try SampleImages.bitmap(width: 300, height: 300)
    let plain = CachedImage(Image(bitmap: bitmap)).cost
    #expect(plain > bitmap.allocatedByteCount && plain < bitmap.allocatedByteCount + 4096)
    let metadata = ImageMetadata(exif: Data(count: 10_000), xmp: Data(count: 20_000))
    let rich = Image(bitmap: bitmap, profile: .icc(Data(count: 40_000)), metadata: metadata)
    #expect(CachedImage(rich).cost == plain + 70_000)
    let animation = try AnimatedImage(data: SampleImages.animation())
    let frames = CachedImage(Image(bitmap: bitmap), animation: animation).cost
    #expect(frames >= plain + animation.data.count + 8 * animation.frameCount)
  }
}
