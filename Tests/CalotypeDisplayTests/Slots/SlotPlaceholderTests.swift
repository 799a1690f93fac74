@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// What is shown in place of an image, and when.
@Suite("Placeholders of a slot", .timeLimit(.minutes(5)))
struct SlotPlaceholderTests {
  private let stage = SlotStage()

  private func options(_ timing: ImageSlot.PlaceholderTiming) throws -> ImageSlot.Options {
    var options = ImageSlot.Options()
    options.placeholder = .image(try SlotStage.picture(9))
    options.placeholderTiming = timing
    return options
  }

  @Test("after a delay: what comes sooner shows no placeholder at all, and the alarm is gone")
  func noFlash() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline, options: try options(.after(.milliseconds(200))))
    slot.show(try SlotStage.picture(3))
    let load = slot.load(try stage.request("a", shade: 1, behind: gate))
    #expect(slot.shown == "nothing")
    try await stage.clock.waitForSleepers()
    stage.clock.advance(by: .milliseconds(199))
    #expect(stage.clock.sleeperCount == 1)
    gate.open()
    _ = try await load.value
    let version = slot.state.contentVersion
    try await eventually { stage.clock.sleeperCount == 0 }
    stage.clock.advance(by: .seconds(1))
    #expect(slot.shown == "image 1" && slot.state.contentVersion == version)
    // The picture, nothing, the image.
    #expect(version == 3)
    try await stage.expectNothingLeft()
  }

  @Test("after a delay: the placeholder when its time has come, then the image")
  func delayed() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline, options: try options(.after(.milliseconds(200))))
    let load = slot.load(try stage.request("a", shade: 1, behind: gate))
    try await stage.clock.waitForSleepers()
    #expect(slot.shown == "nothing")
    stage.clock.advance(by: .milliseconds(200))
    try await slot.first { $0.content.text == "placeholder 9" }
    gate.open()
    _ = try await load.value
    #expect(slot.shown == "image 1" && slot.state.contentVersion == 2)
    try await stage.expectNothingLeft()
  }

  @Test(
    "after a delay: a slot can have a clock of its own; a replaced load shows no placeholder any more"
  )
  func ownClock() async throws {
    let clock = TestClock()
    let slot = ImageSlot(stage.pipeline, options: try options(.after(.seconds(1))), clock: clock)
    slot.load(stage.hanging("a"))
    try await clock.waitForSleepers()
    slot.load(stage.hanging("b"), placeholder: .nothing)
    try await eventually { clock.sleeperCount <= 1 }
    clock.advance(by: .seconds(1))
    try await eventually { clock.sleeperCount == 0 }
    #expect(slot.shown == "nothing")
    slot.cancel()
    try await stage.expectNothingLeft()
  }

  @Test("on failure only: nothing until then; a cancelled or replaced load shows none")
  func onFailure() async throws {
    let slot = ImageSlot(stage.pipeline, options: try options(.onFailure))
    let load = slot.load(stage.failing("none"))
    await #expect(throws: LoadingError.self) { try await load.value }
    #expect(slot.shown == "placeholder 9" && slot.state.phase == .failed)
    #expect((slot.state.error as? LoadingError)?.code == "httpStatus")
    slot.load(stage.hanging("a"))
    #expect(slot.shown == "nothing" && slot.state.error == nil)
    slot.cancel()
    #expect(slot.shown == "nothing")
    try await stage.expectNothingLeft()
  }

  @Test("failure has a placeholder of its own; without one, the placeholder stays as it is")
  func failure() async throws {
    var options = try options(.immediate)
    let slot = ImageSlot(stage.pipeline, options: options)
    await #expect(throws: LoadingError.self) { try await slot.loaded(stage.failing("none")) }
    #expect(slot.shown == "placeholder 9" && slot.state.transition == .none)
    // Nothing was to be drawn again.
    #expect(slot.state.contentVersion == 1)
    options.failurePlaceholder = .image(try SlotStage.picture(7))
    await #expect(throws: LoadingError.self) {
      try await slot.loaded(stage.failing("none"), options: options)
    }
    #expect(slot.shown == "placeholder 7" && slot.state.contentVersion == 3)
    // One that was to be shown on failure only was not there.
    options = try self.options(.onFailure)
    await #expect(throws: LoadingError.self) {
      try await slot.loaded(stage.failing("none"), options: options)
    }
    #expect(slot.shown == "placeholder 9" && slot.state.contentVersion == 5)
    try await stage.expectNothingLeft()
  }

  @Test(
    "the previous picture stays until the new one is there, whatever the timing",
    arguments: [true, false])
  func previous(isLate: Bool) async throws {
    let gate = Gate()
    let slot = ImageSlot(
      stage.pipeline, options: try options(isLate ? .after(.seconds(1)) : .immediate))
    _ = try await slot.loaded(stage.request("a", shade: 1))
    let version = slot.state.contentVersion
    let keeping = ImageSlot.Placeholder.first([.previous, .image(try SlotStage.picture(9))])
    let load = slot.load(try stage.request("b", shade: 2, behind: gate), placeholder: keeping)
    #expect(slot.shown == "image 1" && slot.state.isPrevious && slot.state.phase == .loading)
    #expect(slot.state.contentVersion == version)
    if isLate {
      try await stage.clock.waitForSleepers()
      stage.clock.advance(by: .seconds(1))
      #expect(slot.shown == "image 1")
    }
    gate.open()
    _ = try await load.value
    #expect(slot.shown == "image 2" && !slot.state.isPrevious)
    // It stays when there is no new one, too, unless the options say otherwise.
    await #expect(throws: LoadingError.self) {
      try await slot.loaded(stage.failing("none"), placeholder: .previous)
    }
    #expect(slot.shown == "image 2" && slot.state.isPrevious && slot.state.phase == .failed)
    try await stage.expectNothingLeft()
  }

  @Test("without a previous picture there is the next placeholder; one is no picture")
  func noPrevious() async throws {
    let slot = ImageSlot(stage.pipeline)
    slot.load(
      stage.hanging("a"), placeholder: .first([.previous, .image(try SlotStage.picture(9))]))
    #expect(slot.shown == "placeholder 9" && !slot.state.isPrevious)
    slot.load(
      stage.hanging("b"), placeholder: .first([.previous, .image(try SlotStage.picture(8))]))
    #expect(slot.shown == "placeholder 8")
    slot.load(stage.hanging("c"), placeholder: .previous)
    #expect(slot.shown == "nothing")
    slot.show(try SlotStage.picture(3))
    slot.load(nil as ImageRequest?, placeholder: .previous)
    #expect(slot.shown == "nothing")
    slot.show(try SlotStage.picture(3))
    slot.showPlaceholder(.first([.previous, .image(try SlotStage.picture(4))]))
    #expect(slot.shown == "placeholder 4" && slot.state.phase == .idle)
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("the cached image of another request, if it is in memory")
  func cached() async throws {
    let small = try await stage.cached("small", shade: 5)
    let slot = ImageSlot(stage.pipeline)
    slot.load(stage.hanging("a"), placeholder: .cached(small))
    #expect(slot.shown == "placeholder 5")
    let unknown = ImageSlot.Placeholder.cached(stage.hanging("unknown"))
    slot.load(stage.hanging("b"), placeholder: unknown)
    #expect(slot.shown == "nothing")
    slot.load(stage.hanging("c"), placeholder: .first([unknown, .cached(small), .nothing]))
    #expect(slot.shown == "placeholder 5")
    #expect(stage.loader.requests(for: SlotStage.url("unknown")).isEmpty)
    try await stage.expectNothingLeft(after: slot)
  }
}

extension SlotStage {
  func expectNothingLeft(after slot: ImageSlot) async throws {
    slot.cancel()
    try await expectNothingLeft()
  }
}
