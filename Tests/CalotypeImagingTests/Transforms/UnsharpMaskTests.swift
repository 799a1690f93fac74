@testable import CalotypeImaging
import Testing

@Suite struct UnsharpMaskTests {
  typealias Pictures = ResamplePictures

  /// The sum over the eight neighbours, at the edges those of the repeated picture.
  private static func reference(_ source: Bitmap, factor: Double) -> [Double] {
    let (width, height) = (source.width, source.height)
    let bytes = Pictures.bytes(source).map(Double.init)
    var result = bytes
    for y in 0..<height {
      for x in 0..<width where bytes[4 * (y * width + x) + 3] > 0 {
        for channel in 0..<3 {
          let center = bytes[4 * (y * width + x) + channel]
          var sum = 0.0
          for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            let at = 4 * (min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1))
            sum += (center - bytes[at + channel]) * bytes[at + 3] / 255
          }
          result[4 * (y * width + x) + channel] = min(max(center + factor * sum, 0), 255)
        }
      }
    }
    return result
  }

  @Test(arguments: [true, false], [(1.0, 24.0), (0.5, 10), (3, 1), (1000, 0.001)])
  func addsTheDifferences(_ opaque: Bool, _ numbers: (Double, Double)) throws {
    for (width, height) in [(1, 1), (1, 7), (2, 2), (7, 1), (3, 3), (41, 33)] {
      let source = try Pictures.noise(width, height, opaque: opaque, seed: 11)
      let step = Transforms.UnsharpMask(weight: numbers.0, divider: numbers.1)
      let result = try step.apply(to: source)
      #expect(result.isOpaque == opaque)
      let expected = Self.reference(source, factor: numbers.0 / numbers.1)
      let largest = zip(Pictures.bytes(result), expected).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
      // Single precision is exact to a thousandth of a level.
      #expect(largest <= 0.502, "\(width) by \(height)")
    }
  }

  @Test func knownNumbers() throws {
    // A step of 48 levels: three neighbours differ, and 3 · 48 / 24 = 6.
    let source = try Pictures.make(4, 3) { x, _ in x < 2 ? [100, 100, 100, 255] : [148, 148, 148, 255] }
    let result = try ImageTransform.unsharpMask().step.apply(to: source)
    for y in 0..<3 {
      #expect((0..<4).map { RasterSteps.pixel(result, $0, y)[0] } == [100, 94, 154, 148])
    }
  }

  @Test func spellingAndNonsense() throws {
    let parse = Transforms.UnsharpMask.init(_:) as RasterSteps.Parser<Transforms.UnsharpMask>
    try StepSpelling.expectRoundTrip(Transforms.UnsharpMask(), "unsharp:1,divider=24", parse)
    try StepSpelling.expectRoundTrip(
      Transforms.UnsharpMask(weight: 0.5, divider: 10.5), "unsharp:0.5,divider=10.5", parse)
    #expect(try RasterSteps.parsed("unsharp", parse) == Transforms.UnsharpMask())
    StepSpelling.expectRefused(
      ["unsharp:-1", "unsharp:1,0", "unsharp:1,1,1", "unsharp:1,divider=nan"], name: "unsharp", parse)
    for step in [
      Transforms.UnsharpMask(weight: .nan), Transforms.UnsharpMask(weight: 1001),
      Transforms.UnsharpMask(divider: 0), Transforms.UnsharpMask(divider: .infinity),
    ] {
      try StepSpelling.expectRefused(step, name: "unsharp")
    }
    let source = try Pictures.noise(4, 4)
    #expect(RasterSteps.isSame(try Transforms.UnsharpMask(weight: 0).apply(to: source), source))
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.UnsharpMask(), try Pictures.noise(3, 3)) == .cancelled)
  }
}
