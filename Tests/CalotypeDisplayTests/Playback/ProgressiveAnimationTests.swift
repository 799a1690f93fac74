@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Animations that are played while they arrive.
@Suite("Progressive animations", .timeLimit(.minutes(5)))
struct ProgressiveAnimationTests {
  private let clock = TestClock()
  private let pool = FramePool(byteLimit: 1 << 20)

  private struct Broken: Error {}

  /// Appends bytes until so many frames are there; returns how far it got.
  private func feed(
    _ animation: ProgressiveAnimation, _ data: Data, from offset: Int = 0, frames: Int
  ) async throws -> Int {
    var offset = offset
    while animation.completeFrameCount < frames, offset < data.count {
      try await animation.append(data.dropFirst(offset).prefix(7))
      offset = min(offset + 7, data.count)
    }
    return offset
  }

  @Test(
    "Plays what has arrived, waits at the last frame, goes on, and ends as if it had been there at once",
    arguments: [EncodeOptions.gif, .apng, .webpLossless])
  func stallsAndResumes(encoding: EncodeOptions) async throws {
    let data = try SampleImages.animation(encoding, frames: 6, duration: .milliseconds(100), loopCount: 2)
    let whole = try AnimatedImage(data: data)
    let animation = ProgressiveAnimation()
    let player = AnimationPlayer(animation, pool: pool, clock: clock)
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    defer { task.cancel() }
    try await eventually { player.state == .stalled(at: nil) }
    var offset = try await feed(animation, data, frames: 3)
    let first = animation.completeFrameCount
    #expect(first >= 3 && first < 6)
    try await advance(recorder, until: { player.state == .stalled(at: first - 1) })
    #expect(recorder.elements.map(\.index) == Array(0..<first))
    clock.advance(by: .seconds(60))
    offset = try await feed(animation, data, from: offset, frames: 5)
    #expect(try await recorder.waitFor(count: first + 1).last?.lateness == .zero)
    try await animation.append(data.dropFirst(offset))
    try await animation.finish()
    try await advance(recorder, until: { recorder.ending != nil })
    #expect(recorder.ending?.isFinished == true)
    #expect(recorder.elements.map(\.index) == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])
    #expect(recorder.elements.map(\.loop) == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    for frame in recorder.elements { #expect(try frame.bitmap == whole.frame(at: frame.index).bitmap) }
    #expect(player.state == .ended)
  }

  /// Moves the clock on while the player sleeps.
  private func advance(_ recorder: EventRecorder<AnimationFrame>, until isDone: () -> Bool) async throws {
    try await eventually {
      let isDone = isDone()
      if !isDone, clock.sleeperCount > 0 { clock.advanceToNextDeadline() }
      return isDone
    }
  }

  @Test("Never goes back before all is there, however it is cut", arguments: [1, 13, 100])
  func neverGoesBack(chunk: Int) async throws {
    let data = try PlaybackSamples.gif(frames: 12)
    let animation = ProgressiveAnimation()
    let player = AnimationPlayer(animation, pool: pool)
    player.rate = .infinity
    async let indices = player.frames().reduce(into: [Int]()) { $0.append($1.index) }
    var offset = 0
    while offset < data.count {
      try await animation.append(data.dropFirst(offset).prefix(chunk))
      offset += chunk
    }
    try await animation.finish()
    #expect(try await indices == Array(0..<12))
  }

  @Test("What begins at the end waits for it")
  func reverse() async throws {
    let data = try PlaybackSamples.gif(frames: 5)
    let animation = ProgressiveAnimation()
    let player = AnimationPlayer(animation, pool: pool)
    player.rate = .infinity
    player.mode = .reverse
    async let indices = player.frames().reduce(into: [Int]()) { $0.append($1.index) }
    let offset = try await feed(animation, data, frames: 4)
    try await eventually { player.state == .stalled(at: nil) }
    try await animation.append(data.dropFirst(offset))
    try await animation.finish()
    #expect(try await indices == [4, 3, 2, 1, 0])
  }

