@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// What the tests of slots that play share: a clock of the slots alone, a pool, and animations of 100 ms a frame.
struct SlotFilm {
  let stage = SlotStage()
  let clock = TestClock()
  let pool: FramePool

  init(byteLimit: Int = 1 << 20) { pool = FramePool(byteLimit: byteLimit) }

  var options: ImageSlot.Options {
    var options = ImageSlot.Options()
    options.framePool = pool
    return options
  }

  func slot(_ change: (inout ImageSlot.Options) -> Void = { _ in }) -> ImageSlot {
    var options = options
    change(&options)
    return ImageSlot(stage.pipeline, options: options, clock: clock)
  }

  /// A request for all frames of an animation, which tells before each decode of a frame.
  func request(
    _ name: String, frames: Int = 3, loopCount: Int = 1, behind gate: Gate? = nil,
    _ willDecode: @escaping @Sendable (Int) throws(ImagingError) -> Void = { (_) throws(ImagingError) in }
  ) throws -> ImageRequest {
    let url = SlotStage.url(name)
    let reply = FakeReply.body(try PlaybackSamples.gif(frames: frames, loopCount: loopCount))
    stage.loader.route(url, gate.map { reply.behind($0) } ?? reply)
    var coders = CoderRegistry()
    coders.register(ToldDecoder(willDecode))
    var request = ImageRequest(url: url)
    request.frames = .all
    request.coders = ImageRequest.Identified("told \(name)", coders)
    return request
  }

  /// Lets the shown frame pass, once the player sleeps for it.
  func passFrame() async throws {
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(100))
  }

  /// Nothing is played, decoded or held.
  func expectDark() async throws {
    try await eventually {
      pool.statistics.players == 0 && pool.statistics.bytes == 0 && clock.sleeperCount == 0
    }
    #expect(pool.statistics.frames == 0 && pool.countedBytes == 0)
  }
}

/// Watches a slot, and holds it.
final class SlotViewer: Sendable {
  private let slot: ImageSlot?
  private let recorder = EventRecorder<ImageSlot.State>()
  private let task: Task<Void, Never>

  init(_ slot: ImageSlot, holdsSlot: Bool = true) {
    self.slot = holdsSlot ? slot : nil
    let (states, recorder) = (slot.states, recorder)
    task = Task { await recorder.record(states) }
  }

  var states: [ImageSlot.State] { recorder.elements }

  /// The frames seen, each once.
  var frames: [Int] {
    states.compactMap { $0.frame?.index }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  /// Suspends until a state like this is seen.
  @discardableResult
  func first(_ isWanted: @escaping @Sendable (ImageSlot.State) -> Bool) async throws -> ImageSlot.State {
    var found: ImageSlot.State?
    try await eventually {
      found = states.last(where: isWanted)
      return found != nil
    }
    return try #require(found)
  }

  /// Suspends until this frame is the newest.
  @discardableResult
  func frame(_ index: Int) async throws -> ImageSlot.State {
    try await eventually { states.last?.frame?.index == index }
    return try #require(states.last)
  }

  /// Looks away.
  func leave() async {
    task.cancel()
    await task.value
  }
}
