@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// One place of a screen: the placeholder, the image, and nothing of what was replaced.
@Suite("Image slot", .timeLimit(.minutes(5)))
struct ImageSlotTests {
  private let stage = SlotStage()

  @Test("the placeholder at once, then the image with a fade; each has a number of its own")
  func placeholderThenImage() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline)
    #expect(slot.shown == "nothing" && slot.state.phase == .idle)
    let request = try stage.request("a", shade: 1, behind: gate)
    let load = slot.load(request, placeholder: .image(try SlotStage.picture(9)))
    let before = slot.state
    #expect(before.content.text == "placeholder 9" && before.phase == .loading)
    #expect(before.transition == .none)
    gate.open()
    #expect(try await load.value.image.shade == 1)
    let after = slot.state
    #expect(after.content.text == "image 1" && after.phase == .succeeded && after.error == nil)
    #expect(after.transition == .fade(.milliseconds(500)))
    #expect(after.contentVersion == before.contentVersion + 1)
    #expect(after.request == request && after.progress.isFinished && !after.isPrevious)
    try await stage.expectNothingLeft()
  }

  @Test(
    "an image in memory is shown before the call returns: no placeholder, no transition, progress 1"
  )
  func memory() async throws {
    let request = try await stage.cached("a", shade: 1)
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(request, placeholder: .image(try SlotStage.picture(9)))
    let state = slot.state
    #expect(
      state.content.text == "image 1" && state.phase == .succeeded && state.transition == .none)
    #expect(state.contentVersion == 1 && state.progress.fraction == 1)
    #expect(try await load.value.source == .memory)
    #expect(stage.loader.requests.count == 1)
  }

  @Test("a new load ends the one before, whose transfer is given up and whose image is never seen")
  func replaced() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline)
    let recorder = EventRecorder<ImageSlot.State>()
    async let recording: Void = recorder.record(slot.states)
    let a = stage.hanging("a")
    let first = slot.load(a, placeholder: .image(try SlotStage.picture(8)))
    try await stage.loader.waitForRequests(SlotStage.url("a"))
    let second = slot.load(
      try stage.request("b", shade: 2, behind: gate), placeholder: .image(try SlotStage.picture(9)))
    #expect(slot.shown == "placeholder 9")
    await #expect(throws: CancellationError.self) { try await first.value }
    try await stage.loader.waitForCancellations()
    gate.open()
    #expect(try await second.value.image.shade == 2)
    slot.cancel()
    #expect(slot.shown == "image 2" && slot.state.phase == .succeeded)
    try await slotGone(slot, recorder)
    await recording
    #expect(recorder.elements.last?.content.text == "image 2")
    try await stage.expectNothingLeft()
  }

  private func slotGone(_ slot: ImageSlot, _ recorder: EventRecorder<ImageSlot.State>) async throws {
    // As when the owner lets go.
    slot.core.close()
    #expect(try await recorder.waitForEnding().isFinished)
  }

  @Test("an image that was decoded already but belongs to the load before is not shown")
  func lateImage() async throws {
    let slot = ImageSlot(stage.pipeline)
    let first = slot.core.begin(SlotTarget(request: stage.hanging("a")), slot.options)
    let second = slot.load(stage.hanging("b"))
    let response = ImageResponse(
      image: try SlotStage.picture(1), source: .loader, byteCount: nil, duration: .zero)
    for effects in [
      slot.core.apply { $0.succeed(first, with: response) },
      slot.core.apply { $0.stale(response, of: first) },
      slot.core.apply { $0.preview(response.image, of: first) },
      slot.core.apply { $0.advance(to: LoadProgress(received: 1, expected: 2), of: first) },
      slot.core.apply { $0.fail(first, CancellationError(), [.image(response.image)]) },
      slot.core.apply { $0.placeholderIsDue([.image(response.image)], of: first) },
      slot.core.apply { $0.confirm(first, with: response) },
      slot.core.apply { $0.settleForStale(first, response, CancellationError()) },
    ] {
      #expect(!effects.isDone && !effects.isNews && effects.endings.isEmpty)
    }
    #expect(
      slot.shown == "nothing" && slot.state.phase == .loading && slot.state.progress.received == 0)
    await #expect(throws: CancellationError.self) { try await first.value() }
    second.cancel()
    #expect(slot.state.phase == .cancelled)
    await #expect(throws: CancellationError.self) { try await second.value }
    try await stage.expectNothingLeft()
  }

  @Test("a URL is a request; nil is an error")
  func url() async throws {
    let request = try stage.request("a", shade: 1)
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(SlotStage.url("a"), placeholder: .image(try SlotStage.picture(9)))
    #expect(slot.shown == "placeholder 9" && slot.state.request == request)
    #expect(try await load.value.image.shade == 1)
    await #expect(throws: SlotError.noSource) { try await slot.load(nil as URL?).value }
    #expect(slot.shown == "nothing" && slot.state.request == nil)
    try await stage.expectNothingLeft()
  }

  @Test("no request: the load before is given up, the placeholder shown, and this load fails")
  func noRequest() async throws {
    let indicator = RecordingIndicator()
    let slot = ImageSlot(stage.pipeline, indicator: indicator)
    let load = slot.load(stage.hanging("a"))
    let recorder = EventRecorder<ImageSlot.State>()
    async let recording: Void = recorder.record(slot.states)
    try await recorder.waitFor(count: 1)
    let none = slot.load(nil as ImageRequest?, placeholder: .image(try SlotStage.picture(9)))
    #expect(slot.shown == "placeholder 9" && slot.state.phase == .failed && slot.state.request == nil)
    #expect(slot.state.error as? SlotError == .noSource && !slot.state.progress.isFinished)
    await #expect(throws: CancellationError.self) { try await load.value }
    await #expect(throws: SlotError.noSource) { try await none.value }
    await #expect(throws: SlotError.noSource) { try await slot.loaded(nil) }
    // Observers are told, and the indicator has stopped.
    try await slotGone(slot, recorder)
    await recording
    #expect(recorder.elements.last?.error as? SlotError == .noSource)
    #expect(indicator.calls == ["start", "stop"])
    try await stage.expectNothingLeft()
  }

  @Test("no request: a failure has a placeholder of its own; the previous picture is none")
  func noRequestPlaceholders() async throws {
    var options = ImageSlot.Options()
    options.placeholder = .first([.previous, .image(try SlotStage.picture(9))])
    options.placeholderTiming = .onFailure
    let slot = ImageSlot(stage.pipeline, options: options)
    slot.show(try SlotStage.picture(3))
    slot.load(nil as URL?)
    #expect(slot.shown == "placeholder 9" && !slot.state.isPrevious)
    options.failurePlaceholder = .image(try SlotStage.picture(7))
    slot.load(nil as URL?, options: options)
    #expect(slot.shown == "placeholder 7")
    slot.load(stage.hanging("a"))
    #expect(slot.state.error == nil && slot.state.phase == .loading)
    slot.cancel()
    try await stage.expectNothingLeft()
  }

  @Test("showing a picture, the placeholder, or cancelling gives the load up", arguments: 0..<3)
  func othersCancel(_ way: Int) async throws {
    var options = ImageSlot.Options()
    options.placeholder = .image(try SlotStage.picture(9))
    let slot = ImageSlot(stage.pipeline, options: options)
    slot.show(try SlotStage.picture(3))
    #expect(slot.shown == "given 3" && slot.state.phase == .idle)
    let load = slot.load(stage.hanging("a"))
    try await stage.loader.waitForRequests(SlotStage.url("a"))
    switch way {
    case 0:
      slot.show(try SlotStage.picture(4))
      #expect(slot.shown == "given 4" && slot.state.phase == .idle)
    case 1:
      slot.showPlaceholder()
      #expect(slot.shown == "placeholder 9" && slot.state.phase == .idle)
    default:
      slot.cancel()
      #expect(slot.shown == "placeholder 9" && slot.state.phase == .cancelled)
    }
    await #expect(throws: CancellationError.self) { try await load.value }
    try await stage.loader.waitForCancellations()
    try await stage.expectNothingLeft()
  }

  @Test("letting go of the slot gives the load up and ends the states; nothing is left")
  func letGo() async throws {
    let indicator = RecordingIndicator()
    var options = ImageSlot.Options()
    options.placeholderTiming = .after(.seconds(1))
    var slot: ImageSlot? = ImageSlot(stage.pipeline, options: options, indicator: indicator)
    let states = try #require(slot?.states)
    let load = slot?.load(stage.hanging("a"))
    try await stage.loader.waitForRequests(SlotStage.url("a"))
    try await stage.clock.waitForSleepers()
    slot = nil
    await #expect(throws: CancellationError.self) { try await load?.value }
    var phases: [ImageSlot.Phase] = []
    for await state in states { phases.append(state.phase) }
    #expect(phases == [.cancelled])
    #expect(indicator.calls == ["start", "stop"])
    try await stage.loader.waitForCancellations()
    try await stage.expectNothingLeft()
  }

  @Test("waiting for the image: cancelling the task gives the load up")
  func loadedCancelled() async throws {
    let slot = ImageSlot(stage.pipeline)
    let request = stage.hanging("a")
    let task = Task { try await slot.loaded(request) }
    try await stage.loader.waitForRequests(SlotStage.url("a"))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(slot.state.phase == .cancelled)
    // One that is cancelled before touches nothing.
    slot.show(try SlotStage.picture(3))
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await slot.loaded(request)
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(slot.shown == "given 3")
    try await stage.expectNothingLeft()
  }

  @Test("waiting for the image: the image, an error, or that another load came")
  func loaded() async throws {
    let slot = ImageSlot(stage.pipeline)
    #expect(try await slot.loaded(stage.request("a", shade: 1)).image.shade == 1)
    let failing = stage.failing("none")
    await #expect(throws: LoadingError.self) { try await slot.loaded(failing) }
    let hanging = stage.hanging("b")
    let task = Task { try await slot.loaded(hanging) }
    try await stage.loader.waitForRequests(SlotStage.url("b"))
    slot.load(try stage.request("c", shade: 2))
    await #expect(throws: CancellationError.self) { try await task.value }
    try await slot.first { $0.phase == .succeeded }
    #expect(slot.shown == "image 2")
    try await stage.expectNothingLeft()
  }

  @Test(
    "cancelling one who waits for the ending ends that wait alone; all others get the same ending")
  func waiters() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(try stage.request("a", shade: 1, behind: gate))
    let impatient = Task { try await load.value.image.shade }
    let patient = (0..<3).map { _ in Task { try await load.value.image.shade } }
    try await stage.loader.waitForRequests(SlotStage.url("a"))
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    #expect(slot.state.phase == .loading)
    gate.open()
    for task in patient { #expect(try await task.value == 1) }
    #expect(try await load.value.image.shade == 1)
    // It has ended: there is nothing to give up.
    load.cancel()
    #expect(slot.state.phase == .succeeded)
    try await stage.expectNothingLeft()
  }

  @Test("a load gives up itself alone: one that was replaced has nothing to say")
  func cancelReplaced() async throws {
    let slot = ImageSlot(stage.pipeline)
    let first = slot.load(stage.hanging("a"))
    let second = slot.load(stage.hanging("b"))
    first.cancel()
    #expect(slot.state.phase == .loading)
    second.cancel()
    #expect(slot.state.phase == .cancelled)
    try await stage.expectNothingLeft()
  }

  @Test("a slot can be used from any isolation")
  @MainActor
  func isolation() async throws {
    let slot = ImageSlot(stage.pipeline)
    slot.load(try stage.request("a", shade: 1))
    try await slot.first { $0.phase == .succeeded }
    #expect(slot.shown == "image 1")
    try await stage.expectNothingLeft()
  }
}
