import Calotype
import Testing

@Suite struct LiveImagesTests {
  private func image(_ value: UInt8) throws -> Image {
    let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4)) { bytes throws(ImagingError) in
      for index in bytes.indices { bytes[index] = value }
      return false
    }
    return Image(bitmap: bitmap, orientation: .rightTop, isPartial: true)
  }

  @Test func anEvictedImageIsFoundWhileItsPixelsAreHeld() throws {
    let cache = MemoryCache<Image>(byteLimit: 64, liveValues: .images)
    let key = CacheKey("one")
    let held = try image(1)
    cache.store(held, for: key, cost: held.bitmap.byteCount)
    cache.store(try image(2), for: CacheKey("two"), cost: 64)
    #expect(!cache.contains(key))
    let found = cache.value(for: key)
    #expect(found?.bitmap == held.bitmap)
    #expect(found?.orientation == .rightTop)
    #expect(found?.isPartial == true)
  }

  @Test func anEvictedImageIsNotHeld() throws {
    let cache = MemoryCache<Image>(byteLimit: 64, liveValues: .images)
    let key = CacheKey("one")
    cache.store(try image(1), for: key, cost: 64)
    cache.trim(toBytes: 0)
    #expect(cache.value(for: key) == nil)
  }
}
