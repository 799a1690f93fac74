import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials
import Glibc
import Testing
import Tracing

@testable import CalotypeServing

/// The work on pixels: pages, frames and trims.
@Suite("Pixel work")
struct PixelWorkTests {
  private let coders = CoderRegistry.standard

  private func outcome(
    _ text: String, of data: Data, _ change: (inout PlanningPolicy) -> Void = { _ in }
  ) throws -> PixelWork.Outcome {
    var policy = PlanningPolicy()
    change(&policy)
    let planner = Planner(policy)
    let options = try ImgproxyDialect(ImgproxyDialect.Configuration())
      .parse(path: text + "/plain/http://a/b").options
    let request = PlanRequest(options, of: try coders.probe(data), byteCount: data.count)
    guard case .render(let plan) = try planner.plan(request) else { throw NotRendered() }
    return try PixelWork(
      data: data, request: request, plan: plan, planner: planner, coders: coders,
      watermarks: LoadedWatermarks(server: [:], library: nil),
      spans: StageSpans(tracer: NoOpTracer())
    ).outcome()
  }

  private struct NotRendered: Error {}

  /// An animation of 5 frames whose red is ten times their number.
  private func animation() throws -> Data {
    try coders.encode(
      AnimationSource(frameCount: 5, loopCount: 0) { index throws(ImagingError) in
        AnimationSource.Frame(
          bitmap: try Bitmap(
            rgb: (0..<40 * 30).flatMap { _ in [UInt8(10 * index), 0, 0] }, width: 40, height: 30),
          duration: .milliseconds(100))
      }, as: .gif)
  }

  private func red(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> UInt8 {
    bitmap.withUnsafeBytes { $0[y * bitmap.bytesPerRow + 4 * x] }
  }

  @Test func animationsHaveTheFramesOfTheirPlan() throws {
    let outcome = try outcome("w:20/f:gif", of: try animation()) { $0.limits.animationFrames = 3 }
    let info = try coders.probe(outcome.data)
    #expect(info.frameCount == 3 && info.size == PixelSize(width: 20, height: 15))
    #expect(outcome.size == info.size)
  }

  @Test func framesArePages() throws {
    let data = try animation()
    let one = try coders.decode(try outcome("pg:3/f:png", of: data).data).bitmap
    #expect(one.size == PixelSize(width: 40, height: 30) && red(one, 0, 0) == 30)
    let stack = try coders.decode(try outcome("pg:1/pgs:3/f:png", of: data).data).bitmap
    #expect(stack.size == PixelSize(width: 40, height: 90))
    #expect([5, 35, 65].map { red(stack, 0, $0) } == [10, 20, 30])
    let last = try coders.decode(try outcome("pg:4/pgs:3/w:20/f:png", of: data).data).bitmap
    #expect(last.size == PixelSize(width: 20, height: 15) && red(last, 9, 9) == 40)
  }

  /// The plan before a trim scales to the largest icon; after it there is nothing to scale.
  @Test func plansAfterTrimsDecide() throws {
    var pixels = [UInt8](repeating: 255, count: 600 * 400 * 3)
    for y in 100..<110 { for x in 100..<130 { pixels[3 * (y * 600 + x)] = 0 } }
    let data = try coders.encode(Image(bitmap: Bitmap(rgb: pixels, width: 600, height: 400)), as: .png)
    let outcome = try outcome("t:10/f:ico", of: data)
    #expect(outcome.size == PixelSize(width: 30, height: 10))
    #expect(outcome.plan.notices.isEmpty && outcome.plan.isExact)
    #expect(try coders.probe(outcome.data).size == outcome.size)
    guard coders.encodableFormats.contains(.avif) else { return }
    // AVIF cannot be so small.
    let small = try self.outcome("t:10/f:avif", of: data)
    #expect(small.plan.encode.format == .jpeg && small.plan.notices.contains(.tooSmallForAVIF))
    #expect(try coders.probe(small.data).format == .jpeg)
  }
}
