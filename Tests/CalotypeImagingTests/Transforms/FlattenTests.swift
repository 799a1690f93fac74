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

  @Test func opaquePicturesStay() throws {
    let source = try Pictures.noise(7, 3)
    #expect(RasterSteps.isSame(try Transforms.Flatten().apply(to: source), source))
  }

  @Test func textAndNonsense() throws {
    for step in [
      Transforms.Flatten(), Transforms.Flatten(background: .black),
      Transforms.Flatten(background: PixelColor(red: 1, green: 2, blue: 3)),
    ] {
      #expect(try RasterSteps.readsBack(step, Transforms.Flatten.init))
    }
    #expect(try RasterSteps.parsed("flatten", Transforms.Flatten.init) == Transforms.Flatten())
    #expect(ImageTransform.flatten(background: .black).identity == "flatten:000000")
    for text in ["flatten:clear", "flatten:ffffff80", "flatten:xyz", "flatten:ffffff,2"] {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Flatten.init) } == "flatten", "\(text)")
    }
    let source = try Pictures.noise(3, 3, opaque: false)
    #expect(RasterSteps.invalid { try Transforms.Flatten(background: .clear).apply(to: source) } == "flatten")
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(
      await RasterSteps.cancelled(Transforms.Flatten(), try Pictures.noise(3, 3, opaque: false)) == .cancelled
    )
  }
}
