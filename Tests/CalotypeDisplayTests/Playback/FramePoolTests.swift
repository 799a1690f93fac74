@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Decoded frames of all players: shared, and never more than the budget.
@Suite("Frame pool", .timeLimit(.minutes(5)))
struct FramePoolTests {
  private static let frameBytes = 8 * 8 * 4

  /// Frames without pacing.
  private func playAll(_ player: AnimationPlayer) async throws -> [Int] {
    player.rate = .infinity
    var indices: [Int] = []
    for try await frame in player.frames() { indices.append(frame.index) }
    return indices
  }

  @Test("Each frame is decoded once for all who play an image, however often", arguments: [1, 2, 5])
  func sharing(players: Int) async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 30, loopCount: 3) { index throws(ImagingError) in
      log.note(index)
    }
    let pool = FramePool(byteLimit: 1 << 20)
    let all = (0..<players).map { _ in AnimationPlayer(image, pool: pool) }
    // One that stays, so that no frame goes before all have seen it.
    let watcher = AnimationPlayer(image, pool: pool)
    var iterator = watcher.frames().makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    let expected = (0..<3).flatMap { _ in 0..<30 }
    try await withThrowingTaskGroup { group in
      for player in all { group.addTask { try await playAll(player) } }
      for try await indices in group { #expect(indices == expected) }
    }
    #expect(log.counts == Dictionary(uniqueKeysWithValues: (0..<30).map { ($0, 1) }))
    #expect(pool.statistics.decodes == 30)
    #expect(pool.statistics.frames == 30)
  }

  @Test(
    "Played forwards, each frame is decoded once a loop, whatever room there is", arguments: [0, 1, 3, 1000])
  func sequential(room: Int) async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 50) { index throws(ImagingError) in log.note(index) }
    let pool = FramePool(byteLimit: room * Self.frameBytes)
    #expect(try await playAll(AnimationPlayer(image, pool: pool)) == Array(0..<50))
    #expect(log.all == Array(0..<50))
    #expect(pool.statistics.peakBytes <= room * Self.frameBytes)
  }

  @Test("Played backwards, a pass over the frames is made for each half of the room, not for each frame")
  func reverse() async throws {
    let frames = 120
    for (room, passes) in [(1000, 1), (40, 8), (20, 14)] {
      let log = DecodeLog()
      let image = try PlaybackSamples.told(frames: frames) { index throws(ImagingError) in log.note(index) }
      let pool = FramePool(byteLimit: room * Self.frameBytes)
      let player = AnimationPlayer(image, pool: pool)
      player.mode = .reverse
      #expect(try await playAll(player) == Array((0..<frames).reversed()))
      #expect(log.all.count <= passes * frames)
      #expect(pool.statistics.peakBytes <= room * Self.frameBytes)
    }
  }

  @Test("There and back costs one pass if there is room")
  func bounce() async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 40) { index throws(ImagingError) in log.note(index) }
    let player = AnimationPlayer(image, pool: FramePool(byteLimit: 1 << 20))
    player.mode = .bounce
    player.loops = .count(3)
    #expect(try await playAll(player).count == 3 * 78)
    #expect(log.all == Array(0..<40))
  }

  @Test("Fifty players of different images never take more than the budget", arguments: [1, 2, 3])
  func budget(seed: UInt64) async throws {
    let limit = 90 * Self.frameBytes
    let pool = FramePool(byteLimit: limit)
    let worst = Lock(0)
    let checks = Lock(0)
    let players = try (0..<50).map { number in
      // Looked at whenever a frame is about to take memory.
      let image = try PlaybackSamples.told(frames: 5 + number % 7, loopCount: 2, side: 8 + number % 9) {
        (_) throws(ImagingError) in
        let (counted, bytes) = (pool.countedBytes, pool.statistics.bytes)
        worst.withLock { $0 = max($0, counted, bytes) }
        checks.withLock { $0 += 1 }
      }
      return AnimationPlayer(image, pool: pool)
    }
    try await withThrowingTaskGroup { group in
      for (number, player) in players.enumerated() {
        group.addTask {
          var random = SeededGenerator(seed: seed * 1000 + UInt64(number))
          player.rate = .infinity
          player.mode = PlaybackMode.allCases[number % 4]
          for try await frame in player.frames() {
            #expect(pool.statistics.bytes <= limit)
            switch random.next() % 24 {
            case 0: player.seek(toFrame: Int(random.next() % 5), loop: frame.loop)
            case 1: player.mode = PlaybackMode.allCases[Int(random.next() % 4)]
            case 2: pool.removeAll()
            case 3:
              player.isActive = false
              player.isActive = true
            default: break
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(worst.withLock { $0 } <= limit)
    #expect(checks.withLock { $0 } >= 50)
    #expect(pool.statistics.peakBytes <= limit)
    try await eventually { pool.statistics.bytes == 0 }
    #expect(pool.statistics.frames == 0)
    #expect(pool.statistics.players == 0)
    #expect(pool.countedBytes == 0)
  }

  @Test("Without any room frames are decoded when they are due, and nothing is kept")
  func noRoom() async throws {
    let pool = FramePool(byteLimit: 0)
    let image = try PlaybackSamples.animation(frames: 6)
    var indices: [Int] = []
    let player = AnimationPlayer(image, pool: pool)
    player.rate = .infinity
    for try await frame in player.frames() {
      #expect(pool.statistics.bytes == 0)
      #expect(try frame.bitmap == image.frame(at: frame.index).bitmap)
      indices.append(frame.index)
    }
    #expect(indices == [0, 1, 2, 3, 4, 5])
  }

  @Test("A few frames are decoded ahead, none before somebody plays, and all go with the player")
  func ahead() async throws {
    let log = DecodeLog()
    let image = try PlaybackSamples.told(frames: 60) { index throws(ImagingError) in log.note(index) }
    let pool = FramePool(byteLimit: 1 << 20)
    let player = AnimationPlayer(image, pool: pool, clock: TestClock())
    let frames = player.frames()
    #expect(log.all.isEmpty)
    do {
      var iterator = frames.makeAsyncIterator()
      #expect(try await iterator.next()?.index == 0)
      try await eventually { pool.statistics.frames == 8 }
      for _ in 0..<100 { await Task.yield() }
      #expect(log.all == Array(0..<8))
      #expect(player.state == .playing)
    }
    #expect(pool.statistics.players == 0)
    #expect(pool.statistics.bytes == 0)
    #expect(player.state == .idle)
  }

  @Test("Cancelled wherever it waits, a player leaves nothing behind", arguments: 0..<3)
  func cancellation(place: Int) async throws {
    let pool = FramePool(byteLimit: 1 << 20)
    let clock = TestClock()
    let gate = Gate()
    let started = Gate()
    let image = try PlaybackSamples.told(frames: 20) { index throws(ImagingError) in
      if index == 1, place == 1 {
        started.open()
        gate.waitBlocking()
      }
    }
    let player = AnimationPlayer(image, pool: pool, clock: clock)
    if place == 2 { player.isActive = false }
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    switch place {
    case 0:
      // It sleeps until the next frame is due.
      try await recorder.waitFor(count: 1)
      try await clock.waitForSleepers()
    case 1:
      // It waits for a frame that is being decoded.
      try await recorder.waitFor(count: 1)
      try await started.wait()
      try await clock.waitForSleepers()
      clock.advanceToNextDeadline()
      try await eventually { clock.sleeperCount == 0 }
    default:
      // It waits to be active.
      try await eventually { player.state == .inactive }
    }
    task.cancel()
    await task.value
    #expect(recorder.ending?.isCancelled == true)
    gate.open()
    try await eventually { pool.statistics.bytes == 0 }
    #expect(pool.statistics.players == 0)
    #expect(pool.statistics.frames == 0)
    #expect(clock.sleeperCount == 0)
    #expect(player.state == .idle)
  }

  @Test("A frame that cannot be decoded is told to those who wait for it, and tried again for others")
  func failures() async throws {
    let fails = Lock(true)
    let image = try PlaybackSamples.told(frames: 6) { index throws(ImagingError) in
      if index == 3, fails.withLock({ $0 }) { throw .outOfMemory(byteCount: 1) }
    }
    let pool = FramePool(byteLimit: 1 << 20)
    let player = AnimationPlayer(image, pool: pool)
    player.rate = .infinity
    var indices: [Int] = []
    await #expect(throws: ImagingError.outOfMemory(byteCount: 1)) {
      for try await frame in player.frames() { indices.append(frame.index) }
    }
    #expect(indices == [0, 1, 2])
    try await eventually { pool.statistics.bytes == 0 }
    fails.withLock { $0 = false }
    #expect(try await playAll(player) == [3, 4, 5])
  }

  @Test("Formats say with which frames a decode may begin")
  func keyFrames() throws {
    let encodings: [EncodeOptions] = [.gif, .apng, .webpLossless]
    for encoding in encodings {
      let data = try SampleImages.animation(encoding, frames: 12)
      let image = try AnimatedImage(data: data)
      let keyFrames = image.keyFrames
      #expect(keyFrames.count == 12)
      #expect(keyFrames.first == 0)
      for (index, key) in keyFrames.enumerated() { #expect(key <= index) }
      // Whoever begins there sees the same.
      for index in keyFrames.indices.reversed() {
        let alone = try AnimatedImage(data: data).frame(at: index)
        #expect(try alone.bitmap == image.frame(at: index).bitmap)
      }
    }
  }
}
