@testable import CalotypeImaging
import Testing

@Suite struct FlattenTests {
  typealias Pictures = ResamplePictures

  @Test func theColourShowsThrough() throws {
    let source = try Pictures.make(4, 1, opaque: false) { x, _ in
      [[255, 0, 0, 0], [255, 0, 0, 255], [100, 200, 0, 128], [0, 0, 0, 1]][x]
    }
    let result = try Transforms.Flatten(background: PixelColor(red: 0, green: 100, blue: 255)).apply(
      to: source)
    #expect(result.isOpaque)
    // 100 · 128 / 255 = 50.2; (200 · 128 + 100 · 127) / 255 = 150.2; 255 · 127 / 255 = 127; 100 · 254 / 255 = 99.6.
    #expect(
      Pictures.bytes(result) == [0, 100, 255, 255, 255, 0, 0, 255, 50, 150, 127, 255, 0, 100, 254, 255])
  }

  @Test func everyPairOfBytesIsRoundedToNearest() throws {
    let source = try Pictures.make(256, 256, opaque: false) { x, y in [UInt8(x), 255, 0, UInt8(y)] }
    for ground in [0, 77, 255] as [UInt8] {
      let result = try Transforms.Flatten(background: PixelColor(red: ground, green: ground, blue: ground))
        .apply(
          to: source)
      let expected = Pictures.bytes(source).enumerated().map { index, byte -> Double in
        let alpha = Double(index / 1024) / 255
        return index % 4 == 3 ? 255 : Double(byte) * alpha + Double(ground) * (1 - alpha)
      }
      #expect(RasterSteps.largestDifference(result, expected) <= 0.5000001)
    }
  }

  @Test(arguments: [1, 100, 128, 254] as [UInt8]) func translucentColoursLieBeneath(_ alpha: UInt8) throws {
    let source = try Pictures.make(256, 256, opaque: false) { x, y in [UInt8(x), 255, 0, UInt8(y)] }
    let color = PixelColor(red: 77, green: 255, blue: 200, alpha: alpha)
    let result = try Transforms.Flatten(background: color).apply(to: source)
    #expect(!result.isOpaque)
    let expected = Pictures.bytes(source).enumerated().map { index, byte -> Double in
      let above = Double(index / 1024) / 255
      let below = Double(alpha) / 255 * (1 - above)
      let value = [77, 255, 200, 255][index % 4] as Double
      return (index % 4 == 3 ? 255 : Double(byte)) * above + value * below
    }
    // Alpha is rounded, and colours once more.
    #expect(RasterSteps.largestDifference(result, expected) <= 1.0000001)
    #expect(RasterSteps.pixel(result, 9, 0) == [77, 255, 200, alpha])
    #expect(RasterSteps.pixel(result, 9, 255) == [9, 255, 0, 255])
  }

  @Test func opaquePicturesStay() throws {
    let source = try Pictures.noise(7, 3)
    #expect(RasterSteps.isSame(try Transforms.Flatten().apply(to: source), source))
    let open = try Pictures.noise(7, 3, opaque: false)
    #expect(RasterSteps.isSame(try Transforms.Flatten(background: .clear).apply(to: open), open))
  }

  @Test func textAndNonsense() throws {
    for step in [
      Transforms.Flatten(), Transforms.Flatten(background: .black),
      Transforms.Flatten(background: PixelColor(red: 1, green: 2, blue: 3)),
      Transforms.Flatten(background: PixelColor(red: 1, green: 2, blue: 3, alpha: 4)),
    ] {
      #expect(try RasterSteps.readsBack(step, Transforms.Flatten.init))
    }
    #expect(try RasterSteps.parsed("flatten", Transforms.Flatten.init) == Transforms.Flatten())
    #expect(ImageTransform.flatten(background: .black).identity == "flatten:000000")
    for text in ["flatten:xyz", "flatten:ffffff,2"] {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Flatten.init) } == "flatten", "\(text)")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(
      await RasterSteps.cancelled(Transforms.Flatten(), try Pictures.noise(3, 3, opaque: false)) == .cancelled
    )
  }
}
