@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Slots that play animations by themselves.
@Suite("Playback in a slot", .timeLimit(.minutes(5)))
struct SlotPlaybackTests {
  private let film = SlotFilm()
  private var pool: FramePool { film.pool }

  @Test("the placeholder, the poster, and each frame at its time; the last one stays")
  func plays() async throws {
    let gate = Gate()
    let slot = film.slot()
    let viewer = SlotViewer(slot)
    let load = slot.load(
      try film.request("a", behind: gate), placeholder: .image(try SlotStage.picture(9)))
    try await viewer.first { $0.content.text == "placeholder 9" }
    #expect(slot.player == nil)
    gate.open()
    let animation = try #require(try await load.value.animation)
    // The player is there when the load has ended.
    #expect(slot.player != nil)
    let poster = try await viewer.frame(0)
    // The poster is the first frame: nothing is to be drawn again, and its fade stays.
    #expect(poster.contentVersion == 2 && poster.transition == .fade(.milliseconds(500)))
    #expect(try poster.image?.bitmap == animation.frame(at: 0).bitmap)
    for index in 1..<3 {
      try await film.passFrame()
      let state = try await viewer.frame(index)
      #expect(state.contentVersion == 2 + index && state.transition == .none)
      #expect(try state.image?.bitmap == animation.frame(at: index).bitmap)
      #expect(state.phase == .succeeded && state.error == nil)
    }
    try await film.passFrame()
    try await eventually { slot.player?.state == .ended }
    try await film.expectDark()
    #expect(slot.state.frame?.index == 2 && viewer.frames == [0, 1, 2])
    await viewer.leave()
    try await film.stage.expectNothingLeft()
  }

  @Test(
    "an image in memory plays as well, without a transition; a frame earlier is not shown before its time")
  func memory() async throws {
    let request = try film.request("a", loopCount: 0)
    _ = try await film.stage.pipeline.image(for: request)
    let slot = film.slot()
    slot.load(request)
    #expect(slot.state.phase == .succeeded && slot.state.transition == .none && slot.player != nil)
    let viewer = SlotViewer(slot)
    try await viewer.frame(0)
    try await film.clock.waitForSleepers()
    film.clock.advance(by: .milliseconds(99))
    #expect(film.clock.sleeperCount == 1 && slot.state.frame?.index == 0)
    film.clock.advance(by: .milliseconds(1))
    for index in [1, 2, 0, 1] {
      try await viewer.frame(index)
      try await film.passFrame()
    }
    await viewer.leave()
  }

  @Test(
    "while nobody sees it, nothing is decoded or held; then the same frame for the rest of its time",
    arguments: [true, false])
  func hidden(byViewers: Bool) async throws {
    let log = DecodeLog()
    let slot = film.slot()
    _ = try await slot.loaded(
      film.request("a", frames: 20, loopCount: 0) { (index) throws(ImagingError) in log.note(index) })
    try await film.expectDark()
    #expect(log.all.isEmpty && slot.state.frame == nil && slot.player?.isActive == false)
    var viewer = SlotViewer(slot)
    try await viewer.frame(0)
    try await film.passFrame()
    let seen = try await viewer.frame(1)
    try await film.clock.waitForSleepers()
    film.clock.advance(by: .milliseconds(30))

    if byViewers { await viewer.leave() } else { slot.isVisible = false }
    try await film.expectDark()
    let decodes = log.all.count
    film.clock.advance(by: .seconds(10))
    #expect(slot.state.frame?.index == 1 && slot.state.contentVersion == seen.contentVersion)
    #expect(slot.state.image?.bitmap == seen.image?.bitmap)
    #expect(log.all.count == decodes && slot.player?.state == .inactive)

    if byViewers { viewer = SlotViewer(slot) } else { slot.isVisible = true }
    try await film.clock.waitForSleepers()
    film.clock.advance(by: .milliseconds(69))
    #expect(film.clock.sleeperCount == 1)
    #expect(slot.state.frame?.index == 1 && slot.state.contentVersion == seen.contentVersion)
    film.clock.advance(by: .milliseconds(1))
    try await viewer.frame(2)
    await viewer.leave()
    try await film.expectDark()
  }

  @Test("it plays while any viewer is left; an iterator counts until it has ended")
  func severalViewers() async throws {
    let slot = film.slot()
    _ = try await slot.loaded(film.request("a", loopCount: 0))
    let (first, second) = (SlotViewer(slot), SlotViewer(slot))
    try await first.frame(0)
    try await second.frame(0)
    await first.leave()
    try await film.passFrame()
    try await second.frame(1)
    // Seen, and not visible.
    slot.isVisible = false
    try await film.expectDark()
    slot.isVisible = true
    try await film.passFrame()
    try await second.frame(2)
    await second.leave()
    try await film.expectDark()
    do {
      var iterator = slot.states.makeAsyncIterator()
      _ = await iterator.next()
      try await eventually { pool.statistics.players == 1 }
    }
    try await film.expectDark()
  }

