@testable import CalotypeDisplay
import CalotypeTestKit
import Testing

@testable import Calotype

/// Frames that cannot be decoded, and those around them.
@Suite("Frame pool, damaged frames", .timeLimit(.minutes(2)))
struct FramePoolFailureTests {
  private let pool = FramePool(byteLimit: 1 << 20)

  private func frames(
    _ count: Int, loopCount: Int = 1, without damaged: Int
  ) -> ScriptedFrames {
    ScriptedFrames(count: count, loopCount: loopCount) { index in
      if index == damaged { throw ImagingError.outOfMemory(byteCount: index) }
    }
  }

  private func player(_ source: ScriptedFrames) -> AnimationPlayer {
    AnimationPlayer(source: source, transforms: [], pool: pool, clock: TestClock())
  }

  @Test("Backwards, those behind a damaged frame are shown, and it is tried once more when it is due")
  func reverse() async throws {
    let source = frames(4, without: 1)
    let player = player(source)
    player.mode = .reverse
    player.rate = .infinity
    var indices: [Int] = []
    await #expect(throws: ImagingError.outOfMemory(byteCount: 1)) {
      for try await frame in player.frames() { indices.append(frame.index) }
    }
    #expect(indices == [3, 2])
    #expect(source.log.all == [0, 1, 2, 3, 1])
  }

  @Test("Where each frame needs the one before, all behind the damaged one fail, each by itself")
  func dependentFrames() async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 4) { index throws(ImagingError) in
      log.note(index)
      if index == 1 { throw .outOfMemory(byteCount: 1) }
    }
    let player = AnimationPlayer(image, pool: pool)
    player.mode = .reverse
    var iterator = player.frames().makeAsyncIterator()
    await #expect(throws: ImagingError.outOfMemory(byteCount: 1)) { _ = try await iterator.next() }
    #expect(log.counts[1] == 3)
    try await eventually { pool.statistics.bytes == 0 }
  }

  @Test("A frame that was not to be had ahead of time keeps nobody from those behind it")
  func prefetched() async throws {
    let source = frames(6, loopCount: 0, without: 1)
    let player = player(source)
    var iterator = player.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    try await eventually { pool.statistics.frames == 5 }
    #expect(source.log.all == [0, 1, 2, 3, 4, 5])
    pool.removeAll()
    player.seek(toFrame: 3)
    #expect(try await iterator.next()?.index == 3)
  }
}
