@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

/// Where playing goes on after a seek.
@Suite("Playback, seeks", .timeLimit(.minutes(5)))
struct PlaybackSeekTests {
  private let clock = TestClock()
  private let pool = FramePool(byteLimit: 1 << 20)

  private func player(frames: Int = 4, loopCount: Int = 1) throws -> AnimationPlayer {
    let image = try PlaybackSamples.animation(frames: frames, loopCount: loopCount)
    return AnimationPlayer(image, pool: pool, clock: clock)
  }

  /// What comes after a seek to each of the frames, with a bar between loops: on the first leg, after two frames, and for
  /// those that turn round on the second, after five.
  private static let ways: [(mode: PlaybackMode, shown: Int, sequences: [String])] = [
    (.normal, 2, ["0 1 2 3 | 0 1 2 3", "1 2 3 | 0 1 2 3", "2 3 | 0 1 2 3", "3 | 0 1 2 3"]),
    (.reverse, 2, ["0 | 3 2 1 0", "1 0 | 3 2 1 0", "2 1 0 | 3 2 1 0", "3 2 1 0 | 3 2 1 0"]),
    (
      .bounce, 2,
      [
        "0 1 2 3 2 1 | 0 1 2 3 2 1", "1 2 3 2 1 | 0 1 2 3 2 1", "2 3 2 1 | 0 1 2 3 2 1",
        "3 2 1 | 0 1 2 3 2 1",
      ]
    ),
    (
      .bounce, 5,
      ["0 1 2 3 2 1 | 0 1 2 3 2 1", "1 | 0 1 2 3 2 1", "2 1 | 0 1 2 3 2 1", "3 2 1 | 0 1 2 3 2 1"]
    ),
    (
      .reversedBounce, 2,
      [
        "0 1 2 | 3 2 1 0 1 2", "1 0 1 2 | 3 2 1 0 1 2", "2 1 0 1 2 | 3 2 1 0 1 2",
        "3 2 1 0 1 2 | 3 2 1 0 1 2",
      ]
    ),
    (
      .reversedBounce, 5,
      ["0 1 2 | 3 2 1 0 1 2", "1 2 | 3 2 1 0 1 2", "2 | 3 2 1 0 1 2", "3 2 1 0 1 2 | 3 2 1 0 1 2"]
    ),
  ]

  @Test(
    "A seek shows its frame at once and goes on from there, in every mode and on either leg", arguments: ways
  )
  func seeks(mode: PlaybackMode, shown: Int, sequences: [String]) async throws {
    for (target, sequence) in sequences.enumerated() {
      let player = try player(loopCount: 2)
      player.mode = mode
      let frames = try await player.played(by: clock) { _, place in
        if place == shown - 1 { player.seek(toFrame: target) }
      }
      var text = ""
      var loop = 0
      for frame in frames.dropFirst(shown) {
        if !text.isEmpty { text += frame.loop == loop ? " " : " | " }
        loop = frame.loop
        text += String(frame.index)
      }
      #expect(text == sequence)
      #expect(frames.dropFirst(shown).first?.loop == 0)
      #expect(loop == 1)
    }
  }

  @Test("A seek may go to any loop", arguments: PlaybackMode.allCases)
  func seekToLoop(mode: PlaybackMode) async throws {
    let player = try player(frames: 2, loopCount: 0)
    player.mode = mode
    player.seek(toFrame: 1, loop: .max)
    #expect(try await player.played(by: clock, limit: 6).map(\.loop) == Array(repeating: .max, count: 6))
    player.loops = .count(5)
    player.seek(toFrame: 0, loop: 4)
    let rest = try await player.played(by: clock)
    #expect(rest.allSatisfy { $0.loop == 4 })
    player.seek(toFrame: 0, loop: -1)
    #expect(try await player.played(by: clock, limit: 1).map(\.loop) == [0])
  }

  @Test("A seek that comes while a session makes up its mind is not lost in the wait for another frame")
  func seekBeforeWait() async throws {
    let gate = Gate()
    let source = ScriptedFrames(count: 4) { index in if index == 0 { try await gate.wait() } }
    let player = AnimationPlayer(source: source, transforms: [], pool: pool, clock: clock)
    let looks = Lock(0)
    // Asked for between the decision and the wait.
    source.onNextSize {
      player.seek(toFrame: 2)
      looks.withLock { $0 = source.lookCount }
    }
    let recorder = EventRecorder<AnimationFrame>()
    let task = Task { await recorder.record(player.frames()) }
    try await eventually { looks.withLock { $0 > 0 && source.lookCount > $0 } }
    #expect(!gate.isOpen)
    gate.open()
    #expect(try await recorder.waitFor(count: 1).map(\.index) == [2])
    task.cancel()
    await task.value
  }

  @Test("A seek by time finds the frame, and one beyond the ends the nearest")
  func seekByTime() async throws {
    let player = try player(frames: 6)
    var frames = try await player.played(by: clock) { _, place in
      if place == 0 { player.seek(to: .milliseconds(399)) }
    }
    #expect(frames.map(\.index) == [0, 3, 4, 5])
    player.seek(to: .seconds(100))
    frames = try await player.played(by: clock)
    #expect(frames.map(\.index) == [5])
    player.seek(toFrame: -7, loop: 0)
    #expect(try await player.played(by: clock).map(\.index) == [0, 1, 2, 3, 4, 5])
  }
}
