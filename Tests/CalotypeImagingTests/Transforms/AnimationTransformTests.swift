@testable import CalotypeImaging
import FoundationEssentials
import Testing

@Suite struct AnimationTransformTests {
  typealias Pictures = ResamplePictures

  /// Four frames: a block on white that grows from frame to frame.
  static func animation() throws -> Data {
    let frames = try (0..<4).map { index in
      try Pictures.make(40, 30) { x, y in
        (10..<(20 + 3 * index)).contains(x) && (8..<20).contains(y)
          ? [200, 30, 30, 255] : [255, 255, 255, 255]
      }
    }
    let source = AnimationSource(frameCount: 4, loopCount: 0) { index throws(ImagingError) in
      AnimationSource.Frame(bitmap: frames[index], duration: .milliseconds(100))
    }
    return try CoderRegistry.standard.encode(source, as: .apng)
  }

  @Test func everyFrameIsTransformedAlike() throws {
    let data = try Self.animation()
    for transforms: TransformChain in [
      [.resize(width: 20, height: 15), .sepia()], [.trim(tolerance: 5)],
      [.crop(.box(width: 15, height: 15, anchor: .attention))],
      [.rotate(degrees: 30)],
      [.resize(width: 11, height: 13, mode: .fill, anchor: .entropy), .flip(.horizontal)],
    ] {
      let lowered = DecodeOptions(thumbnail: transforms.thumbnail)
      let plain = try AnimatedImage(data: data, options: lowered)
      let animation = try AnimatedImage(data: data, options: DecodeOptions(transforms: transforms))
      #expect(animation.frameCount == 4)
      let resolved = try transforms.resolved { () throws(ImagingError) in try plain.frame(at: 0).bitmap }
      let first = try animation.frame(at: 0).bitmap
      for index in [2, 0, 3, 1] {
        let frame = try animation.frame(at: index).bitmap
        #expect(frame.size == first.size)
        #expect(frame == (try resolved.apply(to: plain.frame(at: index).bitmap)), "\(transforms) \(index)")
      }
      #expect(
        try CoderRegistry.standard.decode(data, options: DecodeOptions(transforms: transforms)).bitmap
          == first)
    }
  }

  @Test func aSmartCutIsTheSameForAllFrames() throws {
    let data = try Self.animation()
    let smart: TransformChain = [.resize(width: 12, height: 12, mode: .fill, anchor: .entropy)]
    let animation = try AnimatedImage(data: data, options: DecodeOptions(transforms: smart))
    // The picture at the scale of the box, of which the same columns are kept.
    let scaled = try AnimatedImage(
      data: data,
      options: DecodeOptions(thumbnail: .init(box: PixelSize(width: 12, height: 12), mode: .outside)))
    let first = try scaled.frame(at: 0).bitmap
    let x = try SmartCrop.window(of: first, size: PixelSize(width: 12, height: 12), interest: .entropy).x
    for index in 0..<4 {
      let expected = try Transforms.Crop(.pixels(x: x, y: 0, width: 12, height: 12)).apply(
        to: scaled.frame(at: index).bitmap)
      #expect(try animation.frame(at: index).bitmap == expected)
    }
  }

  @Test func rowsOfFramesThatArriveAreTransformedAlike() throws {
    let data = try Self.animation()
    let options = DecodeOptions(transforms: [.trim(tolerance: 5), .grayscale()])
    let animation = try AnimatedImage(data: data, options: options)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
    for start in stride(from: 0, to: data.count, by: 50) {
      try decoder.append(data[start..<min(data.count, start + 50)])
    }
    #expect(try decoder.finish().bitmap == animation.frame(at: 0).bitmap)
    for index in 0..<4 { #expect(try decoder.frame(at: index).bitmap == animation.frame(at: index).bitmap) }
  }

  @Test func onlyTheFirstFrame() throws {
    let data = try Self.animation()
    let options = DecodeOptions(transforms: [.invert()], animationTransforms: .firstFrame)
    let animation = try AnimatedImage(data: data, options: options)
    #expect(animation.frameCount == 1)
    let expected = try Transforms.Invert().apply(to: AnimatedImage(data: data).frame(at: 0).bitmap)
    #expect(try animation.frame(at: 0).bitmap == expected)
    #expect(try CoderRegistry.standard.decode(data, options: options).bitmap == expected)
  }

  @Test func notAtAll() throws {
    let data = try Self.animation()
    let options = DecodeOptions(
      transforms: [.resize(width: 10, height: 10), .invert()], animationTransforms: .none)
    let animation = try AnimatedImage(data: data, options: options)
    #expect(animation.frameCount == 4)
    for index in 0..<4 {
      #expect(try animation.frame(at: index).bitmap == AnimatedImage(data: data).frame(at: index).bitmap)
    }
    #expect(
      try CoderRegistry.standard.decode(data, options: options).bitmap
        == AnimatedImage(data: data).frame(at: 0).bitmap)
    let still = try Image(bitmap: Pictures.noise(40, 30)).encoded(as: .png)
    #expect(try CoderRegistry.standard.decode(still, options: options).bitmap.width == 10)
  }

  @Test func nativePixelsAreNotTransformed() throws {
    let data = try Self.animation()
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(
        data, options: DecodeOptions(pixels: .native, transforms: [.invert()]))
    }
  }
}
