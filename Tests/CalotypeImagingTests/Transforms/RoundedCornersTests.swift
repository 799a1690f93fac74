@testable import CalotypeImaging
import Testing

@Suite struct RoundedCornersTests {
  typealias Pictures = ResamplePictures

  /// Whether a point is in a rectangle with corners rounded by circles, clockwise from the upper left.
  private static func holds(_ x: Double, _ y: Double, _ box: [Double], _ radii: [Double]) -> Bool {
    guard box[0] <= x, x <= box[2], box[1] <= y, y <= box[3] else { return false }
    let corners = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]
    for (corner, radius) in zip(corners, radii) {
      let centre = (
        corner.0 == box[0] ? corner.0 + radius : corner.0 - radius,
        corner.1 == box[1] ? corner.1 + radius : corner.1 - radius
      )
      let isCorner = (x < centre.0) == (corner.0 == box[0]) && (y < centre.1) == (corner.1 == box[1])
      let (dx, dy) = (x - centre.0, y - centre.1)
      if isCorner, dx * dx + dy * dy > radius * radius { return false }
    }
    return true
  }

  /// The picture by 64×64 samples a pixel: colours weighed by alpha, 0 to 255.
  static func reference(
    _ bitmap: Bitmap, radii: [Double], border: Double = 0, color: PixelColor = .black
  ) -> [Double] {
    let (width, height) = (Double(bitmap.width), Double(bitmap.height))
    let inner = radii.map { max(0, $0 - border) }
    let opacity = Double(color.alpha) / 255
    let paint = [color.red, color.green, color.blue].map { Double($0) * opacity } + [255 * opacity]
    var result: [Double] = []
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width {
        var counts = (inner: 0.0, ring: 0.0)
        for sample in 0..<4096 {
          let x = Double(column) + (Double(sample % 64) + 0.5) / 64
          let y = Double(row) + (Double(sample / 64) + 0.5) / 64
          if holds(x, y, [border, border, width - border, height - border], inner) {
            counts.inner += 1 / 4096
          } else if holds(x, y, [0, 0, width, height], radii) {
            counts.ring += 1 / 4096
          }
        }
        let pixel = RasterSteps.pixel(bitmap, column, row).map { Double($0) }
        for channel in 0..<4 {
          let own = pixel[channel] * (channel == 3 ? 1 : pixel[3] / 255)
          result.append(own * (counts.inner + counts.ring * (1 - opacity)) + paint[channel] * counts.ring)
        }
      }
    }
    return result
  }

  @Test func agreesWithManySamples() throws {
    let cases: [(Int, Int, [Double])] = [
      (24, 20, [8, 8, 8, 8]), (24, 20, [0, 3.5, 7.25, 10]), (20, 24, [10, 10, 10, 10]),
      (9, 9, [4.5, 4.5, 4.5, 4.5]),
      (1, 1, [0.5, 0.5, 0.5, 0.5]), (1, 12, [0.5, 0.5, 0.25, 0]), (12, 1, [0.3, 0.5, 0.5, 0.5]),
      (2, 2, [1, 1, 1, 1]),
      (30, 4, [2, 2, 2, 2]), (25, 25, [25, 0, 0, 0]), (16, 16, [0.75, 1.5, 2.25, 13.75]),
    ]
    for (index, (width, height, radii)) in cases.enumerated() {
      for opaque in [true, false] {
        let source = try Pictures.noise(width, height, opaque: opaque, seed: UInt64(index))
        for (border, color) in [
          (0.0, PixelColor.black), (2, .white), (1.5, PixelColor(red: 250, green: 40, blue: 7, alpha: 130)),
          (0.25, .black), (40, .white),
        ] {
          let step = Transforms.RoundedCorners(
            topLeft: .pixels(radii[0]), topRight: .pixels(radii[1]), bottomRight: .pixels(radii[2]),
            bottomLeft: .pixels(radii[3]), borderWidth: border, borderColor: color)
          let result = try step.apply(to: source)
          let expected = Self.reference(source, radii: radii, border: border, color: color)
          #expect(RasterSteps.largestDifference(result, expected) <= 2, "\(width)×\(height) \(step.identity)")
          #expect(!result.isOpaque)
        }
      }
    }
  }

  @Test func alphaOfAKnownCorner() throws {
    // A circle of radius 1 in a square of 2: a pixel holds a quarter of it, π/4 of its area.
    let source = try Pictures.make(2, 2) { _, _ in [9, 99, 199, 255] }
    let result = Pictures.bytes(try Transforms.RoundedCorners(1).apply(to: source))
    #expect(result == [9, 99, 199, 200, 9, 99, 199, 200, 9, 99, 199, 200, 9, 99, 199, 200])
  }

  @Test func radiiThatOverlapShrinkTogether() throws {
    let size = PixelSize(width: 100, height: 40)
    #expect(Transforms.RoundedCorners(50).radii(in: size) == [20, 20, 20, 20])
    #expect(Transforms.RoundedCorners(.percent(25)).radii(in: size) == [10, 10, 10, 10])
    // The left side asks for 80 of 40 pixels: all halve, also at the right.
    let uneven = Transforms.RoundedCorners(topLeft: 60, topRight: 10, bottomRight: 0, bottomLeft: 20)
    #expect(uneven.radii(in: size) == [30, 5, 0, 10])
    let absurd = Transforms.RoundedCorners(.percent(1e300)).radii(in: size)
    #expect(absurd.allSatisfy { abs($0 - 20) < 1e-9 })
  }

  @Test func whatIsNotAtTheEdgeStays() throws {
    let source = try Pictures.noise(60, 50, opaque: false)
    let result = try Transforms.RoundedCorners(10, borderWidth: 2).apply(to: source)
    for y in 0..<50 {
      for x in 0..<60 where (2..<58 ~= x && 10..<40 ~= y) || (10..<50 ~= x && 2..<48 ~= y) {
        #expect(RasterSteps.pixel(result, x, y) == RasterSteps.pixel(source, x, y))
      }
    }
    #expect(RasterSteps.pixel(result, 0, 0) == [0, 0, 0, 0])
    #expect(RasterSteps.pixel(result, 30, 1) == [0, 0, 0, 255])
  }

  @Test func aBorderAloneKeepsThePictureOpaque() throws {
    let source = try RasterSteps.picture("RRRR/RRRR/RRRR/RRRR")
    let framed = try Transforms.RoundedCorners(0, borderWidth: 1, borderColor: .white).apply(to: source)
    #expect(framed.letters == "WWWW/WRRW/WRRW/WWWW")
    #expect(framed.isOpaque)
    #expect(RasterSteps.isSame(try Transforms.RoundedCorners(0).apply(to: source), source))
    #expect(RasterSteps.isSame(try Transforms.RoundedCorners(.percent(0)).apply(to: source), source))
  }

  @Test func largePicturesAgreeWithTheFormulaOfTheCircle() throws {
    let source = try Pictures.make(3000, 2000) { _, _ in [255, 255, 255, 255] }
    let result = Pictures.bytes(try Transforms.RoundedCorners(1000).apply(to: source))
    var sum = 0
    for index in stride(from: 3, to: result.count, by: 4) { sum += Int(result[index]) }
    let area = 3000.0 * 2000 - (4 - .pi) * 1e6
    #expect(abs(Double(sum) / 255 - area) < 20)
  }

  @Test func textAndNonsense() throws {
    let steps = [
      Transforms.RoundedCorners(12),
      Transforms.RoundedCorners(.percent(25), borderWidth: 2, borderColor: .white),
      Transforms.RoundedCorners(12.5),
      Transforms.RoundedCorners(topLeft: 1, topRight: .percent(2), bottomRight: 3.5, bottomLeft: 0),
      Transforms.RoundedCorners(0),
      Transforms.RoundedCorners(1, borderColor: PixelColor(red: 1, green: 2, blue: 3, alpha: 4)),
      Transforms.RoundedCorners(topLeft: 12),
    ]
    for step in steps {
      #expect(try RasterSteps.readsBack(step, Transforms.RoundedCorners.init), "\(step.identity)")
    }
    #expect(Set(steps.map(\.identity)).count == steps.count)
    #expect(steps[1].identity == "round:25%,border=2,color=ffffff")
    #expect(
      try RasterSteps.parsed("round:4,topLeft=0", Transforms.RoundedCorners.init).radii(
        in: PixelSize(width: 9, height: 9))
        == [0, 4, 4, 4])
    #expect(ImageTransform.roundedCorners(4).identity == "round:4")
    #expect(
      ImageTransform.roundedCorners(topLeft: 4).identity
        == "round:topLeft=4,topRight=0,bottomRight=0,bottomLeft=0")
    for text in [
      "round", "round:border=2", "round:-1", "round:nan", "round:5%%", "round:%", "round:4,border=-1",
      "round:4,border=inf",
      "round:4,2,white,1", "round:4,color=x", "round:1e999",
    ] {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.RoundedCorners.init) } == "round",
        "\(text)")
    }
    let source = try Pictures.noise(3, 3)
    for step in [
      Transforms.RoundedCorners(-1), Transforms.RoundedCorners(.pixels(.nan)),
      Transforms.RoundedCorners(.percent(.infinity)),
      Transforms.RoundedCorners(1, borderWidth: -1), Transforms.RoundedCorners(1, borderWidth: .nan),
      Transforms.RoundedCorners(bottomLeft: -0.5),
    ] {
      #expect(RasterSteps.invalid { try step.apply(to: source) } == "round", "\(step.identity)")
    }
    #expect(try Transforms.RoundedCorners(1e300, borderWidth: 1e300).apply(to: source).size == source.size)
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.RoundedCorners(3), try Pictures.noise(9, 9)) == .cancelled)
  }
}
