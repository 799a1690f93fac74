@testable import CalotypeImaging
import Testing

@Suite struct GradientTests {
  typealias Pictures = ResamplePictures
  typealias Ramp = Transforms.Ramp

  private static let ramps = [
    Ramp(), Ramp(degrees: 90), Ramp(degrees: 180, start: 0.25), Ramp(degrees: 270, stop: 0.5),
    Ramp(degrees: 33, start: 0.2, stop: 0.8), Ramp(degrees: -100, start: -1, stop: 3),
    Ramp(start: 0.4, stop: 0.4),
    Ramp(degrees: 725.5, start: 0.9, stop: 0.1),
  ]

  @Test(arguments: ramps) func agreesWithDoubles(_ ramp: Ramp) throws {
    for (width, height, opaque) in [
      (1, 1, true), (7, 5, true), (301, 3, true), (7, 9, false), (300, 2, false),
    ] {
      let source = try Pictures.noise(width, height, opaque: opaque, seed: 3)
      for (color, opacity) in [
        (PixelColor(red: 200, green: 10, blue: 90), 1.0),
        (PixelColor(red: 9, green: 255, blue: 0, alpha: 128), 0.7),
      ] {
        let result = try Transforms.Gradient(color: color, opacity: opacity, ramp: ramp).apply(to: source)
        #expect(result.isOpaque == opaque)
        let before = Pictures.bytes(source)
        var expected: [Double] = []
        for index in 0..<(width * height) {
          let share = RampReference.share(ramp, index % width, index / width, width, height)
          let above = share * opacity * Double(color.alpha) / 255
          let below = Double(before[4 * index + 3]) / 255 * (1 - above)
          for (channel, value) in [color.red, color.green, color.blue].enumerated() {
            expected.append(Double(before[4 * index + channel]) * below + Double(value) * above)
          }
          expected.append(255 * (above + below))
        }
        // Straight colours are rounded, and alpha once more.
        #expect(RasterSteps.largestDifference(result, expected) <= (opaque ? 0.501 : 1.001), "\(ramp)")
      }
    }
  }

  @Test func directionsAreThoseOfTheClock() throws {
    let white = try Pictures.make(9, 9) { _, _ in [255, 255, 255, 255] }
    // The darkest edge, by its middle.
    for (degrees, x, y) in [(0.0, 4, 8), (90, 0, 4), (180, 4, 0), (270, 8, 4), (360, 4, 8), (45, 0, 8)] {
      let result = try ImageTransform.gradient(degrees: degrees).step.apply(to: white)
      let darkest = Pictures.bytes(result).enumerated().filter { $0.offset % 4 == 0 }.map(\.element).min()
      #expect(RasterSteps.pixel(result, x, y)[0] == darkest, "\(degrees)")
      #expect(RasterSteps.pixel(result, 8 - x, 8 - y)[0] > 200, "\(degrees)")
    }
  }

  @Test func nothingToDoReturnsTheBitmap() throws {
    let source = try Pictures.noise(5, 4, opaque: false)
    #expect(RasterSteps.isSame(try Transforms.Gradient(opacity: 0).apply(to: source), source))
    #expect(RasterSteps.isSame(try Transforms.Gradient(color: .clear).apply(to: source), source))
    let later = try Transforms.Gradient(ramp: Ramp(start: 1, stop: 2)).apply(to: source)
    #expect(Pictures.premultiplied(Pictures.bytes(later)) == Pictures.premultiplied(Pictures.bytes(source)))
  }

  @Test func spellingAndNonsense() throws {
    let parse = Transforms.Gradient.init(_:) as RasterSteps.Parser<Transforms.Gradient>
    try StepSpelling.expectRoundTrip(Transforms.Gradient(), "gradient:000000", parse)
    try StepSpelling.expectRoundTrip(
      Transforms.Gradient(color: .white, opacity: 0.5, ramp: Ramp(degrees: 90, start: 0.25, stop: 0.75)),
      "gradient:ffffff,opacity=0.5,degrees=90,start=0.25,stop=0.75", parse)
    #expect(
      try RasterSteps.parsed("gradient:f00,0.5,left,0,0.5", parse)
        == Transforms.Gradient(
          color: PixelColor(red: 255, green: 0, blue: 0), opacity: 0.5, ramp: Ramp(degrees: 90, stop: 0.5)))
    StepSpelling.expectRefused(
      [
        "gradient", "gradient:red", "gradient:f00,2", "gradient:f00,1,north", "gradient:f00,1,nan",
        "gradient:f00,start=101", "gradient:f00,1,0,0,1,1",
      ], name: "gradient", parse)
    for step in [
      Transforms.Gradient(opacity: .nan), Transforms.Gradient(opacity: -0.1),
      Transforms.Gradient(ramp: Ramp(degrees: .infinity)), Transforms.Gradient(ramp: Ramp(start: .nan)),
      Transforms.Gradient(ramp: Ramp(stop: 1e9)),
    ] {
      try StepSpelling.expectRefused(step, name: "gradient")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.Gradient(), try Pictures.noise(3, 3)) == .cancelled)
  }
}
