import CalotypeObservability
@testable import CalotypeDisplay
import CalotypeTestKit
import Testing

@testable import Calotype

/// What is held, for whom, and what is given back.
@Suite("Frame pool, budget", .timeLimit(.minutes(2)))
struct FramePoolBudgetTests {
  private static let frameBytes = 8 * 8 * 4

  @Test("A frame that was handed over is held by its taker alone", arguments: [0, 1])
  func handedOver(room: Int) async throws {
    let image = try PlaybackSamples.animation(frames: 3)
    let pool = FramePool(byteLimit: room * Self.frameBytes)
    let player = AnimationPlayer(image, pool: pool, clock: TestClock())
    var iterator = player.frames().makeAsyncIterator()
    var frame = try await iterator.next()
    let isThere = try #require(frame?.bitmap.weakReference())
    frame = nil
    // Nothing is kept for one who is not seen.
    player.isActive = false
    try await eventually { isThere() == nil }
    withExtendedLifetime(iterator) {}
  }

  @Test(
    "Who stands still has no more than its part: newcomers have theirs",
    arguments: [PlaybackMode.normal, .reverse])
  func standingStill(mode: PlaybackMode) async throws {
    let limit = 8 * Self.frameBytes
    let pool = FramePool(byteLimit: limit)
    let still = AnimationPlayer(
      try PlaybackSamples.animation(frames: 30), pool: pool, clock: TestClock())
    still.mode = mode
    var first = still.frames().makeAsyncIterator()
    let start = try await first.next()?.index
    #expect(start == (mode == .normal ? 0 : 29))
    still.pause()
    try await eventually { pool.statistics.frames == 8 }

    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 30) { index throws(ImagingError) in log.note(index) }
    let player = AnimationPlayer(image, pool: pool, clock: TestClock())
    var second = player.frames().makeAsyncIterator()
    #expect(try await second.next()?.index == 0)
    try await eventually { pool.statistics.decodes == 12 }
    #expect(log.all == [0, 1, 2, 3])
    #expect(pool.statistics.frames == 8)
    #expect(pool.statistics.peakBytes <= limit)

    // What it kept is what it shows next.
    let hits = pool.statistics.hits
    still.rate = .infinity
    still.resume()
    #expect(try await first.next()?.index == (mode == .normal ? 1 : 28))
    #expect(pool.statistics.hits == hits + 1)
    withExtendedLifetime(second) {}
  }

  @Test("However many play an image, it is read once; when nobody does, no canvas is kept")
  func decoders() async throws {
    var coders = CoderRegistry()
    let decoder = ToldDecoder { _ throws(ImagingError) in }
    coders.register(decoder)
    let image = try AnimatedImage(data: PlaybackSamples.gif(frames: 20), coders: coders)
    let pool = FramePool(byteLimit: 1 << 20)
    do {
      let player = AnimationPlayer(image, pool: pool, clock: TestClock())
      var iterator = player.frames().makeAsyncIterator()
      #expect(try await iterator.next()?.index == 0)
      try await eventually { pool.statistics.frames == 8 }
      let others = (0..<3).map { _ in AnimationPlayer(image, pool: pool, clock: TestClock()) }
      for player in others { #expect(try await player.frames().first { _ in true }?.index == 0) }
      #expect(decoder.count.made == 1)
      #expect(decoder.count.alive == 1)
      withExtendedLifetime(iterator) {}
    }
    try await eventually { decoder.count.alive == 0 }
    #expect(pool.statistics.players == 0)
    #expect(try image.frame(at: 19).bitmap.width == 8)
  }

  @Test("While memory is short less is held, and what is shown is decoded again")
  func pressure() async throws {
    let limit = 8 * Self.frameBytes
    let image = try PlaybackSamples.animation(frames: 8, loopCount: 0)
    let pool = FramePool(byteLimit: limit)
    let pressure = ManualMemoryPressure()
    let follower = Task { await pool.follow(pressure) }
    let player = AnimationPlayer(image, pool: pool, clock: TestClock())
    var iterator = player.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    try await eventually { pool.statistics.frames == 8 }
    pressure.report(MemoryPressure(.warning))
    try await eventually { pool.statistics.frames == 4 }
    pressure.report(MemoryPressure(.critical))
    try await eventually { pool.statistics.frames == 0 }
    player.rate = .infinity
    for index in [1, 2, 3, 4, 5, 6, 7, 0, 1] {
      let frame = try #require(try await iterator.next())
      #expect(frame.index == index)
      #expect(try frame.bitmap == image.frame(at: index).bitmap)
      #expect(pool.statistics.bytes <= limit / 4)
    }
    #expect(pool.statistics.decodes > 8)
    pressure.finish()
    await follower.value
    for _ in 0..<8 { _ = try await iterator.next() }
    try await eventually { pool.statistics.frames == 8 }
    #expect(pool.statistics.peakBytes <= limit)
  }

  @Test("A pipeline that is run has the common pool follow its source")
  func pipelinePressure() async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 4) { index throws(ImagingError) in log.note(index) }
    let pressure = ManualMemoryPressure()
    var configuration = ImagePipeline.Configuration(loader: FakeLoader(), diskCache: nil)
    configuration.memoryPressure = pressure
    configuration.memoryPressureFollowers = [FramePool.shared]
    let pipeline = ImagePipeline(configuration)
    let service = Task { try await pipeline.run() }
    let player = AnimationPlayer(image, clock: TestClock())
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    try await recorder.waitFor(count: 1)
    pressure.report(MemoryPressure(.critical))
    // Those that are there are not decoded to be shown.
    try await eventually {
      player.seek(toFrame: 0)
      return log.counts[0, default: 0] > 1
    }
    task.cancel()
    await task.value
    service.cancel()
    _ = await service.result
  }
}
