import CalotypeTestKit
import Testing

@testable import CalotypeCLI

@Suite("Terminal graphics: animations", .timeLimit(.minutes(5)))
struct AnimationPlaybackTests {
  @Test("frames are shown for their time, over and over")
  func timeline() {
    let timeline = FrameTimeline(durations: [100, 50, 0], plays: 2)
    func frame(_ milliseconds: Int) -> [Int]? {
      timeline.frame(at: .milliseconds(milliseconds)).map { [$0.index, Int($0.end / .milliseconds(1))] }
    }
    #expect(frame(0) == [0, 100] && frame(99) == [0, 100] && frame(100) == [1, 150])
    // No frame is shorter than 10 ms.
    #expect(frame(150) == [2, 160] && frame(160) == [0, 260] && frame(315) == [2, 320])
    #expect(frame(320) == nil && frame(5000) == nil)
    let endless = FrameTimeline(durations: [100, 50, 0], plays: 0)
    #expect(endless.frame(at: .milliseconds(160 * 1_000_000 + 120))?.index == 1)
    #expect(FrameTimeline(durations: [], plays: 0).frame(at: .zero) == nil)
  }

  /// Plays, and moves the clock to each deadline; `cost` is how long showing takes.
  private func play(_ durations: [Int], plays: Int, cost: Duration = .zero) async throws -> [Int] {
    let clock = TestClock()
    var shown: [Int] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try await clock.waitForSleepers()
          clock.advanceToNextDeadline()
        }
      }
      try await AnimationPlayback.play(frames: durations, plays: plays, clock: clock) { index in
        shown.append(index)
        clock.advance(by: cost)
      }
      group.cancelAll()
      do { try await group.waitForAll() } catch is CancellationError {}
    }
    return shown
  }

  @Test("an animation plays as often as it is told and ends with its last frame")
  func plays() async throws {
    #expect(try await play([30, 30, 30], plays: 2) == [0, 1, 2, 0, 1, 2])
    #expect(try await play([30], plays: 3) == [0])
  }

  @Test("frames that come too late are left out, but not the last")
  func late() async throws {
    let shown = try await play([20, 20, 20, 20, 20], plays: 1, cost: .milliseconds(50))
    #expect(shown == [0, 2, 4])
    #expect(try await play([20, 20, 20], plays: 1, cost: .milliseconds(500)) == [0, 2])
  }

  @Test("cancelling ends an endless animation")
  func cancel() async throws {
    let clock = TestClock()
    let task = Task {
      try await AnimationPlayback.play(frames: [40, 40], plays: 0, clock: clock) { _ in }
    }
    try await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
