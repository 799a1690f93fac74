import Calotype
import CalotypeDisplay
import CalotypeTestKit
import Synchronization
import Testing

/// An animation that is drawn: a bar that glows.
private final class GlowingBar: FrameProviding {
  struct Broken: Error, Equatable { var index: Int }

  let frameCount: Int
  let loopCount: Int
  let broken: Int?
  let asked = Mutex<[Int]>([])

  init(frameCount: Int = 4, loopCount: Int = 1, broken: Int? = nil) {
    (self.frameCount, self.loopCount, self.broken) = (frameCount, loopCount, broken)
  }

  func duration(of index: Int) -> Duration { .milliseconds(10 * (index + 1)) }

  func frame(at index: Int) throws -> Image {
    asked.withLock { $0.append(index) }
    if index == broken { throw Broken(index: index) }
    return Image(bitmap: try Self.bitmap(index))
  }

  static func bitmap(_ index: Int) throws -> Bitmap {
    try SampleImages.bitmap(
      width: 4, height: 1, color: PixelColor(red: UInt8(50 + 50 * index), green: 0, blue: 0))
  }
}

/// The least that a program has to write.
private final class Blink: FrameProviding {
  let frameCount = 2
  func duration(of index: Int) -> Duration { .zero }
  func frame(at index: Int) throws -> Image {
    Image(bitmap: try SampleImages.bitmap(width: 2, height: 2, color: index == 0 ? .white : .black))
  }
}

/// Animations of the program's own, through the public interface alone.
@Suite("Animations without a file", .timeLimit(.minutes(2)))
struct FrameProvidingTests {
  private let pool = FramePool(byteLimit: 1 << 20)

  @Test("each frame in its order, with its pixels and its time")
  func plays() async throws {
    let clock = TestClock()
    let player = try AnimationPlayer(GlowingBar(loopCount: 2), pool: pool, clock: clock)
    #expect(player.frameCount == 4 && player.duration == .milliseconds(100))
    let recorder = EventRecorder<AnimationFrame>()
    let frames = player.frames()
    let task = Task { await recorder.record(frames) }
    for count in 1...8 {
      try await recorder.waitFor(count: count)
      try await clock.waitForSleepers()
      clock.advanceToNextDeadline()
    }
    await task.value
    #expect(recorder.ending?.isFinished == true)
    var time = Duration.zero
    for (number, frame) in recorder.elements.enumerated() {
      #expect(frame.index == number % 4 && frame.loop == number / 4 && frame.presentationTime == time)
      #expect(try frame.bitmap == GlowingBar.bitmap(frame.index))
      #expect(frame.duration == .milliseconds(10 * (frame.index + 1)) && frame.lateness == .zero)
      time += frame.duration
    }
    #expect(recorder.elements.count == 8)
  }

  @Test("the defaults: endless, 100 ms a frame")
  func defaults() async throws {
    let player = try AnimationPlayer(Blink(), pool: pool, clock: TestClock())
    #expect(player.duration == .milliseconds(200))
    player.rate = .infinity
    var indices: [Int] = []
    for try await frame in player.frames().prefix(5) { indices.append(frame.index) }
    #expect(indices == [0, 1, 0, 1, 0])
  }

  @Test("players of one object share its frames; transforms are applied to them")
  func shared() async throws {
    let bar = GlowingBar()
    let first = try AnimationPlayer(bar, pool: pool, clock: TestClock())
    let second = try AnimationPlayer(bar, pool: pool, clock: TestClock())
    #expect(try await first.preload())
    #expect(second.allFramesLoaded && bar.asked.withLock { $0.sorted() } == [0, 1, 2, 3])
    withExtendedLifetime(first) {}
    let other = try AnimationPlayer(GlowingBar(), pool: pool, clock: TestClock())
    #expect(!other.allFramesLoaded)
    let gray = try AnimationPlayer(bar, transforms: [.grayscale()], pool: pool, clock: TestClock())
    let frame = try await gray.frames().first { _ in true }
    #expect(frame?.bitmap.withUnsafeBytes { $0[0] == $0[1] && $0[0] != 50 } == true)
  }

  @Test("an error of the program ends the playback, after the frames before it")
  func broken() async throws {
    let player = try AnimationPlayer(GlowingBar(broken: 2), pool: pool, clock: TestClock())
    player.rate = .infinity
    var indices: [Int] = []
    await #expect(throws: GlowingBar.Broken(index: 2)) {
      for try await frame in player.frames() { indices.append(frame.index) }
    }
    #expect(indices == [0, 1])
  }

  @Test(
    "a number of frames that makes no sense is an error, before anything is counted",
    arguments: [0, -1, 100_001, .max])
  func count(_ count: Int) throws {
    #expect {
      try AnimationPlayer(GlowingBar(frameCount: count), pool: pool)
    } throws: { error in
      if case ImagingError.invalidParameter(name: "frameCount", _) = error { true } else { false }
    }
  }
}
