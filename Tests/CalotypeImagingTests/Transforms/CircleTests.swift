@testable import CalotypeImaging
import Testing

@Suite struct CircleTests {
  typealias Pictures = ResamplePictures

  @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 3), (15, 10), (20, 31), (24, 24)])
  func isTheInscribedCircleOfTheMiddle(width: Int, height: Int) throws {
    let source = try Pictures.noise(width, height, opaque: false)
    let side = min(width, height)
    let square = try Pictures.make(side, side, opaque: false) { x, y in
      RasterSteps.pixel(source, x + (width - side) / 2, y + (height - side) / 2)
    }
    let radii = [Double](repeating: Double(side) / 2, count: 4)
    let result = try Transforms.Circle().apply(to: source)
    #expect(result.size == square.size)
    #expect(
      RasterSteps.largestDifference(result, RoundedCornersTests.reference(square, radii: radii)) <= 2)
    let framed = try Transforms.Circle(borderWidth: 1.5, borderColor: .white).apply(to: source)
    let expected = RoundedCornersTests.reference(square, radii: radii, border: 1.5, color: .white)
    #expect(RasterSteps.largestDifference(framed, expected) <= 2)
  }

  @Test func textAndNonsense() throws {
    let color = PixelColor(red: 1, green: 2, blue: 3, alpha: 4)
    for step in [
      Transforms.Circle(), Transforms.Circle(borderWidth: 2.5),
      Transforms.Circle(borderWidth: 1, borderColor: color),
      Transforms.Circle(borderColor: color),
    ] {
      #expect(try RasterSteps.readsBack(step, Transforms.Circle.init), "\(step.identity)")
    }
    #expect(Transforms.Circle().identity == "circle")
    #expect(
      ImageTransform.circle(borderWidth: 2, borderColor: .white).identity == "circle:border=2,color=ffffff")
    for text in ["circle:border=-1", "circle:border=nan", "circle:5x", "circle:radius=3"] {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Circle.init) } == "circle", "\(text)")
    }
    let source = try Pictures.noise(3, 3)
    for width in [-1, Double.nan, .infinity] {
      #expect(RasterSteps.invalid { try Transforms.Circle(borderWidth: width).apply(to: source) } == "circle")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.Circle(), try Pictures.noise(9, 9)) == .cancelled)
  }
}
