@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

/// Frames that are decoded in advance.
@Suite("Preloaded frames", .timeLimit(.minutes(2)))
struct PreloadTests {
  private static let size = ScriptedFrames.frameByteCount

  private func player(_ source: ScriptedFrames, _ pool: FramePool) -> AnimationPlayer {
    AnimationPlayer(source: source, transforms: [], pool: pool, clock: TestClock())
  }

  @Test("all frames before anybody plays; playing then decodes nothing; unloaded, nothing is held")
  func all() async throws {
    let source = ScriptedFrames(count: 30, loopCount: 2)
    let pool = FramePool(byteLimit: 100 * Self.size)
    let player = player(source, pool)
    #expect(!player.allFramesLoaded)
    #expect(try await player.preload())
    #expect(player.allFramesLoaded && source.log.all == Array(0..<30))
    #expect(pool.statistics.frames == 30 && pool.statistics.bytes == 30 * Self.size)
    #expect(pool.statistics.players == 1 && pool.statistics.hits == 0)
    player.rate = .infinity
    var count = 0
    for try await _ in player.frames() { count += 1 }
    #expect(count == 60 && source.log.all.count == 30 && pool.statistics.hits == 60)
    // The end of the playback does not end it.
    #expect(player.allFramesLoaded)
    player.unload()
    #expect(!player.allFramesLoaded && pool.statistics.frames == 0 && pool.statistics.bytes == 0)
    #expect(pool.statistics.players == 0)
  }

  @Test(
    "no more than the budget, from the current frame on in the order of playback",
    arguments: [
      (PlaybackMode.normal, 0, [0, 1, 2, 3]), (.normal, 8, [8, 9, 0, 1]), (.reverse, 9, [9, 8, 7, 6]),
      (.reverse, 1, [1, 0, 9, 8]), (.bounce, 3, [3, 4, 5, 6]),
    ])
  func budget(mode: PlaybackMode, from index: Int, expected: [Int]) async throws {
    let source = ScriptedFrames(count: 10)
    let pool = FramePool(byteLimit: 100 * Self.size)
    let player = player(source, pool)
    player.mode = mode
    if index > 0, mode != .reverse || index < 9 { player.seek(toFrame: index) }
    #expect(try await !player.preload(budget: 5 * Self.size - 1))
    #expect(Set(source.log.all) == Set(expected) && source.log.all.count == 4)
    #expect(pool.statistics.bytes == 4 * Self.size && !player.allFramesLoaded)
    // A larger one decodes the rest, a smaller one gives nothing back before it is needed.
    #expect(try await player.preload(budget: 10 * Self.size))
    #expect(source.log.all.count == 10)
    #expect(try await player.preload(budget: 2 * Self.size))
    #expect(source.log.all.count == 10)
    player.unload()
    #expect(pool.statistics.frames == 0)
  }

  @Test(
    "a budget smaller than a frame decodes nothing; neither does a pool without room",
    arguments: [true, false])
  func tooSmall(inPool: Bool) async throws {
    let source = ScriptedFrames(count: 3)
    let pool = FramePool(byteLimit: inPool ? Self.size - 1 : 100 * Self.size)
    let player = player(source, pool)
    #expect(try await !player.preload(budget: inPool ? .max : Self.size - 1))
    #expect(try await !player.preload(budget: -1))
    #expect(source.log.all.isEmpty && pool.statistics.bytes == 0)
  }

  @Test("with others in the pool, no more than the share, and others keep theirs")
  func share() async throws {
    let limit = 20 * Self.size
    let pool = FramePool(byteLimit: limit)
    let (source, otherSource) = (ScriptedFrames(count: 30), ScriptedFrames(count: 30))
    let (player, other) = (player(source, pool), player(otherSource, pool))
    #expect(try await !player.preload())
    #expect(source.log.all == Array(0..<20) && pool.statistics.bytes == limit)
    // The newcomer has its half, of which it uses what it shows next; the rest stays.
    var iterator = other.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    try await eventually { pool.statistics.decodes == 28 }
    #expect(otherSource.log.all == Array(0..<8) && pool.statistics.peakBytes <= limit)
    // The first ten are kept.
    let decodes = source.log.all.count
    var own = player.frames().makeAsyncIterator()
    for index in 0..<2 {
      #expect(try await own.next()?.index == index)
      player.rate = .infinity
    }
    #expect(source.log.all.count == decodes && pool.statistics.players == 2)
    withExtendedLifetime((iterator, own)) {}
  }

