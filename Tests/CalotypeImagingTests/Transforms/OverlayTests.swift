@testable import CalotypeImaging
import Testing

@Suite struct OverlayTests {
  typealias Pictures = ResamplePictures

  /// Source-over in double precision at the pixels for which `index` gives one of the overlay: colours weighed by
  /// alpha, 0 to 255.
  private static func reference(
    _ bitmap: Bitmap, _ overlay: Bitmap, opacity: Double, index: (Int, Int) -> (Int, Int)?
  ) -> [Double] {
    func weighed(_ pixel: [UInt8]) -> [Double] {
      (0..<4).map { $0 == 3 ? Double(pixel[3]) : Double(pixel[$0]) * Double(pixel[3]) / 255 }
    }
    var result: [Double] = []
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let below = weighed(RasterSteps.pixel(bitmap, x, y))
        guard let (column, row) = index(x, y) else {
          result += below
          continue
        }
        let above = weighed(RasterSteps.pixel(overlay, column, row)).map { $0 * opacity }
        result += (0..<4).map { above[$0] + below[$0] * (1 - above[3] / 255) }
      }
    }
    return result
  }

  @Test func liesAtItsAnchor() throws {
    let ground = try RasterSteps.picture("KKKK/KKKK/KKKK")
    let image = try RasterSteps.picture("RG/B.")
    func laid(_ anchor: Anchor, _ x: Int = 0, _ y: Int = 0) throws -> String {
      let result = try Transforms.Overlay(image, id: "i", anchor: anchor, x: x, y: y).apply(to: ground)
      #expect(result.isOpaque)
      return result.letters
    }
    #expect(try laid(.topLeft) == "RGKK/BKKK/KKKK")
    #expect(try laid(.center) == "KRGK/KBKK/KKKK")
    #expect(try laid(.bottomRight) == "KKKK/KKRG/KKBK")
    #expect(try laid(.bottomRight, 1, 1) == "KKKK/KKKK/KKKR")
    #expect(try laid(.topLeft, -1, 2) == "KKKK/KKKK/GKKK")
    #expect(try laid(.focus(x: 0.75, y: 1)) == "KKKK/KKRG/KKBK")
  }

  @Test func tilesCoverEverything() throws {
    let ground = try RasterSteps.picture("KKKKK/KKKKK/KKKKK/KKKKK")
    let image = try RasterSteps.picture("RG")
    func tiled(_ gap: Int, _ x: Int = 0, _ y: Int = 0, _ anchor: Anchor = .topLeft) throws -> String {
      try Transforms.Overlay(image, id: "i", anchor: anchor, x: x, y: y, tileGap: gap).apply(to: ground)
        .letters
    }
    #expect(try tiled(0) == "RGRGR/RGRGR/RGRGR/RGRGR")
    #expect(try tiled(1) == "RGKRG/KKKKK/RGKRG/KKKKK")
    #expect(try tiled(1, 1, 1) == "KKKKK/KRGKR/KKKKK/KRGKR")
    #expect(try tiled(1, -7, -101) == "KKKKK/GKRGK/KKKKK/GKRGK")
    #expect(try tiled(100, 0, 0, .bottomRight) == "KKKKK/KKKKK/KKKKK/KKKRG")
  }

  @Test(arguments: [true, false], [1.0, 0.5, 0.3, 0.01])
  func agreesWithDoublePrecision(opaque: Bool, opacity: Double) throws {
    var generator = Pictures.SplitMix(state: 21)
    for round in 0..<12 {
      func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
      let ground = try Pictures.noise(random(1...40), random(1...40), opaque: opaque, seed: UInt64(round))
      let image = try Pictures.noise(random(1...30), random(1...30), opaque: round % 3 == 0, seed: 77)
      let gap = round % 2 == 0 ? nil : random(0...5)
      let (x, y) = (random(-40...40), random(-40...40))
      let step = Transforms.Overlay(
        image, id: "i", anchor: .topLeft, x: x, y: y, opacity: opacity, tileGap: gap)
      let result = try step.apply(to: ground)
      let expected = Self.reference(ground, image, opacity: opacity) { column, row in
        var (i, j) = (column - x, row - y)
        if let gap {
          i = ((i % (image.width + gap)) + image.width + gap) % (image.width + gap)
          j = ((j % (image.height + gap)) + image.height + gap) % (image.height + gap)
        }
        return 0..<image.width ~= i && 0..<image.height ~= j ? (i, j) : nil
      }
      // Half a level for a colour, half for the alpha that it is weighed by, and the steps of opacity.
      #expect(RasterSteps.largestDifference(result, expected) <= 1.05, "\(step.identity)")
      #expect(result.isOpaque == opaque)
    }
  }

  @Test func opaqueGroundsAreRoundedToNearest() throws {
    let ground = try Pictures.make(256, 256) { x, y in [UInt8(x), UInt8(y), 0, 255] }
    let image = try Pictures.make(256, 256, opaque: false) { x, y in
      [UInt8(y), 255, UInt8(x), UInt8((x * 7 + y) % 256)]
    }
    let result = try Transforms.Overlay(image, id: "i").apply(to: ground)
    let expected = Self.reference(ground, image, opacity: 1) { ($0, $1) }
    #expect(RasterSteps.largestDifference(result, expected) <= 0.5000001)
  }

  @Test func isScaledByThePicturesWidth() throws {
    let ground = try Pictures.make(100, 60) { _, _ in [0, 0, 0, 255] }
    let image = try Pictures.noise(40, 20, opaque: false)
    let result = try Transforms.Overlay(image, id: "i", anchor: .topLeft, scale: 0.2).apply(to: ground)
    let small = try image.resampled(to: PixelSize(width: 20, height: 10))
    #expect(result == (try Transforms.Overlay(small, id: "i", anchor: .topLeft).apply(to: ground)))
    // Never less than a pixel.
    let dot = try Transforms.Overlay(try RasterSteps.picture("WW"), id: "i", anchor: .topLeft, scale: 1e-9)
      .apply(
        to: ground)
    #expect(RasterSteps.pixel(dot, 0, 0) == [255, 255, 255, 255])
    #expect(RasterSteps.pixel(dot, 1, 0) == [0, 0, 0, 255])
  }

  @Test func nothingToSeeIsTheSamePicture() throws {
    let ground = try Pictures.noise(9, 9)
    let image = try Pictures.noise(3, 3)
    let far = Int(Int32.max)
    for step in [
      Transforms.Overlay(image, id: "i", opacity: 0),
      Transforms.Overlay(image, id: "i", anchor: .topLeft, x: 9),
      Transforms.Overlay(image, id: "i", anchor: .topLeft, y: -3),
      Transforms.Overlay(image, id: "i", x: far, y: -far),
    ] {
      #expect(RasterSteps.isSame(try step.apply(to: ground), ground))
    }
  }

  @Test func textAndNonsense() throws {
    let image = try Pictures.noise(4, 3)
    let parser: RasterSteps.Parser<Transforms.Overlay> = { (arguments) throws(ImagingError) in
      try Transforms.Overlay(&arguments, image: image, id: "logo-1")
    }
    let steps = [
      Transforms.Overlay(image, id: "logo-1"),
      Transforms.Overlay(image, id: "logo-1", anchor: .bottomRight, x: -10, y: 5),
      Transforms.Overlay(image, id: "logo-1", opacity: 0.25, scale: 0.2),
      Transforms.Overlay(image, id: "logo-1", tileGap: 0),
      Transforms.Overlay(image, id: "logo-1", anchor: .focus(x: 0.1, y: 0.9), tileGap: 7),
    ]
    for step in steps { #expect(try RasterSteps.readsBack(step, parser), "\(step.identity)") }
    #expect(Set(steps.map(\.identity)).count == steps.count)
    #expect(Set(steps).count == steps.count)
    #expect(steps[1].identity == "overlay:id=logo-1,size=4x3,anchor=bottomRight,x=-10,y=5")
    #expect(ImageTransform.overlay(image, id: "a/b.png").identity == "overlay:id=a/b.png,size=4x3")
    #expect(
      Transforms.Overlay(image, id: "i") != Transforms.Overlay(try Pictures.noise(4, 3, seed: 2), id: "i"))
    for text in [
      "overlay:id=other", "overlay:size=3x4", "overlay:opacity=2", "overlay:scale=0", "overlay:tile=-1",
      "overlay:anchor=entropy", "overlay:x=1.5", "overlay:angle=3",
    ] {
      #expect(RasterSteps.invalid { try RasterSteps.parsed(text, parser) } == "overlay", "\(text)")
    }
    let ground = try Pictures.noise(5, 5)
    for step in [
      Transforms.Overlay(image, id: ""), Transforms.Overlay(image, id: "a,b"),
      Transforms.Overlay(image, id: "a=b"), Transforms.Overlay(image, id: "ü"),
      Transforms.Overlay(image, id: "i", anchor: .attention), Transforms.Overlay(image, id: "i", x: .max),
      Transforms.Overlay(image, id: "i", y: .min),
      Transforms.Overlay(image, id: "i", opacity: -0.1), Transforms.Overlay(image, id: "i", opacity: .nan),
      Transforms.Overlay(image, id: "i", scale: -1), Transforms.Overlay(image, id: "i", scale: .infinity),
      Transforms.Overlay(image, id: "i", scale: 1e300), Transforms.Overlay(image, id: "i", scale: 5000),
      Transforms.Overlay(image, id: "i", tileGap: .max),
    ] {
      #expect(RasterSteps.invalid { try step.apply(to: ground) } == "overlay", "\(step.identity)")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let step = Transforms.Overlay(try Pictures.noise(3, 3), id: "i", tileGap: 1)
    #expect(await RasterSteps.cancelled(step, try Pictures.noise(9, 9)) == .cancelled)
  }
}
