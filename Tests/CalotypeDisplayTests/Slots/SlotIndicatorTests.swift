@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// What shows that a slot is waiting.
@Suite("Indicators of a slot", .timeLimit(.minutes(5)))
struct SlotIndicatorTests {
  private let stage = SlotStage()
  private let indicator = RecordingIndicator()

  @Test("start, progress, the finished one, stop; from memory nothing; each load in its turn")
  func order() async throws {
    let slot = ImageSlot(stage.pipeline, indicator: indicator)
    let request = try stage.request("a", shade: 1)
    _ = try await slot.loaded(request)
    var calls = indicator.calls
    #expect(calls.first == "start" && Array(calls.suffix(2)) == ["finished", "stop"])
    #expect(calls.dropFirst().dropLast(2).allSatisfy { $0 == "progress" })
    slot.load(request)
    #expect(indicator.calls == calls)

    slot.load(stage.hanging("b"))
    slot.load(stage.hanging("c"))
    #expect(Array(indicator.calls.dropFirst(calls.count)) == ["start", "stop", "start"])
    slot.load(request)
    #expect(Array(indicator.calls.dropFirst(calls.count)) == ["start", "stop", "start", "stop"])
    calls = indicator.calls
    await #expect(throws: LoadingError.self) { try await slot.loaded(stage.failing("none")) }
    #expect(
      indicator.calls.dropFirst(calls.count).filter { $0 != "progress" } == ["start", "stop"])
    slot.load(stage.hanging("d"))
    slot.showPlaceholder()
    #expect(indicator.calls.suffix(2) == ["start", "stop"])
    try await stage.expectNothingLeft()
  }

  /// Gives the load up as soon as it is told of it.
  private final class Impatient: ImageSlotIndicator {
    let slot = Lock<ImageSlot?>(nil)
    let stops = Lock(0)

    func start() { slot.withLock { $0 }?.cancel() }
    func stop() { stops.withLock { $0 += 1 } }
  }

  @Test("an indicator may use the slot; what it leaves out does nothing")
  func reentrant() async throws {
    let impatient = Impatient()
    let slot = ImageSlot(stage.pipeline, indicator: impatient)
    impatient.slot.withLock { $0 = slot }
    slot.load(stage.hanging("a"))
    #expect(slot.state.phase == .cancelled)
    #expect(impatient.stops.withLock { $0 } == 1)
    impatient.slot.withLock { $0 = nil }
    try await stage.expectNothingLeft()
  }

  @Test("the way from what was told to what should be shown", arguments: 0..<200)
  func steps(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (told, target) = (IndicatorState(), Indication())
    var (isOn, isFinished, number) = (false, true, 0)
    for _ in 0..<100 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: target = Indication(number: target.number + 1, isOn: true)
      case 1 where target.isOn: target.progress.received += 1
      case 2 where target.isOn:
        target.progress.isFinished = true
        target.isOn = false
      default: if target.isOn { target = Indication(number: target.number + 1) }
      }
      // Not always looked at.
      guard Bool.random(using: &random) else { continue }
      while let call = told.next(towards: target) {
        switch call {
        case .start:
          #expect(!isOn && target.isOn && target.number > number)
          (isOn, isFinished, number) = (true, false, target.number)
        case .progress(let progress):
          #expect(isOn && number == target.number && progress == target.progress)
          isFinished = progress.isFinished
        case .stop:
          #expect(isOn)
          if number == target.number, target.progress.isFinished { #expect(isFinished) }
          isOn = false
        }
      }
      #expect(isOn == target.isOn)
    }
  }

  @Test("a spinner shows one piece after the other, by time")
  func spinner() {
    let spinner = Spinner(["a", "b", "c"], interval: .milliseconds(80))
    let texts = [0, 79, 80, 160, 239, 240, 80_000_000].map {
      spinner.frame(after: .milliseconds($0))
    }
    #expect(texts == ["a", "a", "b", "c", "c", "a", "b"])
    #expect(spinner.frame(after: .seconds(-1)) == "a")
    #expect(Spinner([]).frame(after: .seconds(1)) == "")
    #expect(Spinner(["a", "b"], interval: .zero).frame(after: .seconds(1)) == "a")
    #expect(Set(Spinner.dots.frames).count == 10 && Spinner.line.frames == ["|", "/", "-", "\\"])
  }

  @Test("a bar is full at 1 only")
  func bar() {
    let bar = ProgressBar(width: 4)
    let texts = [nil, 0, 0.24, 0.25, 0.5, 0.999, 1, 7, -1, .nan, .infinity].map {
      bar.text(for: $0)
    }
    #expect(
      texts == [
        "....", "....", "....", "#...", "##..", "###.", "####", "####", "....", "....", "####",
      ])
    #expect(ProgressBar(width: -1).text(for: 1) == "")
    #expect(ProgressBar(width: 3, filled: "█", empty: " ").text(for: 0.4) == "█  ")
  }

  @Test("an indicator of text: none when nothing is loaded")
  func text() async throws {
    let clock = TestClock()
    let spinner = TextIndicator(.spinner(Spinner(["a", "b"], interval: .seconds(1))), clock: clock)
    let slot = ImageSlot(stage.pipeline, indicator: spinner)
    #expect(spinner.text == nil)
    slot.load(stage.hanging("a"))
    #expect(spinner.text == "a")
    clock.advance(by: .seconds(1))
    #expect(spinner.text == "b")
    slot.cancel()
    #expect(spinner.text == nil)
    let bar = TextIndicator(.bar(ProgressBar(width: 4)))
    bar.start()
    #expect(bar.text == "....")
    var progress = ImageSlot.Progress()
    (progress.received, progress.expected) = (1, 2)
    bar.progress(progress)
    #expect(bar.text == "##..")
    bar.stop()
    #expect(bar.text == nil)
    try await stage.expectNothingLeft()
  }
}
