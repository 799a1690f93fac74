import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import Testing

/// The operations of plans: their order, and their numbers.
@Suite("Operations")
struct OperationTests {
  private func region(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelOperation {
    .crop(PixelRegion(x: x, y: y, width: width, height: height))
  }

  private func scale(_ width: Int, _ height: Int) -> PixelOperation {
    .scale(ScaleOperation(to: Samples.size(width, height)))
  }

  private func canvas(_ width: Int, _ height: Int, at x: Int, _ y: Int) -> PixelOperation {
    .canvas(CanvasOperation(size: Samples.size(width, height), origin: PixelPoint(x: x, y: y)))
  }

  @Test func comeInTheOrderOfImgproxy() throws {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(10, 10))
    // Written backwards: the order in a URL is of no account.
    let text = "wm:1:soea/bg:fff/pd:2/ex:1/pix:4/sh:1/bl:2/fl:1/rot:90/rs:fill:20:30/c:100:80/t:10"
    let plan = try Samples.plan(text, policy: policy)
    let names = plan.operations.map { String("\($0)".prefix { $0 != "(" }) }
    #expect(
      names == [
        "trim", "crop", "scale", "rotate", "flip", "crop", "blur", "sharpen", "pixelate", "canvas", "flatten",
        "watermark",
      ])
    #expect(plan.sizes.count == plan.operations.count)
    #expect(plan.sizes.last == plan.resultSize)
    #expect(plan.resultSize == Samples.size(24, 34))
  }

  @Test func nothingIsDoneWithoutOptions() throws {
    let plan = try Samples.plan("")
    #expect(plan.operations.isEmpty)
    #expect(plan.resultSize == Samples.size(200, 100))
    #expect(plan.isExact)
  }

  @Test(arguments: [
    ("c:50:40:nowe", [0, 0]), ("c:50:40:soea", [150, 60]), ("c:50:40:soea:5:0.1", [145, 50]),
    ("c:50:40:ce", [76, 30]), ("c:50:40:fp:0.25:0.5", [25, 30]), ("c:50:40/g:no", [76, 0]),
    ("c:50:40:ea/g:no", [150, 30]),
    // Offsets in pixels of a crop are those of the source.
    ("c:50:40:nowe:10:10/dpr:2/el:1", [10, 10]),
  ])
  func cropsLieWhereTheirGravitySays(_ text: String, _ origin: [Int]) throws {
    let plan = try Samples.plan(text)
    #expect(plan.operations.first == region(origin[0], origin[1], 50, 40))
  }

  /// All operations keep the named part of the result.
  @Test(arguments: [
    // The lower right corner of a picture turned clockwise is its upper right corner before.
    ("rot:90/c:40:50:soea", [150, 0, 50, 40]), ("rot:180/c:50:40:soea", [0, 0, 50, 40]),
    ("rot:270/c:40:50:soea", [0, 60, 50, 40]), ("fl:1/c:50:40:soea", [0, 60, 50, 40]),
    ("fl:0:1/c:50:40:soea", [150, 0, 50, 40]), ("rot:90/c:40:50:noea", [0, 0, 50, 40]),
    ("rot:90/c:40:50:soea:10:5", [145, 10, 50, 40]), ("rot:90/c:40:50:fp:1:0", [0, 0, 50, 40]),
  ])
  func gravitiesAreThoseOfTheResult(_ text: String, _ numbers: [Int]) throws {
    let plan = try Samples.plan(text)
    #expect(plan.operations.first == region(numbers[0], numbers[1], numbers[2], numbers[3]))
  }

  @Test func cutsUseTheRatioInEffect() throws {
    // A ratio of 2 is not reached without enlarging.
    #expect(
      try Samples.plan("rs:fill:100:26/g:no:0:5/dpr:0.5").operations == [scale(50, 25), region(0, 2, 50, 13)])
    #expect(
      try Samples.plan("rs:fill:100:26/g:no:0:5").operations == [scale(100, 50), region(0, 5, 100, 26)])
    #expect(
      try Samples.plan("rs:fill:100:26/g:no:0:0.1").operations == [scale(100, 50), region(0, 5, 100, 26)])
    let plan = try Samples.plan("rs:fill:100:26/g:no:0:5/dpr:3")
    #expect(plan.operations == [region(0, 10, 200, 52)])
  }

  @Test func extensionsAndPaddingsAreCanvases() throws {
    #expect(
      try Samples.plan("w:100/h:100/ex:1:so:0:10/pd:1:2:3:4/f:png").operations == [
        scale(100, 50), canvas(100, 100, at: 0, 40), canvas(106, 104, at: 4, 1),
      ])
    #expect(
      try Samples.plan("w:100/h:100/exar:1:noea/f:png").operations == [
        scale(100, 50), canvas(100, 100, at: 0, 0),
      ])
    // White lies beneath a picture whose format has no transparency.
    #expect(
      try Samples.plan("pd:1/f:jpg").operations == [
        canvas(202, 102, at: 1, 1), .flatten(RGBColor(red: 255, green: 255, blue: 255), alpha: 1),
      ])
  }

  @Test func opaquePicturesAreNotFlattened() throws {
    #expect(try Samples.plan("bg:f00/f:jpg").operations.isEmpty)
    var info = ImageInfo(format: .png, size: Samples.size(200, 100))
    info.hasAlpha = true
    let red = RGBColor(red: 255, green: 0, blue: 0)
    #expect(try Samples.plan("bg:f00/f:jpg", of: info).operations == [.flatten(red, alpha: 1)])
    #expect(
      try Samples.plan("bg:f00/bga:0.5/f:jpg", of: info).operations == [
        .flatten(red, alpha: 0.5), .flatten(RGBColor(red: 255, green: 255, blue: 255), alpha: 1),
      ])
  }

  @Test func smartGravitiesReadPixels() throws {
    #expect(try Samples.plan("c:50:40:sm").operations == [.smartCrop(Samples.size(50, 40))])
    #expect(
      try Samples.plan("rs:fill:50:50/g:sm").operations == [scale(100, 50), .smartCrop(Samples.size(50, 50))])
    let objects = try Samples.plan("rs:fill:50:50/g:obj:face")
    #expect(objects.operations.last == .smartCrop(Samples.size(50, 50)))
    #expect(objects.notices == [.objectsBecameSmart])
    #expect(try Samples.plan("c:50:40:obj:face").notices == [.objectsBecameSmart])
  }

  @Test func trimsArePlannedAgain() throws {
    let first = try Samples.plan("t:10/w:50")
    #expect(first.pendingTrim == 0)
    #expect(!first.isExact)
    let second = try Samples.plan("t:10/w:50", trimmedTo: [Samples.size(100, 80)])
    #expect(second.isExact)
    #expect(second.operations.first == first.operations.first)
    #expect(second.sizes.first == Samples.size(100, 80))
    #expect(second.resultSize == Samples.size(50, 40))
    // A size that no trim can have is cut to one.
    #expect(try Samples.plan("t:10", trimmedTo: [Samples.size(0, 900)]).resultSize == Samples.size(1, 100))
  }

  @Test(arguments: Orientation.allCases) func trimsAreThoseOfTheStoredPicture(_ orientation: Orientation)
    throws
  {
    let info = ImageInfo(format: .jpeg, size: Samples.size(200, 100), orientation: orientation)
    guard case .trim(let trim)? = try Samples.plan("t:10::1:0", of: info).operations.first else {
      Issue.record("no trim")
      return
    }
    #expect(trim.corner == orientation)
    #expect(trim.isEqualHorizontally == (orientation.rawValue < 5))
    #expect(trim.isEqualVertically == (orientation.rawValue > 4))
    // Without orientation the picture is as it is stored.
    guard case .trim(let stored)? = try Samples.plan("t:10::1:0/ar:0", of: info).operations.first else {
      return
    }
    #expect(stored.corner == .topLeft && stored.isEqualHorizontally)
  }

  @Test func animationsAreNotTrimmed() throws {
    var info = ImageInfo(format: .gif, size: Samples.size(200, 100), frameCount: 10)
    let plan = try Samples.plan("t:10/maf:5", of: info)
    #expect(plan.operations.isEmpty)
    #expect(plan.decode.frames == 5)
    #expect(plan.notices == [.animationNotTrimmed])
    // One frame is a still picture.
    #expect(try Samples.plan("t:10", of: info).decode.frames == nil)
    #expect(try Samples.plan("t:10/maf:5/da:1", of: info).decode.frames == nil)
    info.frameCount = 1
    #expect(try Samples.plan("maf:5", of: info).decode.frames == nil)
  }

  @Test func stagesBeginWithTheResultBefore() throws {
    let plan = try Samples.plan("c:100:100/-/w:50/pd:5/-/rot:90/w:30/f:png")
    #expect(
      plan.operations == [
        region(50, 0, 100, 100), scale(50, 50), canvas(60, 60, at: 5, 5), scale(30, 30),
        .rotate(quarterTurns: 1),
      ])
  }

  @Test func blurredAreasFollowThePicture() throws {
    // The left quarter of the source.
    let plan = try Samples.plan("ba:3:0:0:0.25:1/w:100/rot:90")
    #expect(
      plan.operations == [
        .rotate(quarterTurns: 1),
        .blurAreas([PixelRegion(x: 0, y: 0, width: 100, height: 50)], sigma: 3),
      ])
    let small = try Samples.plan("ba:3:0:0.5:0.5:0.5/w:100/fl:1")
    #expect(
      small.operations == [
        scale(100, 50), .flip(horizontally: true, vertically: false),
        .blurAreas([PixelRegion(x: 50, y: 25, width: 50, height: 25)], sigma: 3),
      ])
    let cut = try Samples.plan("ba:3:0:0:0.5:1/c:50:50:ea")
    #expect(cut.operations == [region(150, 26, 50, 50)])
    let smart = try Samples.plan("ba:3:0:0:0.5:1/c:100:50:sm/w:50")
    #expect(
      smart.operations.first == .blurAreas([PixelRegion(x: 0, y: 0, width: 100, height: 100)], sigma: 6))
  }

  @Test func colorsHaveDefaults() throws {
    let black = RGBColor(red: 0, green: 0, blue: 0)
    let gray = RGBColor(red: 0xb3, green: 0xb3, blue: 0xb3)
    #expect(try Samples.plan("mc:0.5").operations == [.monochrome(intensity: 0.5, color: gray)])
    #expect(
      try Samples.plan("gr:0.5::left:0.2").operations == [
        .gradient(opacity: 0.5, color: black, RampOperation(degrees: 90, start: 0.2, stop: 1))
      ])
    #expect(try Samples.plan("mc:0/dt:0/col:0/gr:0/a:0:1:1/bl:0/sh:0/pix:1").operations.isEmpty)
  }

  @Test func unsharpMasksDependOnTheScale() throws {
    let mask = PixelOperation.unsharpMask(weight: 1, divider: 24)
    #expect(try Samples.plan("w:100/ush:auto").operations == [scale(100, 50), mask])
    #expect(try Samples.plan("w:100/ush:auto/sh:1").operations == [scale(100, 50), .sharpen(sigma: 1)])
    #expect(try Samples.plan("w:100/ush:always/sh:1").operations.suffix(2) == [.sharpen(sigma: 1), mask])
    #expect(try Samples.plan("ush:auto").operations.isEmpty)
    #expect(try Samples.plan("w:100/ush:none").operations == [scale(100, 50)])
    var policy = PlanningPolicy()
    #expect(try Samples.plan("w:100", policy: policy).operations == [scale(100, 50)])
    policy.unsharpMasking = .init(mode: .auto, weight: 2)
    #expect(
      try Samples.plan("w:100", policy: policy).operations.last == .unsharpMask(weight: 2, divider: 24))
    #expect(try Samples.plan("w:100/ush:none", policy: policy).operations == [scale(100, 50)])
  }

  @Test func deviationsHaveALimit() throws {
    #expect(try Samples.plan("bl:5000").operations == [.blur(sigma: 1000)])
    #expect(
      try Samples.plan("pbl:5000").operations == [
        .progressiveBlur(sigma: 1000, RampOperation(degrees: 0, start: 0, stop: 1))
      ])
    #expect(try Samples.plan("pix:5000").operations == [.pixelate(side: 200)])
  }

  @Test func drawingsAreDrawnAtTheirSize() throws {
    var info = ImageInfo(format: .svg, size: Samples.size(200, 100), hasAlpha: true)
    info.isVector = true
    let large = try Samples.plan("w:1000/f:png", of: info)
    #expect(large.decode.drawnSize == Samples.size(1000, 500))
    #expect(large.operations.isEmpty)
    let part = try Samples.plan("c:100:50:soea:10:0/w:1000/f:png", of: info)
    #expect(part.decode.drawnSize == Samples.size(2000, 1000))
    #expect(part.operations == [region(900, 500, 1000, 500)])
    info.size = Samples.size(20_000, 10_000)
    let huge = try Samples.plan("f:png", of: info)
    #expect(huge.decode.drawnSize == Samples.size(10_000, 5_000))
    #expect(huge.notices == [.drawnSmaller])
  }

  @Test(arguments: [
    ("rs:fit:100:100", 8), ("rs:fit:300:300", 2), ("rs:fit:700:700", 1), ("c:400:400/w:100", 4),
    ("c:0:0/t:10/w:10", 1), ("w:100/sh:1", 8),
  ])
  func decodersMayShrink(_ text: String, _ divisor: Int) throws {
    let info = ImageInfo(format: .jpeg, size: Samples.size(1000, 800))
    #expect(try Samples.plan(text, of: info).decode.divisor == divisor)
    var policy = PlanningPolicy()
    policy.disablesShrinkingDecoders = true
    #expect(try Samples.plan(text, of: info, policy: policy).decode.divisor == 1)
  }
}
