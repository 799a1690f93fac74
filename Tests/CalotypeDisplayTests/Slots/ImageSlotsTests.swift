@testable import CalotypeDisplay
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// The slots of one thing on the screen.
@Suite("Image slots", .timeLimit(.minutes(5)))
struct ImageSlotsTests {
  private enum Part: Hashable {
    case main
    case highlighted
    case background
  }

  private let stage = SlotStage()

  @Test("each name has its slot, made on demand; slots know nothing of each other")
  func keys() async throws {
    let slots = ImageSlots<Part>(stage.pipeline)
    #expect(slots.keys.isEmpty && !slots.isLoading)
    #expect(slots[.main] === slots[.main] && slots[.main] !== slots[.highlighted])
    let main = slots[.main].load(try stage.request("a", shade: 1))
    let highlighted = slots[.highlighted].load(try stage.request("b", shade: 2))
    _ = try await (main.value, highlighted.value)
    slots[.main].load(stage.hanging("c"))
    #expect(slots.isLoading)
    #expect(slots.states.mapValues(\.content.text) == [.main: "nothing", .highlighted: "image 2"])
    slots[.main].cancel()
    try await stage.expectNothingLeft()
  }

  @Test("all loads can be given up at once")
  func cancelAll() async throws {
    let slots = ImageSlots<Int>(stage.pipeline)
    let loads = (0..<10).map { slots[$0].load(stage.hanging("\($0)")) }
    slots.cancelAll()
    for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
    #expect(Set(slots.states.values.map(\.phase)) == [.cancelled])
    try await stage.expectNothingLeft()
  }

  @Test("a slot that is removed gives its load up, unless somebody else holds it; so does the set")
  func remove() async throws {
    var slots: ImageSlots? = ImageSlots<Int>(stage.pipeline)
    let load = slots?[0].load(stage.hanging("a"))
    slots?.remove(0)
    await #expect(throws: CancellationError.self) { try await load?.value }
    let held = slots?[1]
    let other = slots?[2].load(stage.hanging("b"))
    slots?[1].load(stage.hanging("c"))
    slots = nil
    await #expect(throws: CancellationError.self) { try await other?.value }
    #expect(held?.state.phase == .loading)
    held?.cancel()
    try await stage.expectNothingLeft()
  }

  @Test("each slot can have an indicator; two threads that ask first get the same slot")
  func indicators() async throws {
    let indicators = [0: RecordingIndicator(), 1: RecordingIndicator()]
    let slots = ImageSlots<Int>(stage.pipeline) { indicators[$0] }
    slots[0].load(stage.hanging("a"))
    #expect(indicators[0]?.calls == ["start"] && indicators[1]?.calls == [])
    slots.cancelAll()
    for key in 2..<200 {
      async let first = slots[key]
      async let second = slots[key]
      let (a, b) = await (first, second)
      #expect(a === b)
    }
    try await stage.expectNothingLeft()
  }
}
