@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Animations that end before their time: what had arrived is played to its end.
@Suite("Progressive animations that fail", .timeLimit(.minutes(2)))
struct ProgressiveAnimationFailureTests {
  private let clock = TestClock()
  private let pool = FramePool(byteLimit: 1 << 20)

  /// Plays at the rate 1; returns what was shown, and how it ended.
  private func play(_ animation: ProgressiveAnimation) async throws -> ([AnimationFrame], (any Error)?) {
    let player = AnimationPlayer(animation, pool: pool, clock: clock)
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    defer { task.cancel() }
    try await clock.advance(recorder, to: .max)
    await task.value
    return (recorder.elements, recorder.ending?.error)
  }

  @Test(
    "Cut off, it is played up to the last frame that is there",
    arguments: [EncodeOptions.gif, .apng, .webpLossless])
  func truncated(encoding: EncodeOptions) async throws {
    let data = try SampleImages.animation(encoding, frames: 6, duration: .milliseconds(100), loopCount: 0)
    let whole = try AnimatedImage(data: data)
    let animation = ProgressiveAnimation()
    try await animation.append(data.dropLast(20))
    let count = animation.completeFrameCount
    #expect(count == 5)
    await #expect(throws: ImagingError.self) { try await animation.finish() }
    #expect(animation.completeFrameCount == count)
    #expect(!animation.isComplete)
    let (frames, error) = try await play(animation)
    #expect(frames.map(\.index) == Array(0..<count))
    for frame in frames { #expect(try frame.bitmap == whole.frame(at: frame.index).bitmap) }
    #expect((error as? ImagingError)?.code == ImagingError.truncated(.gif, byteCount: 0).code)
    // It stays so.
    await #expect(throws: ImagingError.self) { try await animation.append(data) }
    #expect(try await play(animation).0.count == count)
  }

  @Test(
    "What fails in the middle, or is cancelled there, is played up to there",
    arguments: [ImagingError.corrupt(.gif, reason: "on demand", offset: nil), .cancelled])
  func broken(failure: ImagingError) async throws {
    let data = try PlaybackSamples.gif(frames: 6)
    let decoder = FailingDecoder()
    var coders = CoderRegistry()
    coders.register(decoder)
    let animation = ProgressiveAnimation(coders: coders)
    let half = data.prefix(data.count / 2)
    try await animation.append(half)
    let count = animation.completeFrameCount
    #expect(count > 1)
    // One that waits at the last frame is told, too.
    let player = AnimationPlayer(animation, pool: pool)
    player.rate = .infinity
    let recorder = EventRecorder<AnimationFrame>()
    async let recording: Void = recorder.record(player.frames())
    try await eventually { player.state == .stalled(at: count - 1) }
    decoder.failure.withLock { $0 = failure }
    await #expect(throws: failure) { try await animation.append(data.dropFirst(half.count)) }
    await recording
    #expect(recorder.ending?.error as? ImagingError == failure)
    let (frames, error) = try await play(animation)
    #expect(frames.map(\.index) == Array(0..<count))
    #expect(error as? ImagingError == failure)
    #expect(!animation.isArriving)
  }

  @Test("Frames beyond the limits are not to be had after the error either")
  func limits() async throws {
    let data = try PlaybackSamples.gif(frames: 6)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder(
      options: DecodeOptions(limits: DecodeLimits(maxPixels: 63)))
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 64, limit: 63)) { try decoder.append(data) }
    #expect(decoder.completeFrameCount == 0)
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 64, limit: 63)) {
      _ = try decoder.frame(at: 0)
    }
  }

  @Test("Frames that are played do not use up the time of those that arrive")
  func timeLimit() throws {
    let limit = Duration.seconds(1)
    let data = try SampleImages.animation(.apng, frames: 6, width: 64, height: 64)
    let options = DecodeOptions(limits: DecodeLimits(maxDuration: limit))
    // By itself, so that nothing else takes of the time that is measured.
    let decoder = try #require(PNGDecoder().makeIncrementalDecoder(options: options))
    let half = data.prefix(data.count / 2)
    try decoder.append(half)
    let count = decoder.completeFrameCount
    #expect(count > 1)
    let clock = ContinuousClock()
    var (spent, index) = (Duration.zero, 0)
    while spent < limit * 1.1 {
      spent += try clock.measure { _ = try decoder.frame(at: index) }
      index = (index + 1) % count
    }
    try decoder.append(data.dropFirst(half.count))
    _ = try decoder.finish()
    #expect(decoder.completeFrameCount == 6)
  }

  @Test("Players that come and go leave nothing, also after the end")
  func observers() async throws {
    let animation = ProgressiveAnimation()
    try await animation.append(PlaybackSamples.gif(frames: 3))
    try await animation.finish()
    let player = AnimationPlayer(animation, pool: pool, clock: clock)
    for _ in 0..<20 { #expect(try await player.frames().first { _ in true }?.index == 0) }
    #expect(animation.observerCount <= 2)
  }
}
