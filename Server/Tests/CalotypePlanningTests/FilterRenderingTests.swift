import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials
import Testing

/// The filters of plans, carried out on small images.
@Suite("Filter rendering")
struct FilterRenderingTests {
  /// Decodes and transforms an image by a plan without a trim; nothing similar may stand in for its operations.
  private func render(
    _ text: String, of data: Data, policy: PlanningPolicy = PlanningPolicy(),
    watermarks: [String: Bitmap] = [:]
  ) throws -> Bitmap {
    let info = try CoderRegistry.standard.probe(data)
    let plan = try Samples.plan(text, of: info, policy: policy)
    let rendering = try plan.rendering(of: info, watermarks: watermarks)
    #expect(rendering.approximations.isEmpty, "\(text)")
    let bitmap = try CoderRegistry.standard.decode(data, options: rendering.decode).bitmap
    #expect(bitmap.size == plan.resultSize, "\(text)")
    return bitmap
  }

  private static func flat(_ width: Int, _ height: Int, _ pixel: [UInt8]) throws -> Data {
    try Pictures.png(Pictures.picture(width, height) { _, _ in pixel })
  }

  @Test func gradientsGrow() throws {
    let data = try Self.flat(4, 10, [255, 255, 255, 255])
    let down = try render("gr:1", of: data)
    // The share at the centre of row y is (y + 0.5) / 10.
    #expect((0..<10).map { down.pixel(2, $0)[0] } == [242, 217, 191, 166, 140, 115, 89, 64, 38, 13])
    let up = try render("gr:0.5:ff0000:up:0.5:1", of: data)
    #expect((0..<10).map { up.pixel(0, $0)[1] } == [140, 166, 191, 217, 242, 255, 255, 255, 255, 255])
    #expect(up.pixel(0, 0)[0] == 255)
    let left = try render("gr:1:000:90", of: data)
    #expect((0..<4).map { left.pixel($0, 5)[2] } == [32, 96, 159, 223])
  }

  /// Where a picture is narrower than a square, the tile is as wide as the picture.
  @Test func tilesOfMosaicsEndWithThePicture() throws {
    let edge = try Pictures.picture(7, 60) { x, _ in x < 6 ? [0, 0, 0, 255] : [210, 210, 210, 255] }
    let result = try render("pix:60", of: Pictures.png(edge))
    #expect((0..<7).allSatisfy { result.pixel($0, 30) == [30, 30, 30, 255] })
  }

  @Test func areasAreBlurred() throws {
    let edge = try Pictures.picture(40, 20) { x, _ in x < 20 ? [0, 0, 0, 255] : [200, 200, 200, 255] }
    let result = try render("ba:2:0:0:1:0.5", of: Pictures.png(edge))
    #expect(result.pixel(19, 15) == [0, 0, 0, 255])
    #expect(result.pixel(20, 15) == [200, 200, 200, 255])
    #expect((60..<100).contains(result.pixel(19, 5)[0]))
    #expect((100..<140).contains(result.pixel(20, 5)[0]))
    let blurred = try TransformChain([.blur(sigma: 2)]).apply(to: edge)
    #expect((0..<40).allSatisfy { result.pixel($0, 3) == blurred.pixel($0, 3) })
  }

  @Test func blursGrow() throws {
    let edge = try Pictures.picture(40, 30) { x, _ in x < 20 ? [0, 0, 0, 255] : [200, 200, 200, 255] }
    let result = try render("pbl:4:down:0.5:1", of: Pictures.png(edge))
    #expect(result.pixel(19, 10) == [0, 0, 0, 255])
    let column = (15..<30).map { Int(result.pixel(17, $0)[0]) }
    #expect(column == column.sorted() && column[14] > 30)
  }

  @Test func translucentColoursLieBeneath() throws {
    let data = try Self.flat(3, 3, [10, 20, 30, 0])
    #expect(try render("bg:ff0000/bga:0.5/f:png", of: data).pixel(1, 1) == [255, 0, 0, 128])
    #expect(try render("bg:ff0000/bga:1/f:png", of: data).pixel(1, 1) == [255, 0, 0, 255])
    let padded = try render("pd:1/bg:00ff00/bga:0.2/f:png", of: Self.flat(1, 1, [1, 2, 3, 255]))
    #expect(padded.pixel(0, 0) == [0, 255, 0, 51])
    #expect(padded.pixel(1, 1) == [1, 2, 3, 255])
  }

