@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Which frames a player shows, and when, under a clock that a test moves.
@Suite("Playback", .timeLimit(.minutes(5)))
struct PlaybackOrderTests {
  private let clock = TestClock()
  private let pool = FramePool(byteLimit: 1 << 20)

  private func player(frames: Int = 4, loopCount: Int = 1) throws -> AnimationPlayer {
    let image = try PlaybackSamples.animation(frames: frames, loopCount: loopCount)
    return AnimationPlayer(image, pool: pool, clock: clock)
  }

  private static let sequences: [(PlaybackMode, [Int])] = [
    (.normal, [0, 1, 2, 3]), (.reverse, [3, 2, 1, 0]), (.bounce, [0, 1, 2, 3, 2, 1]),
    (.reversedBounce, [3, 2, 1, 0, 1, 2]),
  ]

  @Test("Each mode shows its frames in order, for each number of loops", arguments: sequences, [1, 2, 3])
  func modes(sequence: (PlaybackMode, [Int]), loops: Int) async throws {
    let player = try player()
    player.mode = sequence.0
    player.loops = .count(loops)
    let start = clock.now
    let frames = try await player.played(by: clock)
    #expect(frames.map(\.index) == (0..<loops).flatMap { _ in sequence.1 })
    #expect(frames.map(\.loop) == (0..<loops).flatMap { Array(repeating: $0, count: sequence.1.count) })
    #expect(frames.map(\.presentationTime) == frames.indices.map { .milliseconds(100 * $0) })
    #expect(frames.allSatisfy { $0.startTime == .milliseconds(100 * $0.index) && $0.lateness == .zero })
    #expect(start.duration(to: clock.now) == .milliseconds(100 * frames.count))
    #expect(player.state == .ended)
  }

  @Test("The pixels are those of the animation", arguments: PlaybackMode.allCases)
  func pixels(mode: PlaybackMode) async throws {
    let image = try PlaybackSamples.animation(frames: 9)
    let player = AnimationPlayer(image, pool: pool, clock: clock)
    player.mode = mode
    for frame in try await player.played(by: clock) {
      #expect(try frame.bitmap == image.frame(at: frame.index).bitmap)
    }
  }

  @Test("The file says how often, unless the player does")
  func loopPolicies() async throws {
    #expect(try await player(loopCount: 1).played(by: clock).count == 4)
    #expect(try await player(loopCount: 3).played(by: clock).count == 12)
    #expect(try await player(loopCount: 0).played(by: clock, limit: 50).count == 50)
    let forever = try player(loopCount: 1)
    forever.loops = .forever
    #expect(try await forever.played(by: clock, limit: 50).last?.loop == 12)
  }

  @Test("A change of the rate holds for the rest of the frame that is shown")
  func rates() async throws {
    let player = try player()
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await recorder.waitFor(count: 1)
    clock.advance(by: .milliseconds(50))
    player.rate = 2
    // Half of the frame is left, which takes a quarter of its time.
    clock.advance(by: .milliseconds(25))
    #expect(try await recorder.waitFor(count: 2).last?.lateness == .zero)
    // Standing still is a rate, too.
    player.rate = 0
    #expect(player.state == .paused)
    clock.advance(by: .seconds(60))
    player.rate = 0.5
    clock.advance(by: .milliseconds(200))
    #expect(try await recorder.waitFor(count: 3).last?.lateness == .zero)
    player.rate = .infinity
    try await recorder.waitFor(count: 4)
    await recording
    #expect(recorder.elements.map(\.index) == [0, 1, 2, 3])
    #expect(recorder.ending?.isFinished == true)
  }

