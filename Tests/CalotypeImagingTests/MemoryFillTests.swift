import CalotypeTestKit
import Testing

@testable import CalotypeImaging
@testable import CalotypeSupport

@Suite("Filled memory")
struct MemoryFillTests {
  @Test("a pool with a fill hands out exact, fresh buffers of that byte")
  func pool() throws {
    let never = Monitor(false)
    let pool = PixelPool(
      byteLimit: 64 << 20, reclaimer: IdleReclaimer(pause: { never.wait { $0 ? () : nil } }), fill: 0xA5)
    for byteCount in [1, 1000, PageMemory.threshold + 1] {
      for _ in 0..<2 {
        let buffer = try #require(pool.take(byteCount: byteCount))
        #expect(buffer.count == byteCount)
        #expect(buffer.allSatisfy { $0 == 0xA5 })
        #expect(pool.statistics.bytesInUse == byteCount)
        buffer.initializeMemory(as: UInt8.self, repeating: 1)
        pool.giveBack(buffer)
      }
    }
    #expect(pool.statistics == PixelPool.Statistics(misses: 6))
  }

  @Test("a buffer that grows is full of the byte behind its end")
  func growable() throws {
    let buffer = try #require(GrowableBuffer(capacity: 100, cache: .shared, fill: 0x5A))
    let bytes = [UInt8](repeating: 7, count: 5000)
    for _ in 0..<3 {
      #expect(bytes.withUnsafeBytes { buffer.append($0) })
      let last = buffer.baseAddress.loadUnaligned(fromByteOffset: buffer.count - 1, as: UInt8.self)
      let next = buffer.baseAddress.loadUnaligned(fromByteOffset: buffer.count, as: UInt8.self)
      #expect((last, next) == (7, 0x5A))
    }
  }
}