  @Test("the last viewer leaves while a frame is decoded: it is not kept, and is shown when somebody is back")
  func leavesDuringDecode() async throws {
    let (begun, gate) = (Gate(), Gate())
    let slot = film.slot()
    _ = try await slot.loaded(
      film.request("a") { (index) throws(ImagingError) in
        guard index == 1 else { return }
        begun.open()
        gate.waitBlocking()
      })
    var viewer = SlotViewer(slot)
    try await viewer.frame(0)
    try await begun.wait()
    try await film.passFrame()
    try await eventually { slot.player?.currentIndex == 1 }
    await viewer.leave()
    #expect(pool.statistics.players == 0)
    gate.open()
    try await film.expectDark()
    #expect(slot.state.frame?.index == 0)
    viewer = SlotViewer(slot)
    try await viewer.frame(1)
    try await film.passFrame()
    try await viewer.frame(2)
    await viewer.leave()
  }

  @Test(
    "another load ends the playback at once, whether or not a frame is being decoded",
    arguments: [true, false])
  func reloaded(duringDecode: Bool) async throws {
    let (begun, gate) = (Gate(), Gate())
    let slot = film.slot()
    _ = try await slot.loaded(
      film.request("a", frames: 30, loopCount: 0) { (index) throws(ImagingError) in
        guard duringDecode, index == 1 else { return }
        begun.open()
        gate.waitBlocking()
      })
    let viewer = SlotViewer(slot)
    try await viewer.frame(0)
    if duringDecode {
      try await begun.wait()
      try await film.passFrame()
      try await eventually { slot.player?.currentIndex == 1 }
    }
    let player = try #require(slot.player)
    slot.load(film.stage.hanging("b"), placeholder: .image(try SlotStage.picture(9)))
    #expect(slot.player == nil && slot.shown == "placeholder 9" && slot.state.frame == nil)
    #expect(pool.statistics.players == 0)
    gate.open()
    try await film.expectDark()
    film.clock.advance(by: .seconds(1))
    player.seek(toFrame: 2)
    #expect(slot.shown == "placeholder 9" && slot.state.frame == nil)
    // The next animation plays from its beginning.
    slot.load(try film.request("c"))
    try await viewer.frame(0)
    try await film.passFrame()
    try await viewer.frame(1)
    #expect(slot.player !== player)
    await viewer.leave()
    try await film.stage.expectNothingLeft()
  }

  @Test("the previous animation plays until the image has arrived, or for good if there is none")
  func previous() async throws {
    let gate = Gate()
    let slot = film.slot { $0.placeholder = .previous }
    _ = try await slot.loaded(film.request("a", loopCount: 0))
    let viewer = SlotViewer(slot)
    try await viewer.frame(0)
    await #expect(throws: LoadingError.self) { try await slot.loaded(film.stage.failing("none")) }
    try await film.passFrame()
    try await viewer.frame(1)
    #expect(slot.state.isPrevious && slot.state.phase == .failed)
    let load = slot.load(try film.stage.request("b", shade: 2, behind: gate))
    try await film.passFrame()
    let state = try await viewer.frame(2)
    #expect(state.isPrevious && state.phase == .loading && state.error == nil)
    // Cancelling a load is not for the content.
    slot.cancel()
    try await film.passFrame()
    try await viewer.frame(0)
    gate.open()
    await #expect(throws: CancellationError.self) { try await load.value }
    _ = try await slot.loaded(try film.stage.request("d", shade: 4))
    #expect(slot.shown == "image 4" && slot.state.frame == nil && slot.player == nil)
    try await film.expectDark()
    await viewer.leave()
  }

