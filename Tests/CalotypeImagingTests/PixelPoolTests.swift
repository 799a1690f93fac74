import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import CalotypeImaging

@Suite("Pixel pool", .timeLimit(.minutes(1)))
struct PixelPoolTests {
  private static let large = PageMemory.threshold

  private func address(_ buffer: UnsafeMutableRawBufferPointer) -> UInt {
    UInt(bitPattern: buffer.baseAddress)
  }

  /// Takes and gives back buffers of so many bytes, all at a time.
  private func use(_ pool: PixelPool, _ byteCounts: Int...) throws {
    let buffers = try byteCounts.map { try #require(pool.take(byteCount: $0)) }
    for buffer in buffers { pool.giveBack(buffer) }
  }

  /// A pool whose rounds only the test makes.
  private func pool(byteLimit: Int = 64 << 20, zeroesOnReturn: Bool = false) -> PixelPool {
    let never = Monitor(false)
    return PixelPool(
      byteLimit: byteLimit, zeroesOnReturn: zeroesOnReturn,
      reclaimer: IdleReclaimer(pause: { never.wait { $0 ? () : nil } }))
  }

  @Test("large buffers are nothing to malloc")
  func pages() throws {
    let pool = pool(byteLimit: 0)
    let before = Allocator.bytesInUse
    let buffers = try (0..<1024).map { _ in try #require(pool.take(byteCount: 1 << 20)) }
    #expect(Allocator.bytesInUse - before < 512 << 20)
    #expect(buffers.allSatisfy { address($0) % 4096 == 0 && $0.count == 1 << 20 })
    for buffer in buffers { pool.giveBack(buffer) }
    #expect(pool.statistics.bytesInUse == 0 && pool.statistics.bytesIdle == 0)
  }

  @Test("buffers on both sides of the threshold can be used and freed")
  func sizes() throws {
    let pool = pool(byteLimit: 0)
    for byteCount in [1, 255, Self.large - 1, Self.large, Self.large + 1, 3 << 20, 9 << 20] {
      let buffer = try #require(pool.take(byteCount: byteCount))
      #expect(buffer.count >= byteCount && address(buffer) % 64 == 0)
      buffer.initializeMemory(as: UInt8.self, repeating: 7)
      pool.giveBack(buffer)
    }
    #expect(pool.take(byteCount: 1 << 60) == nil)
    #expect(pool.statistics.bytesInUse == 0)
  }

  @Test("what nobody asks for goes after some rounds, and what is used stays")
  func idle() throws {
    let pool = pool()
    try use(pool, Self.large, Self.large, 1000)
    for _ in 1..<PixelPool.idleRounds { #expect(pool.reclaimIdle()) }
    // One of the two large ones is used again.
    try use(pool, Self.large)
    #expect(pool.statistics.hits == 1)
    #expect(pool.reclaimIdle())
    #expect(pool.statistics.bytesIdle == Self.large)
    for _ in 2..<PixelPool.idleRounds { #expect(pool.reclaimIdle()) }
    #expect(!pool.reclaimIdle())
    #expect(pool.statistics.bytesIdle == 0)
  }

  @Test("a pool that nobody uses becomes empty by itself, each time anew")
  func reminders() async throws {
    let reclaimer = IdleReclaimer(pause: {})
    let pool = PixelPool(byteLimit: 64 << 20, reclaimer: reclaimer)
    for _ in 0..<20 {
      try use(pool, Self.large, 4096)
      // One more, which may have begun before.
      await Witness.rounds(PixelPool.idleRounds + 1, of: reclaimer)
      #expect(pool.statistics.bytesIdle == 0)
    }
  }

  @Test("trimming frees everything at once, and later buffers are given back too")
  func trim() throws {
    let pool = pool()
    try use(pool, Self.large, 4096)
    pool.trim()
    #expect(pool.statistics.bytesIdle == 0)
    #expect(!pool.reclaimIdle())
    try use(pool, Self.large)
    for _ in 1..<PixelPool.idleRounds { #expect(pool.reclaimIdle()) }
    #expect(!pool.reclaimIdle())
  }

  @Test("a lower limit holds at once, the largest go first")
  func limit() throws {
    let pool = pool(byteLimit: 8 << 20)
    try use(pool, 4 << 20, 2 << 20, 1 << 20)
    #expect(pool.statistics.bytesIdle == 7 << 20)
    pool.setByteLimit(3 << 20)
    #expect(pool.byteLimit == 3 << 20 && pool.statistics.bytesIdle == 3 << 20)
    try use(pool, 4 << 20)
    #expect(pool.statistics.bytesIdle == 3 << 20)
    pool.setByteLimit(0)
    #expect(pool.statistics.bytesIdle == 0)
    pool.setByteLimit(8 << 20)
    try use(pool, 4 << 20)
    #expect(pool.statistics.bytesIdle == 4 << 20)
  }

  @Test("once clearing is asked for, nothing of what was in any buffer can be read from another")
  func clearing() throws {
    let pool = pool()
    let sizes = [1000, Self.large]
    func fill(_ byte: UInt8) throws -> [UnsafeMutableRawBufferPointer] {
      try sizes.map {
        let buffer = try #require(pool.take(byteCount: $0))
        buffer.initializeMemory(as: UInt8.self, repeating: byte)
        return buffer
      }
    }
    for buffer in try fill(1) { pool.giveBack(buffer) }
    let inUse = try fill(2)
    for buffer in try fill(3) { pool.giveBack(buffer) }
    #expect(pool.statistics.bytesIdle > 0 && !pool.zeroesOnReturn)
    pool.zeroOnReturn()
    #expect(pool.statistics.bytesIdle == 0 && pool.zeroesOnReturn)
    for buffer in inUse { pool.giveBack(buffer) }
    #expect(pool.statistics.bytesIdle > 0)
    let hits = pool.statistics.hits
    for size in sizes {
      let buffer = try #require(pool.take(byteCount: size))
      #expect(buffer.allSatisfy { $0 == 0 })
      pool.giveBack(buffer)
    }
    #expect(pool.statistics.hits == hits + 2)
  }

  @Test("the shared pool keeps no more than a sixteenth of the memory")
  func shared() {
    #expect(PixelPool.shared.byteLimit == min(128 << 20, SystemMemory.availableToThisProcess / 16))
  }

  @Test("buffers are cleared for the next one where that is asked for", arguments: [4096, 1 << 20])
  func zeroing(byteCount: Int) throws {
    let pool = pool(zeroesOnReturn: true)
    let buffer = try #require(pool.take(byteCount: byteCount))
    buffer.initializeMemory(as: UInt8.self, repeating: 0xAB)
    pool.giveBack(buffer)
    let again = try #require(pool.take(byteCount: byteCount))
    #expect(pool.statistics.hits == 1 && again.allSatisfy { $0 == 0 })
    pool.giveBack(again)
  }

  @Test("a bitmap says what it takes")
  func allocated() throws {
    let pool = pool(byteLimit: 0)
    let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), pool: pool) { _ in true }
    #expect(bitmap.byteCount == 4 && bitmap.allocatedByteCount == pool.statistics.bytesInUse)
  }
}

/// Counts the rounds of a reclaimer.
private final class Witness: IdleReclaiming {
  private let count: Int
  private let asked = Lock(0)
  private let done: AsyncStream<Void>.Continuation

  private init(_ count: Int, _ done: AsyncStream<Void>.Continuation) {
    (self.count, self.done) = (count, done)
  }

  func reclaimIdle() -> Bool {
    let asked = asked.withLock { asked in
      asked += 1
      return asked
    }
    if asked == count { done.finish() }
    return asked < count
  }

  /// Waits for so many rounds.
  static func rounds(_ count: Int, of reclaimer: IdleReclaimer) async {
    let (ended, done) = AsyncStream.makeStream(of: Void.self)
    let witness = Witness(count, done)
    reclaimer.watch(witness)
    for await _ in ended {}
    withExtendedLifetime(witness) {}
  }
}