  @Test func edgesAreSharpened() throws {
    let edge = try Pictures.picture(8, 3) { x, _ in x < 4 ? [100, 100, 100, 255] : [148, 148, 148, 255] }
    let mask = try render("ush:always:1:24", of: Pictures.png(edge))
    #expect((0..<8).map { mask.pixel($0, 1)[0] } == [100, 100, 100, 94, 154, 148, 148, 148])
    let sharp = try render("sh:1/ush:none", of: Pictures.png(edge))
    #expect(sharp.pixel(0, 1)[0] == 100 && sharp.pixel(3, 1)[0] < 95 && sharp.pixel(4, 1)[0] > 155)
    #expect(try render("sh:1000/ush:none", of: Pictures.png(edge)).size == edge.size)
  }

  @Test func kernelsAreThoseOfThePlan() throws {
    let data = try Pictures.png(
      Pictures.picture(64, 64) { x, y in [UInt8(x * y % 256), UInt8(x * 4), 9, 255] })
    let two = try render("ra:lanczos2/w:23/ush:none", of: data)
    let three = try render("ra:lanczos3/w:23/ush:none", of: data)
    #expect(two.samples != three.samples)
  }

  @Test(arguments: [
    ("t:10", 20, 12), ("t:10:ffffff", 20, 12), ("t:10::1", 30, 12), ("t:10::0:1", 20, 24),
    ("t:10::1:1", 30, 24),
    ("t:10:000000", 60, 40), ("t:254.5", 20, 12),
  ])
  func bordersAreTrimmedExactly(_ text: String, _ width: Int, _ height: Int) throws {
    // Margins of 15 and 25 columns, of 8 and 20 rows.
    let data = try Pictures.png(
      Pictures.picture(60, 40) { x, y in
        (15..<35).contains(x) && (8..<20).contains(y) ? [0, 0, 0, 255] : [255, 255, 255, 255]
      })
    let info = try CoderRegistry.standard.probe(data)
    let plan = try Samples.plan(text, of: info)
    let rendering = try plan.rendering(of: info)
    #expect(rendering.approximations.isEmpty)
    let bitmap = try CoderRegistry.standard.decode(data, options: rendering.decode).bitmap
    #expect(bitmap.size == Samples.size(width, height))
  }

  @Test func transparentBordersAreMagenta() throws {
    let data = try Pictures.png(
      Pictures.picture(9, 9) { x, y in
        x == 4 && y == 4 ? [255, 0, 255, 255] : x == 3 ? [0, 0, 0, 255] : [1, 2, 3, 0]
      })
    let info = try CoderRegistry.standard.probe(data)
    for text in ["t:10:ff00ff", "t:10"] {
      let rendering = try Samples.plan(text, of: info).rendering(of: info)
      #expect(
        try CoderRegistry.standard.decode(data, options: rendering.decode).bitmap.size == Samples.size(1, 9))
    }
  }

  @Test func shadowsLieBeneathWatermarks() throws {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(8, 8))
    let logo = try Pictures.picture(8, 8) { _, _ in [200, 100, 50, 255] }
    let data = try Self.flat(60, 60, [255, 255, 255, 255])
    func drawn(_ text: String) throws -> Bitmap {
      try render(text, of: data, policy: policy, watermarks: ["logo": logo])
    }
    let plain = try drawn("wm:1:ce")
    let shadow = try drawn("wm:1:ce/wmsh:3")
    for y in 0..<60 {
      for x in 0..<60 {
        let isInside = (26..<34).contains(x) && (26..<34).contains(y)
        #expect(plain.pixel(x, y) == (isInside ? [200, 100, 50, 255] : [255, 255, 255, 255]))
        if isInside { #expect(shadow.pixel(x, y) == [200, 100, 50, 255]) }
      }
    }
    #expect(shadow.pixel(25, 30)[0] < 170 && shadow.pixel(34, 30)[0] == shadow.pixel(25, 30)[0])
    #expect(shadow.pixel(30, 25)[0] == shadow.pixel(30, 34)[0])
    #expect(shadow.pixel(5, 5) == [255, 255, 255, 255])
    let tiles = try drawn("wm:1:re:12:12/wmsh:2")
    let marks = try drawn("wm:1:re:12:12")
    let places = (0..<3600).filter { marks.pixel($0 % 60, $0 / 60)[0] == 200 }
    #expect(!places.isEmpty && places.allSatisfy { tiles.pixel($0 % 60, $0 / 60) == [200, 100, 50, 255] })
    // The gap has the same shade on both sides of a mark.
    let first = try #require(places.first { $0 % 60 > 2 && marks.pixel($0 % 60 - 1, $0 / 60)[0] == 255 })
    let (x, y) = (first % 60, first / 60 + 4)
    #expect(tiles.pixel(x - 1, y)[0] < 200 && tiles.pixel(x - 1, y) == tiles.pixel(x + 8, y))
  }
}
