@testable import CalotypeImaging
import Testing

@Suite struct ShadowTests {
  typealias Pictures = ResamplePictures

  @Test(arguments: [true, false], [(1.5, 5), (4, 12)])
  func aBlurredSilhouetteLiesBeneath(_ opaque: Bool, _ blur: (Double, Int)) throws {
    let (sigma, margin) = blur
    let source = try Pictures.noise(9, 6, opaque: opaque, seed: 31)
    let color = PixelColor(red: 10, green: 200, blue: 30, alpha: 128)
    let result = try Transforms.Shadow(sigma: sigma, color: color).apply(to: source)
    #expect(result.size == PixelSize(width: 9 + 2 * margin, height: 6 + 2 * margin))
    let silhouette = try Pictures.make(9 + 2 * margin, 6 + 2 * margin, opaque: false) { x, y in
      let isInside = x >= margin && x < margin + 9 && y >= margin && y < margin + 6
      let alpha = isInside ? Int(RasterSteps.pixel(source, x - margin, y - margin)[3]) : 0
      return [10, 200, 30, UInt8((alpha * 128 + 127) / 255)]
    }
    var expected = GaussianBlurTests.reference(silhouette, sigma: sigma)
    for y in 0..<6 {
      for x in 0..<9 {
        let pixel = RasterSteps.pixel(source, x, y).map(Double.init)
        let first = 4 * ((y + margin) * (9 + 2 * margin) + x + margin)
        for channel in 0..<4 {
          let above = channel == 3 ? pixel[3] : pixel[channel] * pixel[3] / 255
          expected[first + channel] = above + expected[first + channel] * (1 - pixel[3] / 255)
        }
      }
    }
    #expect(GaussianBlurTests.difference(result, expected) <= 2.5)
  }

  @Test func marginsHoldAllOfTheShadow() throws {
    let dot = try Pictures.make(30, 30) { _, _ in [255, 255, 255, 255] }
    for sigma in [0.0, 0.2, 3, 10] {
      let step = Transforms.Shadow(sigma: sigma)
      let result = try step.apply(to: dot)
      #expect(step.margin == Int((3 * sigma).rounded(.up)))
      #expect(result.width == 30 + 2 * step.margin)
      if step.margin > 0 { #expect(RasterSteps.pixel(result, 0, result.height / 2)[3] <= 1) }
    }
  }

  @Test func spellingAndNonsense() throws {
    let parse = Transforms.Shadow.init(_:) as RasterSteps.Parser<Transforms.Shadow>
    try StepSpelling.expectRoundTrip(Transforms.Shadow(sigma: 2), "shadow:2,color=000000", parse)
    try StepSpelling.expectRoundTrip(
      Transforms.Shadow(sigma: 2.5, color: PixelColor(red: 1, green: 2, blue: 3, alpha: 4)),
      "shadow:2.5,color=01020304", parse)
    StepSpelling.expectRefused(
      ["shadow", "shadow:-1", "shadow:1001", "shadow:2,3", "shadow:1,000,1"], name: "shadow", parse)
    for step in [Transforms.Shadow(sigma: .nan), Transforms.Shadow(sigma: -1)] {
      try StepSpelling.expectRefused(step, name: "shadow")
    }
    #expect(Transforms.Shadow(sigma: .nan).margin >= 0)
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.Shadow(sigma: 2), try Pictures.noise(3, 3)) == .cancelled)
  }
}
