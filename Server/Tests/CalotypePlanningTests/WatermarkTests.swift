import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import Testing

/// Watermarks: their sizes and places.
@Suite("Watermarks")
struct WatermarkTests {
  private func watermark(_ text: String, size: PixelSize = Samples.size(20, 10)) throws -> WatermarkOperation?
  {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: size)
    policy.watermarkOpacity = 0.5
    guard case .watermark(let operation)? = try Samples.plan(text, policy: policy).operations.last else {
      return nil
    }
    return operation
  }

  @Test(arguments: [
    ("wm:1", [20, 10, 90, 46]), ("wm:1:soea:5:5", [20, 10, 175, 85]), ("wm:1:nowe:-30:0", [20, 10, -19, 0]),
    ("wm:1:so:0:0.1", [20, 10, 90, 80]), ("wm:1:ce:0:0:0.5", [100, 50, 50, 26]),
    ("wm:1:ce/wms:40:0", [40, 20, 80, 40]),
    // The ratio in effect multiplies offsets, and not the watermark itself.
    ("wm:1:nowe:4:4/dpr:0.5", [20, 10, 2, 2]),
  ])
  func singleOnes(_ text: String, _ numbers: [Int]) throws {
    let operation = try #require(try watermark(text))
    #expect(operation.size == Samples.size(numbers[0], numbers[1]))
    #expect(operation.placement == .single(PixelPoint(x: numbers[2], y: numbers[3])))
    #expect(operation.opacity == 0.5)
  }

  @Test func tilesAreCentred() throws {
    // Eleven copies of 20 pixels and eleven of 10 are the next odd numbers that cover 200 and 100 pixels.
    #expect(
      try watermark("wm:1:re")?.placement
        == .tiled(origin: PixelPoint(x: -10, y: -5), period: Samples.size(20, 10)))
    // Half of a gap lies on each side.
    #expect(
      try watermark("wm:1:re:10:6")?.placement
        == .tiled(origin: PixelPoint(x: 0, y: -3), period: Samples.size(30, 16)))
    #expect(
      try watermark("wm:1:ch")?.placement
        == .chessboard(origin: PixelPoint(x: -10, y: -5), period: Samples.size(20, 10)))
  }

  /// A gap that is wider than the picture is as good as one of its size: one copy is visible, at the same place.
  @Test func gapsEndWithThePicture() throws {
    for (gap, offset) in [(200, 200), (201, 201), (400, 200), (401, 201), (2_000_000_000, 200)] {
      let operation = try #require(try watermark("wm:1:re:\(gap):6"))
      // The picture has 200 pixels, and the copy 20 of them in its middle.
      #expect(
        operation.placement
          == .tiled(origin: PixelPoint(x: 90, y: -3), period: Samples.size(20 + offset, 16)), "\(gap)")
    }
  }

  @Test func canvasesOfTilesAreLimited() throws {
    func fault(_ text: String, limit: Int) throws -> PlanningError.Fault? {
      var policy = PlanningPolicy()
      policy.watermark = WatermarkImage(id: "logo", size: Samples.size(20, 10))
      policy.limits.resultPixels = limit
      do {
        _ = try Samples.plan(text, policy: policy)
        return nil
      } catch let error as PlanningError {
        return error.fault
      }
    }
    // 220 by 110 pixels, four of them for every second copy, and a shadow of 30 pixels at each side.
    #expect(try fault("wm:1:re:200:100", limit: 220 * 110) == nil)
    #expect(try fault("wm:1:re:200:100", limit: 220 * 110 - 1) == .resultTooLarge)
    #expect(try fault("wm:1:ch:200:100", limit: 4 * 220 * 110) == nil)
    #expect(try fault("wm:1:ch:200:100", limit: 4 * 220 * 110 - 1) == .resultTooLarge)
    #expect(try fault("wm:1/wmsh:10", limit: 80 * 70) == nil)
    #expect(try fault("wm:1/wmsh:10", limit: 80 * 70 - 1) == .resultTooLarge)
  }

  @Test func rotatedOnesAreLarger() throws {
    let operation = try #require(try watermark("wm:1:soea/wmr:90"))
    #expect(operation.degrees == 90)
    #expect(operation.placement == .single(PixelPoint(x: 190, y: 80)))
    #expect(try watermark("wm:1:soea/wmr:-90")?.degrees == 270)
    // The bounds of 20 by 10 pixels at 45 degrees are 21.2 pixels: 22.
    #expect(try watermark("wm:1:soea/wmr:45")?.placement == .single(PixelPoint(x: 178, y: 78)))
  }

  @Test func withoutAnImageThereIsNone() throws {
    let plan = try Samples.plan("wm:1")
    #expect(plan.operations.isEmpty)
    #expect(plan.notices == [.noWatermark])
    #expect(try watermark("wm:0") == nil)
  }

  @Test func imagesOfURLsHaveToBeKnown() throws {
    let text = "wm:1/wmu:aHR0cDovL2EvYg"
    let error = #expect(throws: PlanningError.self) { _ = try Samples.plan(text) }
    #expect(error?.fault == .unknownWatermark)
    #expect(error?.status == 500)
    // The watermark of the server does not stand in for it.
    #expect(throws: PlanningError.self) { try self.watermark(text) }
    let mark = WatermarkImage(id: "other", size: Samples.size(4, 4))
    let plan = try Samples.plan(text, watermarks: [.url("http://a/b"): mark])
    #expect(plan.watermarks == ["other"])
    #expect(throws: PlanningError.self) { try Samples.plan(text, watermarks: [.text("http://a/b"): mark]) }
    // Without opacity nothing is drawn.
    #expect(try Samples.plan("wm:0/wmu:aHR0cDovL2EvYg").operations.isEmpty)
  }

  /// Stages of a chain have watermarks of their own: text takes the place of a URL.
  @Test func stagesHaveTheirOwnImages() throws {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(20, 10))
    let marks: [OwnWatermark: WatermarkImage] = [
      .url("http://a/b"): WatermarkImage(id: "image", size: Samples.size(4, 4)),
      .text("Hi"): WatermarkImage(id: "text", size: Samples.size(8, 4)),
    ]
    let plan = try Samples.plan(
      "wm:1/wmu:aHR0cDovL2EvYg/-/wm:1/-/wm:1/wmu:aHR0cDovL2EvYg/wmt:SGk", policy: policy, watermarks: marks)
    let names = plan.operations.compactMap { operation -> String? in
      if case .watermark(let mark) = operation { mark.id } else { nil }
    }
    #expect(names == ["image", "logo", "text"])
  }

  /// The pixels of a watermark that is not decoded yet are part of the work, once.
  @Test func decodingIsPartOfTheCost() throws {
    let text = "wm:1/wmu:aHR0cDovL2EvYg/-/wm:1/wmu:aHR0cDovL2EvYg"
    var mark = WatermarkImage(id: "other", size: Samples.size(4, 4))
    let before = try Samples.plan(text, watermarks: [.url("http://a/b"): mark]).cost
    mark.decoding = PredictedCost(milliseconds: 30, byteCount: 1_000_000)
    let after = try Samples.plan(text, watermarks: [.url("http://a/b"): mark]).cost
    #expect(abs(after.milliseconds - before.milliseconds - 30) < 0.001)
    #expect(after.byteCount - before.byteCount == 1_000_000)
  }
}
