import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials
import Testing

/// Plans that are carried out, on real images.
@Suite("Rendering")
struct RenderingTests {
  /// Decodes and transforms an image by a plan, as often as its trims demand, and returns the pixels.
  private func render(
    _ text: String, of data: Data, policy: PlanningPolicy = PlanningPolicy(),
    watermarks: [String: Bitmap] = [:]
  ) throws -> Bitmap {
    let coders = CoderRegistry.standard
    let info = try coders.probe(data)
    var plan = try Samples.plan(text, of: info, policy: policy)
    let rendering = try plan.rendering(of: info, watermarks: watermarks)
    var bitmap = try coders.decode(data, options: rendering.decode).bitmap
    var trims: [PixelSize] = []
    while let position = plan.pendingTrim {
      trims.append(bitmap.size)
      plan = try Samples.plan(text, of: info, policy: policy, trimmedTo: trims)
      bitmap = try plan.transforms(from: position + 1, watermarks: watermarks).apply(to: bitmap)
    }
    #expect(bitmap.size == plan.resultSize, "\(text)")
    return bitmap
  }

  @Test(arguments: [
    ("ce", 76, 38), ("no", 76, 0), ("so", 76, 74), ("we", 0, 38), ("ea", 150, 38), ("nowe", 0, 0),
    ("noea", 150, 0), ("sowe", 0, 74), ("soea", 150, 74), ("ce:10:-10", 86, 28), ("soea:0.1:0.1", 130, 64),
    ("we:-5:0", 0, 38), ("no:0:2.5", 76, 2), ("no:0:3.5", 76, 4), ("fp:0:0", 0, 0), ("fp:0.5:0.5", 75, 37),
    ("fp:1:1", 150, 74),
  ])
  func cropsShowTheirPlace(_ gravity: String, _ x: Int, _ y: Int) throws {
    let data = try Pictures.png(Pictures.places(200, 100))
    let bitmap = try render("c:50:26:\(gravity)", of: data)
    #expect(bitmap.size == Samples.size(50, 26))
    #expect(bitmap.pixel(0, 0) == [UInt8(x), UInt8(y), 0, 255])
    #expect(bitmap.pixel(49, 25) == [UInt8(x + 49), UInt8(y + 25), 0, 255])
  }

  @Test(arguments: [
    ("ce", 26, 12), ("no", 26, 0), ("so", 26, 24), ("we", 0, 12), ("ea", 50, 12), ("nowe", 0, 0),
    ("soea:5:5", 45, 19), ("fp:0:1", 0, 24),
  ])
  func extensionsShowTheirPlace(_ gravity: String, _ x: Int, _ y: Int) throws {
    let data = try Pictures.png(Pictures.picture(50, 26) { _, _ in [9, 9, 9, 255] })
    let bitmap = try render("w:100/h:50/ex:1:\(gravity)/f:png", of: data)
    #expect(bitmap.size == Samples.size(100, 50))
    let first = bitmap.samples.enumerated().first { $0.offset % 4 == 3 && $0.element == 255 }
    #expect(first.map { $0.offset / 4 } == y * 100 + x)
    #expect(bitmap.samples.count { $0 == 255 } == 50 * 26)
  }

  /// The decoder scales, and the canvas is that of the scaled picture.
  @Test(arguments: ["w:50/h:50/ex:1", "w:50/h:50/ex:1:no", "w:50/pd:13:0:12:0", "w:40/h:60/exar:1"])
  func scaledPicturesAreExtended(_ text: String) throws {
    let data = try Pictures.png(Pictures.picture(200, 100) { _, _ in [9, 9, 9, 255] })
    let bitmap = try render(text + "/f:png", of: data)
    #expect(bitmap.samples.count { $0 == 255 } == (text.hasPrefix("w:40") ? 40 * 20 : 50 * 25))
  }

