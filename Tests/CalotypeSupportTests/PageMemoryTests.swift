import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeSupport

@Suite("Memory in pages", .serialized)
struct PageMemoryTests {
  /// Address space of the process in bytes. Other tests change it, by less than the sizes here.
  static func addressSpace() throws -> Int {
    let line = try #require(
      SmallFile.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
    return try #require(
      line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }) << 10
  }

  @Test("pages are there when they are asked for and gone when they are freed", arguments: [false, true])
  func pages(prefersHugePages: Bool) throws {
    let count = 1 << 30
    let before = try Self.addressSpace()
    let start = try #require(PageMemory.allocate(byteCount: count, prefersHugePages: prefersHugePages))
    if prefersHugePages { #expect(UInt(bitPattern: start) % (2 << 20) == 0) }
    (start + (count - 1)).storeBytes(of: 1, as: UInt8.self)
    #expect(start.load(as: UInt8.self) == 0)
    #expect(try Self.addressSpace() - before > count / 2)
    PageMemory.deallocate(start, byteCount: count)
    #expect(try Self.addressSpace() - before < count / 2)
  }

  @Test("there is no memory for everything")
  func tooMuch() {
    #expect(PageMemory.allocate(byteCount: 1 << 60) == nil)
    #expect(PageMemory.allocate(byteCount: 1 << 60, prefersHugePages: true) == nil)
    #expect(GrowableBuffer(capacity: 1 << 60) == nil)
  }

  @Test("bytes are added to a buffer that grows, and stay")
  func growing() throws {
    let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let buffer = try #require(GrowableBuffer(capacity: 1))
    var (start, step) = (0, 1)
    while start < bytes.count {
      let end = min(bytes.count, start + step)
      let isAdded = bytes.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
      #expect(isAdded && buffer.count == end)
      (start, step) = (end, step * 2 + 1)
    }
    #expect(buffer.append(UnsafeRawBufferPointer(start: nil, count: 0)) && buffer.count == bytes.count)
    buffer.shrinkToFit()
    #expect(buffer.bytes.elementsEqual(bytes))
  }

  @Test("pages are used again, and given back when nobody does")
  func cache() throws {
    let never = Monitor(false)
    let cache = PageCache(
      byteLimit: 4 << 20, reclaimer: IdleReclaimer(pause: { never.wait { $0 ? () : nil } }))
    func use(_ capacity: Int, _ byte: UInt8) throws -> UnsafeMutableRawPointer {
      let buffer = try #require(GrowableBuffer(capacity: capacity, cache: cache))
      #expect(buffer.count == 0)
      let bytes = [UInt8](repeating: byte, count: capacity)
      let isAdded = bytes.withUnsafeBytes { buffer.append($0) }
      #expect(isAdded && buffer.bytes.elementsEqual(bytes))
      return buffer.baseAddress
    }
    let first = try use(1 << 20, 1)
    #expect(cache.byteCount == 1 << 20)
    #expect(try use(1 << 19, 2) == first)
    // Far too many pages are left for others.
    _ = try use(1 << 16, 3)
    #expect(cache.byteCount == (1 << 20) + (1 << 16))
    // Too few grow.
    _ = try use(2 << 20, 4)
    #expect(cache.byteCount == (2 << 20) + (1 << 16))
    // More than the limit are not kept.
    _ = try use(8 << 20, 5)
    #expect(cache.byteCount == 1 << 16)
    for _ in 1..<PageCache.idleRounds { #expect(cache.reclaimIdle()) }
    _ = try use(1 << 20, 6)
    #expect(cache.reclaimIdle())
    #expect(cache.byteCount == 1 << 20)
    for _ in 2..<PageCache.idleRounds { #expect(cache.reclaimIdle()) }
    #expect(!cache.reclaimIdle() && cache.byteCount == 0)
  }

  @Test("a buffer that is released, or shrunk, takes no memory")
  func release() throws {
    // Tests beside this one take address space, too.
    let count = 1 << 32
    let before = try Self.addressSpace()
    for shrinks in [true, false] {
      let buffer = try #require(GrowableBuffer(capacity: count))
      #expect(try Self.addressSpace() - before > count / 2)
      guard shrinks else { continue }
      buffer.shrinkToFit()
      #expect(try Self.addressSpace() - before < count / 2)
    }
    #expect(try Self.addressSpace() - before < count / 2)
  }

  @Test("memory is given back", .enabled(if: !Sanitizer.isOn, "sanitizers have a malloc of their own"))
  func allocator() {
    let before = Allocator.bytesInUse
    let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 30, alignment: 16)
    #expect(Allocator.bytesInUse - before > 1 << 29)
    block.deallocate()
    #expect(Allocator.bytesInUse - before < 1 << 29)
  }
}
