@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// The pictures between two pictures, by a fade or a function of the program.
@Suite("Transition effects", .timeLimit(.minutes(5)))
struct TransitionEffectTests {
  private struct Refused: Error {}

  /// The new picture from the left on, the old one to the right of it.
  private static let wipe = TransitionEffect(name: "wipe") { old, new, progress in
    try Bitmap(size: new.size) { pixels in
      new.withUnsafeBytes { pixels.copyMemory(from: $0) }
      let column = Int(progress * Double(new.width))
      for y in 0..<new.height {
        for x in column..<new.width {
          let place = 4 * (y * new.width + x)
          for sample in place..<place + 4 { pixels[sample] = old?.withUnsafeBytes { $0[sample] } ?? 0 }
        }
      }
      return false
    }
  }

  private func bitmap(_ shade: UInt8) throws -> Bitmap {
    try SampleImages.bitmap(width: 4, height: 2, color: PixelColor(red: shade, green: shade, blue: shade))
  }

  /// The first samples of the pixels of the first row.
  private func row(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in (0..<bitmap.width).map { bytes[4 * $0] } }
  }

  @Test("the slot offers the effect of its options, with its duration, where it would fade")
  func offered() async throws {
    let stage = SlotStage()
    var options = ImageSlot.Options()
    options.transitionEffect = Self.wipe
    options.transitionDuration = .seconds(1)
    let slot = ImageSlot(stage.pipeline, options: options)
    let request = try stage.request("a", shade: 1)
    _ = try await slot.loaded(request)
    #expect(slot.state.transition == .effect(Self.wipe, .seconds(1)))
    #expect(slot.state.transition.duration == .seconds(1))
    // In memory now.
    slot.load(request)
    #expect(slot.state.transition == .none && slot.state.transition.duration == .zero)
    options.transitions = .always
    slot.load(request, options: options)
    #expect(slot.state.transition == .effect(Self.wipe, .seconds(1)))
    options.transitionEffect = .fade
    slot.load(request, options: options)
    #expect(slot.state.transition == .fade(.seconds(1)))
    try await stage.expectNothingLeft()
  }

  @Test("the function gets both pictures and the progress; outside of 0 to 1, and at 1, it is not asked")
  func function() throws {
    let asked = Lock<[Double]>([])
    let noted = TransitionEffect(name: "noted") { old, new, progress in
      asked.withLock { $0.append(progress) }
      return try Self.wipe.frames(from: old, to: new).bitmap(at: progress)
    }
    let transition = ImageSlot.Transition.effect(noted, .seconds(1))
    let frames = try transition.frames(from: bitmap(10), to: bitmap(20))
    #expect(try row(frames.bitmap(at: 0)) == [10, 10, 10, 10])
    #expect(try row(frames.bitmap(at: 0.5)) == [20, 20, 10, 10])
    #expect(try row(frames.bitmap(at: 0.75)) == [20, 20, 20, 10])
    #expect(try frames.bitmap(at: 1) == bitmap(20) && frames.end == bitmap(20))
    #expect(try frames.bitmap(at: .infinity) == bitmap(20))
    for progress in [-1, -.infinity, .nan] as [Double] {
      #expect(try row(frames.bitmap(at: progress)) == [10, 10, 10, 10])
    }
    #expect(asked.withLock { $0 } == [0, 0.5, 0.75, 0, 0, 0])
    let fromNothing = try transition.frames(from: nil, to: bitmap(20))
    #expect(try row(fromNothing.bitmap(at: 0.5)) == [20, 20, 0, 0])
  }

  @Test("a fade is a cross-fade; without a transition there is only the new picture")
  func others() throws {
    let fade = try ImageSlot.Transition.fade(.seconds(1)).frames(from: bitmap(10), to: bitmap(20))
    let expected = try CrossFade(from: bitmap(10), to: bitmap(20))
    for progress in [0, 0.25, 0.5, 0.9, 1] {
      #expect(try fade.bitmap(at: progress) == expected.bitmap(at: progress))
    }
    let none = try ImageSlot.Transition.none.frames(from: bitmap(10), to: bitmap(20))
    for progress in [0, 0.5, 1] { #expect(try none.bitmap(at: progress) == bitmap(20)) }
  }

  @Test("effects are compared by their names")
  func names() {
    let other = TransitionEffect(name: "wipe") { _, new, _ in new }
    #expect(other == Self.wipe && other != .fade && Set([other, Self.wipe, .fade]).count == 2)
    #expect(ImageSlot.Transition.effect(other, .seconds(1)) == .effect(Self.wipe, .seconds(1)))
  }

  @Test("errors of the function have types")
  func errors() throws {
    func frame(_ error: any Error) throws -> Bitmap {
      try TransitionEffect(name: "bad") { _, _, _ in throw error }.frames(from: nil, to: bitmap(1)).bitmap(
        at: 0.5)
    }
    #expect(throws: ImagingError.outOfMemory(byteCount: 3)) {
      try frame(ImagingError.outOfMemory(byteCount: 3))
    }
    #expect(throws: ImagingError.cancelled) { try frame(CancellationError()) }
    #expect(throws: ImagingError.transformFailed(name: "bad", reason: "Refused()")) { try frame(Refused()) }
  }
}