  @Test(
    "a cancelled load plays nothing; other content and the release of the slot end the playback",
    arguments: 0..<4)
  func ends(way: Int) async throws {
    let gate = Gate()
    var slot: ImageSlot? = film.slot()
    let viewer = SlotViewer(try #require(slot), holdsSlot: false)
    let load = slot?.load(try film.request("a", loopCount: 0, behind: gate))
    if way == 0 {
      slot?.cancel()
      gate.open()
      await #expect(throws: CancellationError.self) { try await load?.value }
    } else {
      gate.open()
      try await viewer.frame(0)
    }
    switch way {
    case 1: slot?.show(try SlotStage.picture(3))
    case 2: slot?.load(nil as URL?)
    case 3: slot = nil
    default: break
    }
    try await film.expectDark()
    film.clock.advance(by: .seconds(1))
    #expect(slot?.player == nil && slot?.state.frame == nil)
    #expect(viewer.frames == (way == 0 ? [] : [0]))
    await viewer.leave()
    try await film.stage.expectNothingLeft()
  }

  @Test("an animation of one frame is a still image")
  func oneFrame() async throws {
    let slot = film.slot()
    let viewer = SlotViewer(slot)
    _ = try await slot.loaded(film.request("a", frames: 1, loopCount: 0))
    #expect(slot.player == nil && !slot.play() && slot.state.frame == nil && slot.state.image != nil)
    try await film.expectDark()
    await viewer.leave()
  }

  @Test("a frame that cannot be decoded ends the playback with its error; the frame before it stays")
  func damaged() async throws {
    let slot = film.slot()
    _ = try await slot.loaded(
      film.request("a", frames: 4, loopCount: 0) { (index) throws(ImagingError) in
        if index == 2 { throw .outOfMemory(byteCount: 2) }
      })
    let viewer = SlotViewer(slot)
    try await viewer.frame(0)
    try await film.passFrame()
    try await viewer.frame(1)
    try await film.passFrame()
    let state = try await viewer.first { $0.error != nil }
    #expect(state.error as? ImagingError == .outOfMemory(byteCount: 2))
    #expect(state.phase == .succeeded && state.frame?.index == 1)
    try await film.expectDark()
    film.clock.advance(by: .seconds(1))
    #expect(slot.state.frame?.index == 1)
    // The next load has no error.
    slot.load(film.stage.hanging("b"))
    #expect(slot.state.error == nil)
    slot.cancel()
    await viewer.leave()
  }

  @Test(
    "a pool that has no room for a frame plays it all the same, and holds nothing", arguments: [0, 1, 255])
  func noRoom(byteLimit: Int) async throws {
    let film = SlotFilm(byteLimit: byteLimit)
    let slot = film.slot()
    _ = try await slot.loaded(film.request("a", loopCount: 0))
    let viewer = SlotViewer(slot)
    for index in [0, 1, 2, 0] {
      try await viewer.frame(index)
      try await film.passFrame()
    }
    #expect(film.pool.statistics.peakBytes == 0)
    await viewer.leave()
  }

  @Test("slots of the same animation share its frames, which go with the last one that is seen")
  func shared() async throws {
    let log = DecodeLog()
    let request = try film.request("a", frames: 6) { (index) throws(ImagingError) in log.note(index) }
    let slots = [film.slot(), film.slot(), film.slot()]
    for slot in slots { _ = try await slot.loaded(request) }
    let viewers = slots.map { SlotViewer($0) }
    for index in 0..<6 {
      for viewer in viewers { try await viewer.frame(index) }
      if index < 5 {
        try await film.clock.waitForSleepers(3)
        film.clock.advance(by: .milliseconds(100))
      }
    }
    #expect(log.all == Array(0..<6) && pool.statistics.decodes == 6 && pool.statistics.players == 3)
    await viewers[0].leave()
    await viewers[1].leave()
    #expect(pool.statistics.frames == 6 && pool.statistics.players == 1)
    await viewers[2].leave()
    try await film.expectDark()
  }

  @Test(
    "without autoplay the poster stays until play(), which continues after a pause, and begins again after the end"
  )
  func manualPlayback() async throws {
    let slot = film.slot { $0.autoplay = false }
    let viewer = SlotViewer(slot)
    #expect(!slot.play())
    _ = try await slot.loaded(film.request("a"))
    try await film.expectDark()
    #expect(slot.player == nil && slot.state.frame == nil)
    #expect(slot.play())
    let player = try #require(slot.player)
    try await viewer.frame(0)
    player.pause()
    try await eventually { film.clock.sleeperCount == 0 }
    film.clock.advance(by: .seconds(1))
    #expect(slot.state.frame?.index == 0 && slot.play() && slot.player === player)
    for index in 1..<3 {
      try await film.passFrame()
      try await viewer.frame(index)
    }
    try await film.passFrame()
    try await eventually { slot.core.machine.value.isPlayed }
    try await film.expectDark()
    #expect(slot.play() && slot.player === player)
    try await viewer.frame(0)
    try await film.passFrame()
    try await viewer.frame(1)
    await viewer.leave()
  }

  @Test("an animation without a load plays like a loaded one, and again; its player stops with other content")
  func ownAnimation() async throws {
    let source = ScriptedFrames(count: 2)
    let player = AnimationPlayer(source: source, transforms: [], pool: pool, clock: film.clock)
    let slot = film.slot()
    let load = slot.load(film.stage.hanging("a"), placeholder: .image(try SlotStage.picture(9)))
    slot.show(player)
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(slot.player === player && slot.shown == "nothing" && slot.state.phase == .idle)
    try await film.expectDark()
    #expect(source.log.all.isEmpty)
    let viewer = SlotViewer(slot)
    let first = try await viewer.frame(0)
    #expect(first.image != nil && first.content.isPicture)
    let version = first.contentVersion
    for _ in 0..<2 {
      try await viewer.frame(0)
      try await film.passFrame()
      try await viewer.frame(1)
      try await film.passFrame()
      try await eventually { slot.core.machine.value.isPlayed }
      #expect(slot.play() && slot.player === player)
    }
    // Each frame is drawn: the first one, the second, and so on.
    let again = try await viewer.frame(0)
    #expect(again.contentVersion == version + 4)
    slot.show(try SlotStage.picture(3))
    #expect(slot.player == nil && slot.shown == "given 3" && slot.state.frame == nil)
    try await film.expectDark()
    await viewer.leave()
    try await film.stage.expectNothingLeft()
  }

  @Test("with manual delivery, nothing plays before the image is shown")
  func manualDelivery() async throws {
    let slot = film.slot { $0.delivery = .manual }
    let viewer = SlotViewer(slot)
    _ = try await slot.loaded(film.request("a"))
    try await film.expectDark()
    #expect(slot.player == nil && slot.state.arrived != nil)
    slot.deliver()
    try await viewer.frame(0)
    try await film.passFrame()
    try await viewer.frame(1)
    await viewer.leave()
  }

  @Test("a request for the first frame plays nothing")
  func firstFrame() async throws {
    var request = try film.request("a")
    request.frames = .first
    let slot = film.slot()
    let viewer = SlotViewer(slot)
    _ = try await slot.loaded(request)
    #expect(slot.player == nil && !slot.play())
    try await film.expectDark()
    await viewer.leave()
  }

  @Test("a stale animation plays on when it is confirmed; frames of an ended playback are not shown")
  func confirmed() throws {
    let animation = try PlaybackSamples.animation(frames: 3)
    func response(_ isStale: Bool) throws -> ImageResponse {
      ImageResponse(
        image: try animation.frame(at: 0), animation: animation, source: .disk, byteCount: nil,
        duration: .zero, isStale: isStale)
    }
    func frame(_ index: Int) throws -> AnimationFrame {
      AnimationFrame(
        image: try animation.frame(at: index), index: index, loop: 0, startTime: .zero,
        presentationTime: .zero,
        duration: .milliseconds(100), lateness: .zero, droppedBefore: 0)
    }
    var machine = SlotStateMachine()
    let load = SlotLoad(film.options)
    _ = machine.begin(
      load, for: SlotTarget(request: ImageRequest(url: SlotStage.url("a"))), found: nil,
      placeholder: [.nothing])
    _ = machine.stale(try response(true), of: load)
    let (first, second) = (machine.takePlayable(), machine.takePlayable())
    let playable = try #require(first)
    #expect(second == nil)
    let playback = SlotPlayback(AnimationPlayer(animation, pool: pool, clock: film.clock))
    #expect(machine.begin(playback, of: playable.content, after: nil).isDone)
    // A second one in its place is for one that knows it.
    #expect(!machine.begin(SlotPlayback(playback.player), of: playable.content, after: nil).isDone)
    #expect(machine.show(try frame(1), of: playback).isDone)
    let version = machine.state.contentVersion
    #expect(machine.confirm(load, with: try response(false)).isDone)
    #expect(machine.playback === playback && machine.state.frame?.index == 1)
    let third = machine.takePlayable()
    #expect(third == nil && machine.state.contentVersion == version)
    #expect(machine.show(try frame(2), of: playback).isDone)
    #expect(machine.state.contentVersion == version + 1)

    _ = machine.replace(with: .given(try SlotStage.picture(3)))
    #expect(machine.playback == nil && machine.state.frame == nil)
    #expect(!machine.show(try frame(0), of: playback).isDone)
    #expect(!machine.end(playback, ImagingError.cancelled).isDone)
    #expect(machine.state.error == nil)
    #expect(!machine.begin(playback, of: playable.content, after: nil).isDone)
  }

  @Test("viewers that come and go, and visibility that changes, leave the player as the last one has it")
  func visibilityRace() async throws {
    let slot = film.slot()
    _ = try await slot.loaded(film.request("a", loopCount: 0))
    for _ in 0..<50 {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            for _ in 0..<10 {
              if number == 0 {
                slot.isVisible = false
                slot.isVisible = true
              } else {
                var iterator = slot.states.makeAsyncIterator()
                _ = await iterator.next()
              }
            }
          }
        }
      }
      #expect(slot.player?.isActive == false)
      try await eventually { pool.statistics.players == 0 }
    }
    let viewer = SlotViewer(slot)
    try await eventually { slot.player?.isActive == true }
    await viewer.leave()
    #expect(slot.player?.isActive == false)
  }
}
