import Calotype
import CalotypeSupport
import CalotypeTestKit
import Glibc
import Testing

@Suite struct ProcessAllocatorTests {
  @Test(
    "pages that nothing lives on return to the system, though something lives above them",
    .enabled(if: !Sanitizer.isOn, "sanitizers have a malloc of their own"))
  func trims() throws {
    // Small enough for the arena, not for pages of their own.
    var blocks = (0..<1024).compactMap { _ in malloc(64 << 10) }
    for block in blocks { memset(block, 1, 64 << 10) }
    let last = blocks.removeLast()
    defer { free(last) }
    let addresses = blocks.map { UInt(bitPattern: $0) }
    for block in blocks { free(block) }
    #expect(residentBytes(addresses) > 32 << 20)
    #expect(ProcessAllocator.trim())
    #expect(residentBytes(addresses) < 16 << 20)
  }

  /// Bytes resident of the whole pages within blocks of 64 KiB that start there. Their addresses are those of freed memory,
  /// which is not touched.
  private func residentBytes(_ addresses: [UInt]) -> Int {
    let page: UInt = 4096
    return addresses.reduce(0) { sum, address in
      let start = (address + page - 1) & ~(page - 1)
      var pages = [UInt8](repeating: 0, count: 15)
      let status = mincore(UnsafeMutableRawPointer(bitPattern: start), Int(15 * page), &pages)
      return status == 0 ? sum + pages.count { $0 & 1 == 1 } * Int(page) : sum
    }
  }
}
