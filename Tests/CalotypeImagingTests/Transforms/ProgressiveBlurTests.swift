@testable import CalotypeImaging
import Testing

@Suite struct ProgressiveBlurTests {
  typealias Pictures = ResamplePictures
  typealias Ramp = Transforms.Ramp

  /// A column of a wide step edge has the variance of the blur: the sum of squared distances, weighed by the slope.
  @Test func variancesGrowAlongTheDirection() throws {
    let (width, height) = (241, 64)
    let edge = try Pictures.make(width, height) { x, _ in x < 120 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
    let sigma = 16.0
    let result = try Transforms.ProgressiveBlur(sigma: sigma).apply(to: edge)
    for y in stride(from: 7, to: height, by: 8) {
      var variance = 0.0
      for x in 1..<width {
        let slope =
          Double(RasterSteps.pixel(result, x, y)[0]) - Double(RasterSteps.pixel(result, x - 1, y)[0])
        // The edge is between columns 119 and 120.
        variance += slope / 255 * (Double(x) - 120) * (Double(x) - 120)
      }
      let expected = sigma * (Double(y) + 0.5) / Double(height)
      #expect(abs(variance.squareRoot() - expected) <= 0.06 * expected + 0.1, "row \(y)")
    }
  }

  @Test(arguments: [true, false]) func endsAreThePictureAndItsBlur(_ opaque: Bool) throws {
    let source = try Pictures.noise(37, 90, opaque: opaque, seed: 5)
    let result = try Transforms.ProgressiveBlur(sigma: 5, ramp: Ramp(start: 0.3, stop: 0.6)).apply(to: source)
    let blurred = try Transforms.GaussianBlur(sigma: 5).apply(to: source)
    #expect(result.isOpaque == opaque)
    for x in 0..<37 {
      for y in 0..<27 { #expect(RasterSteps.pixel(result, x, y) == RasterSteps.pixel(source, x, y)) }
      for y in 54..<90 { #expect(RasterSteps.pixel(result, x, y) == RasterSteps.pixel(blurred, x, y)) }
    }
  }

  @Test func directionsAreAlike() throws {
    let source = try Pictures.noise(40, 40, seed: 6)
    let down = try Transforms.ProgressiveBlur(sigma: 6).apply(to: source)
    let flipped = try Transforms.Flip(.vertical).apply(to: source)
    let up = try Transforms.ProgressiveBlur(sigma: 6, ramp: Ramp(degrees: 180)).apply(to: flipped)
    #expect(try Transforms.Flip(.vertical).apply(to: up) == down)
    let turned = try Transforms.Rotate(degrees: 270).apply(to: source)
    // Down becomes left by a turn clockwise.
    let left = try Transforms.ProgressiveBlur(sigma: 6, ramp: Ramp(degrees: 90)).apply(to: turned)
    let back = try Transforms.Rotate(degrees: 90).apply(to: left)
    #expect(Pictures.largestDifference(Pictures.bytes(back), Pictures.bytes(down)) <= 1)
  }

  @Test func transparentPixelsHaveNoColour() throws {
    let source = try Pictures.make(8, 32, opaque: false) { x, _ in x < 4 ? [255, 0, 0, 0] : [0, 0, 255, 255] }
    let result = try Transforms.ProgressiveBlur(sigma: 3).apply(to: source)
    for y in 0..<32 {
      for x in 0..<8 {
        let pixel = RasterSteps.pixel(result, x, y)
        #expect(pixel[3] == 0 || (pixel[0] == 0 && pixel[2] == 255), "\(x), \(y)")
      }
    }
  }

  @Test func nothingToDoReturnsTheBitmap() throws {
    let source = try Pictures.noise(9, 9)
    for step in [
      Transforms.ProgressiveBlur(sigma: 0),
      Transforms.ProgressiveBlur(sigma: 4, ramp: Ramp(start: 1, stop: 2)),
    ] {
      #expect(RasterSteps.isSame(try step.apply(to: source), source))
    }
    let dot = try Pictures.noise(1, 1)
    #expect(try ImageTransform.progressiveBlur(sigma: 40).step.apply(to: dot) == dot)
  }

  @Test func spellingAndNonsense() throws {
    let parse = Transforms.ProgressiveBlur.init(_:) as RasterSteps.Parser<Transforms.ProgressiveBlur>
    try StepSpelling.expectRoundTrip(Transforms.ProgressiveBlur(sigma: 2), "progressiveblur:2", parse)
    try StepSpelling.expectRoundTrip(
      Transforms.ProgressiveBlur(sigma: 2.5, ramp: Ramp(degrees: 30, start: 0.5, stop: 2)),
      "progressiveblur:2.5,degrees=30,start=0.5,stop=2", parse)
    StepSpelling.expectRefused(
      ["progressiveblur", "progressiveblur:-1", "progressiveblur:1,x", "progressiveblur:1,0,0,1,1"],
      name: "progressiveblur", parse)
    for step in [
      Transforms.ProgressiveBlur(sigma: .nan), Transforms.ProgressiveBlur(sigma: 1001),
      Transforms.ProgressiveBlur(sigma: 1, ramp: Ramp(stop: .nan)),
    ] {
      try StepSpelling.expectRefused(step, name: "progressiveblur")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(
      await RasterSteps.cancelled(Transforms.ProgressiveBlur(sigma: 2), try Pictures.noise(9, 9))
        == .cancelled)
  }
}