  /// Cutting corners from a stored picture and turning the part upright is cutting corners from the upright picture.
  @Test(arguments: 1...8) func orientationsAreUndone(_ orientation: Int) throws {
    let data = try Pictures.fixture("Corpus/jpeg/exif/f-orientation-\(orientation).jpg")
    let coders = CoderRegistry.standard
    let upright = try coders.decode(data).bitmap
    for turn in ["", "/rot:90", "/rot:180/fl:1", "/rot:270/fl:0:1"] {
      let turned = try render("f:png" + turn, of: data)
      for (gravity, x, y) in [
        ("nowe:3:5", 3, 5), ("soea:3:5", turned.width - 23, turned.height - 15),
        ("noea:3:5", turned.width - 23, 5), ("sowe:3:5", 3, turned.height - 15),
        ("fp:0:0", 0, 0), ("fp:1:1", turned.width - 20, turned.height - 10),
      ] {
        let part = try render("f:png/c:20:10:\(gravity)\(turn)", of: data)
        let expected = try TransformChain([.crop(.pixels(x: x, y: y, width: 20, height: 10))]).apply(
          to: turned)
        #expect(part.samples == expected.samples, "\(gravity)\(turn)")
      }
    }
    #expect(try render("f:png/ar:0", of: data).size == Samples.size(96, 64))
    #expect(upright.size == (orientation > 4 ? Samples.size(64, 96) : Samples.size(96, 64)))
  }

  @Test func turnsGoClockwise() throws {
    let data = try Pictures.png(Pictures.places(20, 10))
    // The lower left pixel comes to the upper left corner.
    #expect(try render("rot:90", of: data).pixel(0, 0) == [0, 9, 0, 255])
    #expect(try render("rot:270", of: data).pixel(0, 0) == [19, 0, 0, 255])
    #expect(try render("rot:90/fl:1", of: data).pixel(0, 0) == [0, 0, 0, 255])
    #expect(try render("fl:1:1", of: data).pixel(0, 0) == [19, 9, 0, 255])
  }

  @Test(arguments: [
    "w:50", "rs:force:30:20", "rs:fill:40:40", "w:300/el:1", "rs:fill:40:40/g:sm", "c:100:50/w:20", "mrd:33",
    "rs:fill:40:40/pd:3/bg:fff/bl:1/sh:1/pix:3", "w:50/a:10:1.1:0.5/mc:0.5/dt:0.5/col:0.5",
    "c:100:80:sm/w:10",
    "c:100:100/-/w:50/pd:5/-/rot:90/w:30", "w:50/ush:always", "ra:nearest/w:33", "ra:lanczos2/w:33",
  ])
  func sizesAreThoseOfThePlan(_ text: String) throws {
    let places = try Pictures.places(200, 100)
    for options in [EncodeOptions.png, .jpeg(quality: 95), .webp(quality: 90)] {
      let data = try CoderRegistry.standard.encode(Image(bitmap: places), as: options)
      _ = try render(text, of: data)
    }
  }

  @Test func decodersShrinkBeforeCrops() throws {
    let ramp = try Pictures.picture(1600, 800) { x, y in [UInt8(x / 8), UInt8(y / 8), 0, 255] }
    let data = try CoderRegistry.standard.encode(Image(bitmap: ramp), as: .jpeg(quality: 95))
    let info = try CoderRegistry.standard.probe(data)
    let plan = try Samples.plan("c:800:400:soea/w:100", of: info)
    #expect(plan.decode.divisor == 8)
    let rendering = try plan.rendering(of: info)
    #expect(rendering.decode.thumbnail?.box == Samples.size(200, 100))
    let bitmap = try render("c:800:400:soea/w:100", of: data)
    let middle = bitmap.pixel(50, 25)
    #expect(abs(Int(middle[0]) - 150) <= 3)
    #expect(abs(Int(middle[1]) - 75) <= 3)
  }

  @Test func bordersAreTrimmed() throws {
    let data = try Pictures.png(
      Pictures.picture(60, 40) { x, y in
        (10..<50).contains(x) && (5..<35).contains(y) ? [UInt8(x), UInt8(y), 0, 255] : [255, 255, 255, 255]
      })
    #expect(try render("t:10", of: data).size == Samples.size(40, 30))
    #expect(try render("t:10/w:20", of: data).size == Samples.size(20, 15))
    #expect(try render("t:10/c:10:10:nowe", of: data).pixel(0, 0) == [10, 5, 0, 255])
    #expect(try render("t:10/pd:10/bg:fff/-/t:10/w:20", of: data).size == Samples.size(20, 15))
  }