  @Test("A pause keeps the rest of the frame; a seek meanwhile shows its frame and stands still")
  func pauses() async throws {
    let player = try player()
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await recorder.waitFor(count: 1)
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(30))
    player.pause()
    try await eventually { clock.sleeperCount == 0 }
    clock.advance(by: .seconds(60))
    player.seek(toFrame: 2)
    #expect(try await recorder.waitFor(count: 2).map(\.index) == [0, 2])
    clock.advance(by: .seconds(60))
    #expect(player.state == .paused)
    #expect(recorder.elements.count == 2)
    let resumed = clock.now
    player.resume()
    try await clock.advance(recorder, to: 3)
    #expect(resumed.duration(to: clock.now) == .milliseconds(100))
    try await clock.advance(recorder, to: 4)
    await recording
    #expect(recorder.elements.map(\.index) == [0, 2, 3])
    #expect(recorder.ending?.isFinished == true)
  }

  @Test("Another mode goes on from the frame that is shown")
  func modeChange() async throws {
    let player = try player(frames: 5)
    let frames = try await player.played(by: clock) { _, place in
      if place == 3 { player.mode = .reverse }
      if place == 5 { player.mode = .bounce }
    }
    #expect(frames.map(\.index) == [0, 1, 2, 3, 2, 1])
    player.mode = .normal
    #expect(try await player.played(by: clock).map(\.index) == [0, 1, 2, 3, 4])
  }

  @Test("Frames that would be late are left out, up to the one whose time it is")
  func dropsLateFrames() async throws {
    let player = try player(frames: 10)
    player.lateFrames = .drop
    let frames = try await player.played(by: clock) { _, place in
      if place == 0 || place == 2 { clock.advance(by: .milliseconds(350)) }
    }
    #expect(frames.map(\.index) == [0, 3, 4, 7, 8, 9])
    #expect(frames.map(\.droppedBefore) == [0, 2, 0, 2, 0, 0])
    #expect(frames.map(\.presentationTime) == frames.map { .milliseconds(100 * $0.index) })
    #expect(frames.allSatisfy { $0.lateness < $0.duration })
  }

  @Test("The last frame is shown however late it is; after more than a loop it goes on from there")
  func dropsNoEnding() async throws {
    let once = try player(frames: 3)
    once.lateFrames = .drop
    let frames = try await once.played(by: clock) { _, place in
      if place == 0 { clock.advance(by: .seconds(3600)) }
    }
    #expect(frames.map(\.index) == [0, 2])
    let forever = try player(frames: 3, loopCount: 0)
    forever.lateFrames = .drop
    let many = try await forever.played(by: clock, limit: 4) { _, place in
      if place == 0 { clock.advance(by: .seconds(3600)) }
    }
    #expect(many.count == 4)
    #expect(many[1].droppedBefore <= 7)
    #expect(many.dropFirst(2).allSatisfy { $0.droppedBefore == 0 && $0.lateness == .zero })
  }

  @Test("Late frames are all shown when none may be dropped, and one frame is made up for at most")
  func keepsLateFrames() async throws {
    let player = try player(frames: 6)
    let start = clock.now
    let frames = try await player.played(by: clock) { _, place in
      if place == 0 { clock.advance(by: .milliseconds(450)) }
    }
    #expect(frames.map(\.index) == [0, 1, 2, 3, 4, 5])
    #expect(frames.allSatisfy { $0.droppedBefore == 0 })
    // Frame 1 is 350 ms late, and frame 2 comes at once for that; the other 250 are lost.
    #expect(frames.map(\.lateness) == [.zero, .milliseconds(350), .zero, .zero, .zero, .zero])
    #expect(start.duration(to: clock.now) == .milliseconds(850))
  }

  @Test("Inactive, nothing is decoded and all is given back; then it goes on where it stood")
  func inactive() async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 20) { index throws(ImagingError) in log.note(index) }
    let player = AnimationPlayer(image, pool: pool, clock: clock)
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await recorder.waitFor(count: 1)
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(40))
    player.isActive = false
    #expect(player.state == .inactive)
    try await eventually { pool.statistics.bytes == 0 && clock.sleeperCount == 0 }
    #expect(pool.statistics.players == 0)
    let decoded = log.all.count
    clock.advance(by: .seconds(60))
    player.seek(toFrame: 5)
    for _ in 0..<100 { await Task.yield() }
    #expect(log.all.count == decoded)
    #expect(recorder.elements.count == 1)
    player.isActive = true
    #expect(try await recorder.waitFor(count: 2).map(\.index) == [0, 5])
    player.stop()
    await recording
    #expect(recorder.ending?.isFinished == true)
    try await eventually { pool.statistics.bytes == 0 }
  }

  @Test("Inactivity within a frame keeps the rest of it")
  func inactiveWithinFrame() async throws {
    let player = try player()
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await recorder.waitFor(count: 1)
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(40))
    player.isActive = false
    try await eventually { clock.sleeperCount == 0 }
    clock.advance(by: .seconds(60))
    let start = clock.now
    player.isActive = true
    try await clock.advance(recorder, to: 2)
    #expect(start.duration(to: clock.now) == .milliseconds(60))
    #expect(recorder.elements.map(\.index) == [0, 1])
    player.stop()
    await recording
  }

  @Test("A new iterator ends the one before and begins with the frame at which it stood; after the end, anew")
  func iterators() async throws {
    let player = try player()
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await clock.advance(recorder, to: 2)
    let rest = try await player.played(by: clock)
    await recording
    #expect(recorder.ending?.isFinished == true)
    #expect(rest.map(\.index) == [1, 2, 3])
    #expect(try await player.played(by: clock).map(\.index) == [0, 1, 2, 3])
  }

  @Test("Stopped, or relieved by another, one who does not ask for more gives all back")
  func givesBack() async throws {
    let player = try player(frames: 20)
    var first = player.frames().makeAsyncIterator()
    #expect(try await first.next()?.index == 0)
    #expect(pool.statistics.players == 1)
    var second = player.frames().makeAsyncIterator()
    #expect(try await second.next()?.index == 0)
    #expect(pool.statistics.players == 1)
    player.stop()
    #expect(pool.statistics.players == 0)
    try await eventually { pool.statistics.bytes == 0 }
    // Neither comes back by being seen.
    player.isActive = false
    player.isActive = true
    #expect(pool.statistics.players == 0)
    #expect(try await first.next() == nil)
    #expect(try await second.next() == nil)
  }

  @Test("A still picture is shown once", arguments: PlaybackMode.allCases)
  func still(mode: PlaybackMode) async throws {
    let image = try AnimatedImage(data: SampleImages.still())
    let player = AnimationPlayer(image, pool: pool, clock: clock)
    player.mode = mode
    player.loops = .forever
    var indices: [Int] = []
    for try await frame in player.frames() { indices.append(frame.index) }
    #expect(indices == [0])
    var count = 0
    for try await frame in AnimationPlayer(try image.frame(at: 0)).frames() {
      #expect(try frame.bitmap == image.frame(at: 0).bitmap)
      count += 1
    }
    #expect(count == 1)
  }

  @Test("Transforms are applied to each frame, and shared with the frames")
  func transforms() async throws {
    let image = try PlaybackSamples.animation(frames: 3)
    let chain: TransformChain = [.resize(width: 4, height: 4, mode: .stretch)]
    let player = AnimationPlayer(image, transforms: chain, pool: pool, clock: clock)
    player.loops = .count(3)
    for frame in try await player.played(by: clock) {
      #expect(try frame.bitmap == image.frame(at: frame.index).transformed(by: chain).bitmap)
    }
    #expect(pool.statistics.decodes == 3)
  }
}
