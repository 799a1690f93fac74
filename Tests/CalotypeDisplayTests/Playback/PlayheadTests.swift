@testable import CalotypeDisplay
import Testing

@testable import Calotype

/// What a player has to do at a time, without waiting for it.
@Suite("Playhead", .timeLimit(.minutes(5)))
struct PlayheadTests {
  private let timeline = AnimationTimeline(
    durations: [100, 200, 300].map { .milliseconds($0) }, loopCount: 1, isComplete: true)

  private func shown(at now: Duration = .zero) -> Playhead {
    var head = Playhead()
    #expect(head.target(timeline, now: now) == 0)
    #expect(head.show(timeline, now: now) != nil)
    return head
  }

  @Test("A frame is shown until its time is over, not shorter")
  func deadlines() {
    var head = shown()
    #expect(head.deadline(timeline, now: .milliseconds(99)) == .milliseconds(100))
    #expect(head.target(timeline, now: .milliseconds(100)) == 1)
    #expect(head.show(timeline, now: .milliseconds(130))?.lateness == .milliseconds(30))
    // The next one is on time again.
    #expect(head.deadline(timeline, now: .milliseconds(130)) == .milliseconds(300))
  }

  @Test("What is left of a frame passes at the rate that holds", arguments: [0.25, 0.5, 2, 4])
  func rates(rate: Double) {
    var head = shown()
    head.setRate(rate, now: .milliseconds(40))
    #expect(head.deadline(timeline, now: .milliseconds(40)) == .milliseconds(40) + .milliseconds(60 / rate))
    head.setRate(1, now: .milliseconds(40) + .milliseconds(30 / rate))
    let now = Duration.milliseconds(40) + .milliseconds(30 / rate)
    #expect(head.deadline(timeline, now: now) == now + .milliseconds(30))
  }

  @Test("Rates that are none let time stand still", arguments: [0, -1, -Double.infinity, .nan])
  func noRates(rate: Double) {
    var head = shown()
    head.setRate(rate, now: .zero)
    #expect(head.deadline(timeline, now: .seconds(9)) == nil)
    #expect(!head.isRunning)
  }

  @Test("Rates and times of any size do not overflow", arguments: [1e-300, 1e300, Double.infinity])
  func extremes(rate: Double) {
    var head = shown()
    head.lateFrames = .drop
    head.setRate(rate, now: .milliseconds(10))
    head.setRate(rate, now: .seconds(1 << 40))
    _ = head.step(timeline, now: .seconds(1 << 40))
    head.setRate(1, now: .seconds(1 << 40))
    _ = head.step(timeline, now: .seconds(1 << 41))
  }

  @Test("Time that it stands still is not played")
  func pauses() {
    var head = shown()
    head.setPaused(true, now: .milliseconds(30))
    #expect(head.deadline(timeline, now: .seconds(5)) == nil)
    head.setPaused(false, now: .seconds(5))
    #expect(head.deadline(timeline, now: .seconds(5)) == .seconds(5) + .milliseconds(70))
    head.setActive(false, now: .seconds(5) + .milliseconds(10))
    #expect(head.deadline(timeline, now: .seconds(6)) == nil)
    head.setActive(true, now: .seconds(6))
    #expect(head.deadline(timeline, now: .seconds(6)) == .seconds(6) + .milliseconds(60))
  }

  @Test("What has been waited for is on time when it comes")
  func stalls() {
    let part = AnimationTimeline(durations: [100].map { .milliseconds($0) }, loopCount: 1, isComplete: false)
    var head = Playhead()
    #expect(head.target(part, now: .zero) == 0)
    #expect(head.show(part, now: .zero) != nil)
    #expect(head.deadline(part, now: .milliseconds(150)) == nil)
    #expect(head.isStalled)
    #expect(head.target(timeline, now: .seconds(7)) == 1)
    #expect(head.show(timeline, now: .seconds(7))?.lateness == .zero)
    #expect(!head.isStalled)
  }
}

extension Playhead {
  /// The frame to show now.
  fileprivate mutating func target(_ timeline: AnimationTimeline, now: Duration) -> Int? {
    if case .show(let path) = step(timeline, now: now) { path.index } else { nil }
  }

  /// Until when there is nothing to do.
  fileprivate mutating func deadline(_ timeline: AnimationTimeline, now: Duration) -> Duration? {
    if case .wait(let deadline) = step(timeline, now: now) { deadline } else { nil }
  }
}
