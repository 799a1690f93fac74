import CalotypeImaging
import CalotypePlanning
import Testing

/// Predicted costs: more work costs more.
@Suite("Costs")
struct CostTests {
  private func cost(_ text: String, _ width: Int = 2000, _ height: Int = 1500, format: ImageFormat = .jpeg)
    throws
    -> PredictedCost
  {
    try Samples.plan(text, of: ImageInfo(format: format, size: Samples.size(width, height))).cost
  }

  @Test(arguments: [
    ("w:100", "w:1000"), ("w:1000", "w:1000/bl:3"), ("w:1000", "w:1000/f:webp"),
    ("rs:fill:500:500", "rs:fill:500:500/g:sm"), ("w:500", "w:2000/el:1/z:2"),
    ("w:500/f:jpg", "w:500/f:jpg/mb:1000"),
  ])
  func moreWorkTakesLonger(_ less: String, _ more: String) throws {
    #expect(try cost(less).milliseconds < cost(more).milliseconds)
  }

  @Test func sourcesCount() throws {
    #expect(try cost("w:100", 1000, 1000).milliseconds < cost("w:100", 5000, 5000).milliseconds)
    #expect(try cost("w:100", format: .jpeg).milliseconds < cost("w:100", format: .png).milliseconds)
    // A picture that is rendered as it is has to be held at least once.
    #expect(try cost("f:png").byteCount >= 4 * 2000 * 1500)
    #expect(try cost("w:100").byteCount < cost("f:png").byteCount)
  }

  @Test func framesCount() throws {
    let info = ImageInfo(format: .gif, size: Samples.size(500, 500), frameCount: 50)
    let (few, many) = (try Samples.plan("maf:2", of: info), try Samples.plan("maf:50", of: info))
    #expect(many.cost.milliseconds > 10 * few.cost.milliseconds)
  }

  @Test func canvasesOfWatermarksCount() throws {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(200, 200))
    let info = ImageInfo(format: .jpeg, size: Samples.size(1000, 1000))
    func cost(_ text: String) throws -> PredictedCost {
      try Samples.plan(text, of: info, policy: policy).cost
    }
    let (one, tiles, shadow) = (try cost("wm:1"), try cost("wm:1:ch:1000:1000"), try cost("wm:1/wmsh:300"))
    // Every second copy of 1,200 pixels: 2,400 by 2,400 of them.
    #expect(tiles.byteCount >= one.byteCount + 4 * 2400 * 2400)
    #expect(tiles.milliseconds > 2 * one.milliseconds)
    #expect(shadow.milliseconds > one.milliseconds + 15 * 2000 * 2000 / 1e6)
    #expect(shadow.byteCount >= one.byteCount + 4 * 2000 * 2000 - 4 * 200 * 200)
  }

  /// A mosaic makes whole tiles: of 1,000 pixels, 2 by 501.
  @Test func wholeTilesOfMosaicsCount() throws {
    let info = ImageInfo(format: .jpeg, size: Samples.size(1000, 1000))
    let (even, odd) = (try Samples.plan("pix:500", of: info), try Samples.plan("pix:501", of: info))
    #expect(odd.cost.byteCount >= 4 * (1000 * 1000 + 1002 * 1002))
    #expect(odd.cost.milliseconds > even.cost.milliseconds)
    let tall = ImageInfo(format: .jpeg, size: Samples.size(10, 60_000))
    #expect(try Samples.plan("pix:60000", of: tall).cost.byteCount < 60_000 * 10 * 64)
  }

  @Test func decodersScaleOnTheirWay() throws {
    var policy = PlanningPolicy()
    let info = ImageInfo(format: .jpeg, size: Samples.size(2000, 1500))
    policy.costs.scale = 1e9
    #expect(try Samples.plan("w:100", of: info, policy: policy).cost.milliseconds < 1e6)
    #expect(try Samples.plan("rot:90/w:100/-/w:50", of: info, policy: policy).cost.milliseconds > 1e6)
    #expect(try Samples.plan("w:3000/el:1", of: info, policy: policy).cost.milliseconds > 1e6)
  }
}