  @Test("Fails after the last frame that is there")
  func failure() async throws {
    let data = try PlaybackSamples.gif(frames: 6)
    let animation = ProgressiveAnimation()
    let player = AnimationPlayer(animation, pool: pool)
    player.rate = .infinity
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    _ = try await feed(animation, data, frames: 3)
    animation.fail(with: Broken())
    await recording
    #expect(recorder.ending?.error is Broken)
    #expect(recorder.elements.map(\.index) == Array(0..<animation.completeFrameCount))
    let short = ProgressiveAnimation()
    _ = try await feed(short, data, frames: 2)
    await #expect(throws: ImagingError.self) { try await short.finish() }
  }

  @Test("Cancelled while it waits for bytes, it leaves nothing")
  func cancellation() async throws {
    let animation = ProgressiveAnimation()
    let player = AnimationPlayer(animation, pool: pool, clock: clock)
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    try await eventually { player.state == .stalled(at: nil) }
    task.cancel()
    await task.value
    #expect(recorder.ending?.isCancelled == true)
    #expect(pool.statistics.players == 0)
  }

  // MARK: Pipelines

  private let url = URL(string: "https://example.com/a.gif") ?? URL(filePath: "/")

  private func pipeline(_ loader: FakeLoader) -> ImagePipeline {
    ImagePipeline(ImagePipeline.Configuration(loader: loader, diskCache: nil))
  }

  @Test("A pipeline plays what has arrived of a transfer")
  func pipelineWhileLoading() async throws {
    let data = try PlaybackSamples.gif(frames: 8)
    let half = data.count / 2
    let gate = Gate()
    let loader = FakeLoader()
    loader.route(
      url, FakeReply([.bytes(data.prefix(half)), .wait(gate), .bytes(data.dropFirst(half))]))
    let pool = pool
    let indices = try await pipeline(loader).withPlayer(for: ImageRequest(url: url), pool: pool) { player in
      player.rate = .infinity
      var indices: [Int] = []
      for try await frame in player.frames() {
        indices.append(frame.index)
        // Nothing of the rest is there when the first frame is shown.
        if frame.index == 1 {
          #expect(player.frameCount < 8)
          gate.open()
        }
      }
      return indices
    }
    #expect(indices == Array(0..<8))
    #expect(loader.requests.count == 1)
  }

  @Test("Who stops playing gives the transfer up, and what fails is told")
  func pipelineEndings() async throws {
    let data = try PlaybackSamples.gif(frames: 8)
    let loader = FakeLoader()
    loader.route(url, FakeReply([.bytes(data.prefix(data.count / 2)), .wait(Gate())]))
    let first = try await pipeline(loader).withPlayer(for: ImageRequest(url: url), pool: pool) { player in
      for try await frame in player.frames() { return frame.index }
      return -1
    }
    #expect(first == 0)
    try await loader.waitForCancellations()
    await #expect(throws: (any Error).self) {
      try await pipeline(FakeLoader()).withPlayer(for: ImageRequest(url: url), pool: pool) { player in
        for try await _ in player.frames() {}
      }
    }
  }

  @Test("A response is played, from memory as well")
  func responses() async throws {
    let loader = FakeLoader()
    loader.route(url, .body(try PlaybackSamples.gif(frames: 4)))
    let pipeline = ImagePipeline(
      ImagePipeline.Configuration(
        loader: loader, memoryCache: MemoryCache(byteLimit: 1 << 20), diskCache: nil))
    var request = ImageRequest(url: url)
    request.frames = .all
    let player = AnimationPlayer(try await pipeline.response(for: request), pool: pool)
    player.rate = .infinity
    #expect(try await player.frames().reduce(into: [Int]()) { $0.append($1.index) } == [0, 1, 2, 3])
    let again = try await pipeline.withPlayer(for: request, pool: pool) { player in
      player.rate = .infinity
      return try await player.frames().reduce(into: [Int]()) { $0.append($1.index) }
    }
    #expect(again == [0, 1, 2, 3])
    #expect(loader.requests.count == 1)
  }
}
