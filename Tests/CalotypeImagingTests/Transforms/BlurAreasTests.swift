@testable import CalotypeImaging
import Testing

@Suite struct BlurAreasTests {
  typealias Pictures = ResamplePictures
  typealias Area = Transforms.BlurAreas.Area

  private static let areas = [
    Area(x: 3, y: 2, width: 6, height: 5), Area(x: 7, y: 5, width: 9, height: 9),
    Area(x: -5, y: 30, width: 7, height: 4),
    Area(x: 38, y: -2, width: 100, height: 4),
  ]

  /// Which pixels lie within an area.
  private static func isInside(_ x: Int, _ y: Int, _ areas: [Area]) -> Bool {
    areas.contains { x >= $0.x && x < $0.x + $0.width && y >= $0.y && y < $0.y + $0.height }
  }

  @Test(arguments: [true, false], [0.3, 1, 2.5, 11])
  func areasShowTheBlurOfTheWholePicture(_ opaque: Bool, _ sigma: Double) throws {
    // Large enough for small areas to be blurred on their own, and small enough for the whole to be blurred.
    for (width, height) in [(400, 300), (41, 33)] {
      let source = try Pictures.noise(width, height, opaque: opaque, seed: 7)
      let blurred = try Transforms.GaussianBlur(sigma: sigma).apply(to: source)
      let result = try Transforms.BlurAreas(Self.areas, sigma: sigma).apply(to: source)
      #expect(result.isOpaque == opaque)
      var wrong = 0
      for y in 0..<height {
        for x in 0..<width {
          let expected = Self.isInside(x, y, Self.areas) ? blurred : source
          if RasterSteps.pixel(result, x, y) != RasterSteps.pixel(expected, x, y) { wrong += 1 }
        }
      }
      #expect(wrong == 0, "\(width) by \(height)")
    }
  }

  @Test func coarseBlursAreNearlyThose() throws {
    let source = try Pictures.noise(900, 400, seed: 8)
    let area = Area(x: 700, y: 301, width: 33, height: 20)
    let blurred = try Transforms.GaussianBlur(sigma: 20).apply(to: source)
    let result = try Transforms.BlurAreas([area], sigma: 20).apply(to: source)
    for y in 301..<321 {
      for x in 700..<733 {
        let (a, b) = (RasterSteps.pixel(result, x, y), RasterSteps.pixel(blurred, x, y))
        #expect(Pictures.largestDifference(a, b) <= 1)
      }
    }
  }

  @Test func nothingToDoReturnsTheBitmap() throws {
    let source = try Pictures.noise(9, 9)
    let outside = [
      Area(x: 9, y: 0, width: 5, height: 5), Area(x: 0, y: -5, width: 9, height: 5),
      Area(x: 1, y: 1, width: 0, height: 4),
    ]
    for step in [
      Transforms.BlurAreas([], sigma: 3), Transforms.BlurAreas(outside, sigma: 3),
      Transforms.BlurAreas([Area(x: 0, y: 0, width: 9, height: 9)], sigma: 0),
    ] {
      #expect(RasterSteps.isSame(try step.apply(to: source), source))
    }
    let dot = try Pictures.noise(1, 1)
    #expect(
      try ImageTransform.blurAreas([Area(x: 0, y: 0, width: 1, height: 1)], sigma: 3).step.apply(to: dot)
        == dot)
  }

  @Test func spellingAndNonsense() throws {
    let parse = Transforms.BlurAreas.init(_:) as RasterSteps.Parser<Transforms.BlurAreas>
    try StepSpelling.expectRoundTrip(Transforms.BlurAreas([], sigma: 2), "blurareas:2", parse)
    try StepSpelling.expectRoundTrip(
      Transforms.BlurAreas(
        [Area(x: -1, y: 2, width: 3, height: 4), Area(x: 0, y: 0, width: 8, height: 8)], sigma: 0.5),
      "blurareas:0.5,-1;2;3;4,0;0;8;8", parse)
    StepSpelling.expectRefused(
      [
        "blurareas", "blurareas:1001", "blurareas:2,1;2;3", "blurareas:2,1;2;3;4;5", "blurareas:2,a;0;1;1",
        "blurareas:2,0;0;-1;1", "blurareas:2,0;0;1;2147483648", "blurareas:2,area=0;0;1;1,0;0;1;1",
        "blurareas:1" + String(repeating: ",0;0;1;1", count: 1001),
      ], name: "blurareas", parse)
    for step in [
      Transforms.BlurAreas([], sigma: .nan), Transforms.BlurAreas([], sigma: -1),
      Transforms.BlurAreas([Area(x: .min, y: 0, width: 1, height: 1)], sigma: 1),
      Transforms.BlurAreas([Area(x: 0, y: 0, width: .max, height: 1)], sigma: 1),
    ] {
      try StepSpelling.expectRefused(step, name: "blurareas")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let step = Transforms.BlurAreas([Area(x: 0, y: 0, width: 3, height: 3)], sigma: 2)
    #expect(await RasterSteps.cancelled(step, try Pictures.noise(9, 9)) == .cancelled)
  }
}
