@testable import CalotypeImaging
import Testing

@Suite struct CropTests {
  typealias Pictures = ResamplePictures

  /// Which pixels of a 10×8 picture are left: the first column and row, and the size.
  private static func kept(_ area: Transforms.Crop.Area) throws -> [Int] {
    let source = try Pictures.make(10, 8) { x, y in [UInt8(x), UInt8(y), 7, 255] }
    let result = try Transforms.Crop(area).apply(to: source)
    let bytes = Pictures.bytes(result)
    for index in 0..<result.size.pixelCount {
      let x = Int(bytes[0]) + index % result.width
      let y = Int(bytes[1]) + index / result.width
      guard Array(bytes[(4 * index)..<(4 * index + 4)]) == [UInt8(x), UInt8(y), 7, 255] else { return [] }
    }
    #expect(result.isOpaque)
    return [Int(bytes[0]), Int(bytes[1]), result.width, result.height]
  }

  @Test func rectanglesAreCutOut() throws {
    #expect(try Self.kept(.pixels(x: 2, y: 3, width: 4, height: 5)) == [2, 3, 4, 5])
    #expect(try Self.kept(.pixels(x: 9, y: 7, width: 1, height: 1)) == [9, 7, 1, 1])
    #expect(try Self.kept(.pixels(x: 0, y: 2, width: 10, height: 3)) == [0, 2, 10, 3])
  }

  @Test func whatLiesOutsideIsLeftOut() throws {
    #expect(try Self.kept(.pixels(x: -3, y: -1, width: 5, height: 4)) == [0, 0, 2, 3])
    #expect(try Self.kept(.pixels(x: 7, y: 6, width: .max, height: .max)) == [7, 6, 3, 2])
  }

  @Test func fractionsTileThePicture() throws {
    #expect(try Self.kept(.relative(x: 0.5, y: 0.25, width: 0.5, height: 0.5)) == [5, 2, 5, 4])
    #expect(try Self.kept(.relative(x: 0.8, y: 0.5, width: 1, height: 1)) == [8, 4, 2, 4])
    // 2.6 and 7.6 are rounded to nearest.
    #expect(try Self.kept(.relative(x: 0.26, y: 0, width: 0.5, height: 1)) == [3, 0, 5, 8])
    #expect(try Self.kept(.relative(x: 0.999, y: 0, width: 0.0001, height: 0.0001)) == [9, 0, 1, 1])
    for parts in 1...10 {
      var next = 0
      for part in 0..<parts {
        let area = try Self.kept(
          .relative(x: Double(part) / Double(parts), y: 0, width: 1 / Double(parts), height: 1))
        #expect(area[0] == next)
        next = area[0] + area[2]
      }
      #expect(next == 10)
    }
  }

  @Test func boxesLieAtTheirAnchor() throws {
    #expect(try Self.kept(.box(width: 4, height: 2)) == [3, 3, 4, 2])
    #expect(try Self.kept(.box(width: 4, height: 2, anchor: .bottomRight)) == [6, 6, 4, 2])
    #expect(try Self.kept(.box(width: 3, height: .max, anchor: .focus(x: 0.2, y: 0))) == [0, 0, 3, 8])
    #expect(try Self.kept(.box(width: 3, height: 20, anchor: .focus(x: 0.4, y: 0))) == [2, 0, 3, 8])
  }

  @Test func allOfItIsTheSamePicture() throws {
    let source = try Pictures.noise(9, 5, opaque: false)
    for area in [
      Transforms.Crop.Area.pixels(x: 0, y: 0, width: 9, height: 5),
      .pixels(x: -1, y: -1, width: 50, height: 50),
      .relative(x: 0, y: 0, width: 1, height: 1), .box(width: 9, height: 9, anchor: .entropy),
    ] {
      #expect(RasterSteps.isSame(try Transforms.Crop(area).apply(to: source), source))
    }
  }

  @Test func randomRectanglesOfRandomPictures() throws {
    var generator = Pictures.SplitMix(state: 5)
    for _ in 0..<40 {
      let source = try Pictures.noise(
        .random(in: 1...40, using: &generator), .random(in: 1...40, using: &generator), opaque: false)
      let x = Int.random(in: 0..<source.width, using: &generator)
      let y = Int.random(in: 0..<source.height, using: &generator)
      let width = Int.random(in: 1...(source.width - x), using: &generator)
      let height = Int.random(in: 1...(source.height - y), using: &generator)
      let result = try Transforms.Crop(.pixels(x: x, y: y, width: width, height: height)).apply(to: source)
      let expected = try Pictures.make(width, height, opaque: false) {
        RasterSteps.pixel(source, x + $0, y + $1)
      }
      #expect(result == expected)
    }
  }