  @Test func watermarksAreDrawn() throws {
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(4, 2))
    let logo = try Pictures.picture(4, 2) { x, y in [200, UInt8(x), UInt8(y), 255] }
    let data = try Pictures.png(Pictures.picture(40, 20) { _, _ in [0, 0, 0, 255] })
    func drawn(_ text: String) throws -> Bitmap {
      try render(text, of: data, policy: policy, watermarks: ["logo": logo])
    }
    let corner = try drawn("wm:1:soea:1:2")
    #expect(corner.pixel(35, 16) == [200, 0, 0, 255])
    #expect(corner.pixel(34, 16) == [0, 0, 0, 255])
    #expect(corner.pixel(38, 17) == [200, 3, 1, 255])
    #expect(try drawn("wm:0.5:ce:0:0:0.5").pixel(20, 10)[0] == 100)
    let tiles = try drawn("wm:1:re:2:2")
    let info = ImageInfo(format: .png, size: Samples.size(40, 20))
    let plan = try Samples.plan("wm:1:re:2:2", of: info, policy: policy)
    guard case .watermark(let mark)? = plan.operations.last,
      case .tiled(let origin, let period) = mark.placement
    else {
      Issue.record("no tiles")
      return
    }
    #expect(period == Samples.size(6, 4))
    for y in 0..<20 {
      for x in 0..<40 {
        let (column, row) = ((x - origin.x + 600) % 6, (y - origin.y + 400) % 4)
        let isInside = column < 4 && row < 2
        #expect(tiles.pixel(x, y) == (isInside ? [200, UInt8(column), UInt8(row), 255] : [0, 0, 0, 255]))
      }
    }
    // Clockwise: the lower left pixel comes to the upper left corner.
    #expect(try drawn("wm:1:nowe/wmr:90").pixel(0, 0) == [200, 0, 1, 255])
    #expect(try drawn("wm:1:nowe/wmr:90").pixel(1, 3) == [200, 3, 0, 255])
    let board = try drawn("wm:1:ch")
    #expect(board.samples.count { $0 == 200 } == 40 * 20 / 2)
    #expect(throws: RenderingError.noWatermark(id: "logo")) { try render("wm:1", of: data, policy: policy) }
  }

  @Test func mosaicsHaveSquares() throws {
    let data = try Pictures.png(
      Pictures.picture(10, 7) { x, _ in x < 4 ? [100, 0, 0, 255] : [0, 0, 0, 255] })
    let bitmap = try render("pix:4", of: data)
    #expect(bitmap.pixel(0, 0) == [100, 0, 0, 255])
    #expect(bitmap.pixel(3, 6) == [100, 0, 0, 255])
    #expect(bitmap.pixel(4, 0) == [0, 0, 0, 255])
    let half = try render("pix:8", of: data)
    #expect(half.pixel(0, 0) == [50, 0, 0, 255])
    #expect(half.pixel(7, 0) == [50, 0, 0, 255])
  }

  @Test func tonesAreMixed() throws {
    let data = try Pictures.png(
      Pictures.picture(2, 1) { x, _ in x == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] })
    let tones = try render("dt:1:ff0000:0000ff", of: data)
    #expect(tones.pixel(0, 0) == [255, 0, 0, 255])
    #expect(tones.pixel(1, 0) == [0, 0, 255, 255])
    #expect(try render("mc:1:00ff00", of: data).pixel(1, 0) == [0, 255, 0, 255])
    #expect(try render("col:0.5:ff0000", of: data).pixel(0, 0) == [128, 0, 0, 255])
    #expect(try render("a:51:1:1", of: data).pixel(0, 0) == [51, 51, 51, 255])
  }

  @Test func animationsKeepTheirFrames() throws {
    let data = try Pictures.fixture("gif/loop-2.gif")
    let info = try CoderRegistry.standard.probe(data)
    try #require(info.frameCount > 1)
    let plan = try Samples.plan("w:10/maf:1000", of: info)
    #expect(plan.decode.frames == info.frameCount)
    #expect(plan.encode.format == .gif)
    let rendering = try plan.rendering(of: info)
    let animation = try AnimatedImage(data: data, options: rendering.decode)
    #expect(animation.frameCount == info.frameCount)
    #expect(try animation.frame(at: info.frameCount - 1).size == plan.resultSize)
    let still = try Samples.plan("w:10", of: info).rendering(of: info)
    #expect(still.decode.animationTransforms == .firstFrame)
  }

  @Test func pagesAreStacked() throws {
    let frames = try (0..<5).map { index in
      try Pictures.picture(6, 4) { x, y in [UInt8(50 * index), UInt8(x), UInt8(y), 255] }
    }
    let source = AnimationSource(frameCount: 5, loopCount: 0) { index throws(ImagingError) in
      .init(bitmap: frames[index], duration: .milliseconds(100))
    }
    let coders = CoderRegistry.standard
    let data = try coders.encode(source, as: EncodeOptions(format: .webp, isLossless: true))
    let info = try coders.probe(data)
    func stack(_ text: String) throws -> Bitmap {
      let plan = try Samples.plan(text, of: info)
      let rendering = try plan.rendering(of: info)
      #expect(rendering.approximations.isEmpty)
      let pages = try #require(rendering.pages)
      let bitmap = try coders.decode(data, pages: pages, options: rendering.decode).bitmap
      #expect(bitmap.size == plan.resultSize)
      return bitmap
    }
    let one = try stack("pg:3/f:png")
    #expect(one.pixel(5, 3) == [150, 5, 3, 255])
    let three = try stack("pg:1/pgs:3/f:png")
    #expect(three.size == Samples.size(6, 12))
    #expect(
      (0..<12).map { three.pixel(2, $0)[0] } == [50, 50, 50, 50, 100, 100, 100, 100, 150, 150, 150, 150])
    #expect(try stack("pgs:9/w:3/f:png").size == Samples.size(3, 10))
    #expect(try Samples.plan("f:png", of: info).rendering(of: info).pages == nil)
    let cut = try Samples.plan("maf:2", of: info).rendering(of: info)
    #expect(cut.frames == 2 && cut.approximations.isEmpty)
    let animation = try AnimatedImage(data: data, options: cut.decode).source.prefix(cut.frames ?? 1)
    let again = try AnimatedImage(data: coders.encode(animation, as: cut.encode))
    #expect(again.frameCount == 2)
  }

  @Test func limitsOfThePlannerHold() throws {
    let info = ImageInfo(format: .jpeg, size: Samples.size(20_000, 10_000))
    let plan = try Samples.plan("msr:200/w:100", of: info)
    #expect(plan.decodeOptions(for: info).limits.maxPixels == 200_000_000)
  }

  @Test func missingPrimitivesAreNamed() throws {
    let info = ImageInfo(format: .png, size: Samples.size(200, 100))
    func rendering(_ text: String) throws -> Rendering {
      try Samples.plan(text, of: info).rendering(of: info)
    }
    #expect(throws: RenderingError.missing(.colorProfile)) { try rendering("cp:cmyk") }
    #expect(try rendering("cp:srgb/dpi:72/kcr:0").approximations == [.density])
    #expect(try rendering("w:10/kcr:0").approximations.isEmpty)
  }

  @Test func encodersAreSet() throws {
    let info = ImageInfo(format: .png, size: Samples.size(200, 100))
    func encode(_ text: String) throws -> EncodeOptions { try Samples.plan(text, of: info).encode.options() }
    #expect(try encode("f:jpg/q:33/jpgo:1:1").quality == 33)
    #expect(try encode("f:jpg/q:33/jpgo:1:1").isProgressive)
    #expect(try encode("f:jpg/q:33/jpgo:1:1").subsampling == .yuv444)
    #expect(try encode("f:webp/webpo:lossless").isLossless)
    #expect(try encode("f:png/pngo:0:1").usesPalette)
    #expect(try encode("f:png/scp:0/sm:0").keeps == [.icc, .exif, .xmp])
    #expect(try encode("f:ico").format == .ico)
    #expect(try encode("f:jpg/mb:10").maxFileSize == 10)
    #expect(try !encode("f:jpg/mb:10").requiresMaxFileSize)
    #expect(try encode("f:png/pngo:1:1:16").paletteSize == 16)
    #expect(try encode("f:png/pngo:1:1:16").isInterlaced)
    #expect(try encode("f:webp/q:70/webpo:near_lossless").nearLosslessQuality == 70)
    #expect(try encode("f:webp/q:100/webpo:near_lossless").nearLosslessQuality == 99)
    #expect(try encode("f:webp/q:70/webpo:lossless").nearLosslessQuality == nil)
    #expect(try encode("f:webp/webpo:lossy:0:photo").content == .photo)
    #expect(try encode("f:png/sm:1/kcr:1").keeps == [.copyright])
    #expect(try encode("f:png/sm:1/kcr:0").keeps == [])
  }
}