  @Test("what is preloaded and what is shown next, elsewhere in the animation, leave others their share")
  func shareElsewhere() async throws {
    let pool = FramePool(byteLimit: 24 * Self.size)
    let (source, otherSource) = (ScriptedFrames(count: 100), ScriptedFrames(count: 100))
    let (player, other) = (player(source, pool), player(otherSource, pool))
    #expect(try await !player.preload())
    player.seek(toFrame: 50)
    var iterator = player.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 50)
    try await eventually { pool.statistics.decodes == 24 + 8 }
    // Backwards, it wants as many as its share.
    other.mode = .reverse
    var others = other.frames().makeAsyncIterator()
    #expect(try await others.next()?.index == 99)
    try await eventually { pool.count(of: otherSource) == 12 }
    #expect(pool.count(of: source) == 12)
    withExtendedLifetime((player, iterator, other, others)) {}
  }

  @Test("while it plays, what is preloaded and what is shown next never take more than the share together")
  func playingWithin() async throws {
    let source = ScriptedFrames(count: 100, loopCount: 3)
    let pool = FramePool(byteLimit: 12 * Self.size)
    let player = player(source, pool)
    #expect(try await !player.preload())
    #expect(pool.statistics.frames == 12)
    player.rate = .infinity
    var count = 0
    for try await _ in player.frames() {
      count += 1
      #expect(pool.statistics.bytes <= pool.byteLimit && pool.statistics.players == 1)
    }
    #expect(count == 300 && pool.statistics.peakBytes <= pool.byteLimit)
  }

  @Test("a player that is not seen or stopped, or is gone, has nothing preloaded", arguments: 0..<3)
  func released(way: Int) async throws {
    let source = ScriptedFrames(count: 5)
    let pool = FramePool(byteLimit: 100 * Self.size)
    var player: AnimationPlayer? = player(source, pool)
    #expect(try await player?.preload() == true)
    switch way {
    case 0: player?.isActive = false
    case 1: player?.stop()
    default: player = nil
    }
    #expect(pool.statistics.frames == 0 && pool.statistics.players == 0)
    // While it is not seen, nothing is decoded.
    if way == 0 { #expect(try await player?.preload() == false && source.log.all.count == 5) }
    if way == 1 { #expect(try await player?.preload() == true) }
  }

  @Test("unloading while it plays leaves what is shown next")
  func unloadDuringPlayback() async throws {
    let source = ScriptedFrames(count: 30)
    let pool = FramePool(byteLimit: 100 * Self.size)
    let player = player(source, pool)
    #expect(try await player.preload())
    var iterator = player.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    player.unload()
    #expect(pool.statistics.frames == 8 && pool.statistics.players == 1)
    player.rate = .infinity
    for index in 1..<8 { #expect(try await iterator.next()?.index == index) }
    #expect(source.log.counts[1] == 1)
  }

  @Test("a frame that cannot be decoded is an error; those before it are kept")
  func damaged() async throws {
    let source = ScriptedFrames(count: 6) { index in
      if index == 3 { throw ImagingError.outOfMemory(byteCount: 3) }
    }
    let pool = FramePool(byteLimit: 100 * Self.size)
    let player = player(source, pool)
    await #expect(throws: ImagingError.outOfMemory(byteCount: 3)) { try await player.preload() }
    #expect(!player.allFramesLoaded && pool.statistics.frames >= 3)
    player.unload()
    try await eventually { pool.statistics.bytes == 0 }
  }

  @Test(
    "cancelled, replaced or unloaded during a decode: it returns, and nothing more is decoded",
    arguments: 0..<4)
  func interrupted(way: Int) async throws {
    let (begun, gate) = (Gate(), Gate())
    let source = ScriptedFrames(count: 10) { index in
      guard index == 2 else { return }
      begun.open()
      // Not to be cancelled.
      await Task { try? await gate.wait() }.value
    }
    let pool = FramePool(byteLimit: 100 * Self.size)
    let player = player(source, pool)
    let task = Task { try await player.preload() }
    try await begun.wait()
    switch way {
    case 0: task.cancel()
    case 1: player.unload()
    case 2: player.isActive = false
    default:
      let second = Task { try await player.preload(budget: 4 * Self.size) }
      #expect(try await !task.value)
      gate.open()
      #expect(try await !second.value)
      #expect(source.log.all == [0, 1, 2, 3])
      return
    }
    if way == 0 {
      await #expect(throws: CancellationError.self) { try await task.value }
    } else {
      #expect(try await !task.value)
    }
    gate.open()
    if way == 0 {
      try await eventually { pool.statistics.decodes == 3 && pool.statistics.frames == 3 }
    } else {
      try await eventually { pool.statistics.bytes == 0 }
    }
    #expect(source.log.all == [0, 1, 2])
  }

  @Test("players of one image share what any of them has preloaded")
  func shared() async throws {
    let source = ScriptedFrames(count: 10)
    let pool = FramePool(byteLimit: 100 * Self.size)
    let (first, second) = (player(source, pool), player(source, pool))
    #expect(try await first.preload())
    #expect(second.allFramesLoaded)
    #expect(try await second.preload())
    #expect(source.log.all.count == 10 && pool.statistics.players == 2)
    first.unload()
    #expect(second.allFramesLoaded)
    second.unload()
    #expect(pool.statistics.frames == 0)
  }

  @Test("an animation that is still arriving is never loaded as a whole")
  func arriving() async throws {
    let gif = try PlaybackSamples.gif(frames: 6)
    let animation = ProgressiveAnimation()
    let pool = FramePool(byteLimit: 1 << 20)
    let player = AnimationPlayer(animation, pool: pool, clock: TestClock())
    #expect(try await !player.preload() && pool.statistics.frames == 0)
    try await animation.append(gif.dropLast(40))
    let count = animation.completeFrameCount
    #expect(count > 0)
    #expect(try await !player.preload() && pool.statistics.frames == count)
    try await animation.append(gif.suffix(40))
    try await animation.finish()
    #expect(!player.allFramesLoaded || count == 6)
    #expect(try await player.preload() && pool.statistics.frames == 6)
  }

  @Test(
    "the frames of a file whose size is not known before are preloaded all the same, and a still image is one frame"
  )
  func others() async throws {
    let pool = FramePool(byteLimit: 1 << 20)
    let player = AnimationPlayer(try PlaybackSamples.animation(frames: 5), pool: pool, clock: TestClock())
    #expect(try await player.preload() && pool.statistics.frames == 5)
    let still = AnimationPlayer(try SlotStage.picture(1), pool: pool)
    #expect(try await still.preload() && pool.statistics.frames == 6)
    withExtendedLifetime((player, still)) {}
  }
}
