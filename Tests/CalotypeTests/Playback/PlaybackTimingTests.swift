import CalotypeSupport
import FoundationEssentials
import Glibc
import Testing

@testable import Calotype

/// How well frames keep their time on a busy machine, by the real clock.
@Suite("Playback timing", .serialized, .timeLimit(.minutes(5)))
struct PlaybackTimingTests {
  @Test("On average frames are late by less than one frame, for a second")
  func second() async throws {
    try await measure(seconds: 1)
  }

  @Test(
    "On average frames are late by less than one frame, for ten seconds",
    .enabled(if: getenv("CALOTYPE_SLOW_TESTS") != nil, "set CALOTYPE_SLOW_TESTS to run it"))
  func tenSeconds() async throws {
    try await measure(seconds: 10)
  }

  /// Plays at the rate 1 while every processor has something else to do.
  private func measure(seconds: Int) async throws {
    let image = try PlaybackSamples.animation(frames: 10, loopCount: 0, side: 64)
    let player = AnimationPlayer(image, pool: FramePool())
    player.lateFrames = .drop
    let load = WorkerExecutor(name: "busy", threads: Threads.availableProcessors)
    let isOver = Lock(false)
    try await withThrowingTaskGroup { group in
      for _ in 0..<Threads.availableProcessors {
        group.addTask {
          try await load.run {
            var state: UInt64 = 1
            while !isOver.withLock({ $0 }) {
              for _ in 0..<10_000 { state = state &* 6_364_136_223_846_793_005 &+ 1 }
            }
            return state
          }
        }
      }
      defer { isOver.withLock { $0 = true } }
      let clock = ContinuousClock()
      var start: ContinuousClock.Instant?
      var (sum, count) = (Duration.zero, 0)
      for try await frame in player.frames() {
        let begin = start ?? clock.now
        start = begin
        let passed = begin.duration(to: clock.now)
        let error = passed - frame.presentationTime
        sum += error < .zero ? .zero - error : error
        count += 1
        if passed >= .seconds(seconds) { break }
      }
      #expect(count >= 2)
      #expect(sum / count < .milliseconds(100), "\(sum / count) a frame, over \(count) frames")
    }
  }
}