  @Test func otherFormatsAreConverted() throws {
    let gray = try Pictures.noise(5, 4).converted(to: .gray8)
    let result = try Transforms.Crop(.box(width: 5, height: 2)).apply(to: gray)
    #expect(result.format == .rgba8)
    #expect(RasterSteps.pixel(result, 0, 0) == RasterSteps.pixel(try gray.converted(to: .rgba8), 0, 1))
  }

  @Test func refusesNonsense() throws {
    let source = try Pictures.noise(10, 8)
    for area in [
      Transforms.Crop.Area.pixels(x: 0, y: 0, width: 0, height: 5), .pixels(x: 0, y: 0, width: 5, height: -1),
      .pixels(x: 10, y: 0, width: 5, height: 5), .pixels(x: -5, y: 0, width: 5, height: 5),
      .pixels(x: .max, y: .max, width: .max, height: .max), .pixels(x: .min, y: 0, width: 1, height: 1),
      .relative(x: .nan, y: 0, width: 1, height: 1), .relative(x: 1, y: 0, width: 1, height: 1),
      .relative(x: 0, y: -0.1, width: 1, height: 1), .relative(x: 0, y: 0, width: .infinity, height: 1),
      .relative(x: 0, y: 0, width: 1, height: 0), .relative(x: 0, y: 0, width: 1, height: .nan),
      .box(width: 0, height: 5), .box(width: 5, height: .min),
      .box(width: 5, height: 5, anchor: .focus(x: 2, y: 0)),
    ] {
      #expect(RasterSteps.invalid { try Transforms.Crop(area).apply(to: source) } == "crop", "\(area)")
    }
  }

  @Test func textReadsBack() throws {
    for area in [
      Transforms.Crop.Area.pixels(x: -10, y: 20, width: 300, height: 200),
      .relative(x: 0.1, y: 0, width: 1 / 3, height: 1e-5), .box(width: 30, height: 20),
      .box(width: 30, height: 20, anchor: .topLeft),
      .box(width: 30, height: 20, anchor: .focus(x: 0.25, y: 1)),
      .box(width: 1, height: 2, anchor: .attention),
    ] {
      #expect(try RasterSteps.readsBack(Transforms.Crop(area), Transforms.Crop.init), "\(area)")
    }
    #expect(
      Transforms.Crop(.pixels(x: 10, y: 20, width: 300, height: 200)).identity
        == "crop:x=10,y=20,width=300,height=200")
    #expect(Transforms.Crop(.box(width: 3, height: 2, anchor: .top)).identity == "crop:3x2,anchor=top")
    #expect(
      try RasterSteps.parsed("crop:size=3x2,anchor=top", Transforms.Crop.init).identity
        == "crop:3x2,anchor=top")
    #expect(try RasterSteps.parsed("crop:3x2,top", Transforms.Crop.init).identity == "crop:3x2,anchor=top")
    #expect(
      try RasterSteps.parsed("crop:relative,height=0.5", Transforms.Crop.init).area
        == .relative(x: 0, y: 0, width: 1, height: 0.5))
    for text in [
      "crop", "crop:", "crop:3", "crop:3x", "crop:3x2x1", "crop:0x2", "crop:width=3", "crop:width=3,height=a",
      "crop:relative,x=2", "crop:3x2,anchor=focus(2;0)", "crop:3x2,anchor=", "crop:3x2,x=1",
      "crop:relative,width=nan", "crop:width=99999999999999999999,height=1",
    ] {
      #expect(RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Crop.init) } == "crop", "\(text)")
    }
    #expect(ImageTransform.crop(.box(width: 3, height: 2)).identity == "crop:3x2")
  }

  @Test func stopsWhenCancelled() async throws {
    let source = try Pictures.noise(20, 20)
    for area in [
      Transforms.Crop.Area.box(width: 5, height: 5), .box(width: 5, height: 5, anchor: .attention),
    ] {
      #expect(await RasterSteps.cancelled(Transforms.Crop(area), source) == .cancelled)
    }
  }
}
