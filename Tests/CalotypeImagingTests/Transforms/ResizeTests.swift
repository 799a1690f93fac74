@testable import CalotypeImaging
import Testing

@Suite struct ResizeTests {
  typealias Pictures = ResamplePictures
  typealias Steps = RasterSteps

  /// Source, box, mode, whether enlarging, and the size worked out by hand.
  static let sizes: [((Int, Int), (Int, Int), Transforms.Resize.Mode, Bool, (Int, Int))] = [
    ((400, 300), (100, 100), .fit, false, (100, 75)), ((300, 400), (100, 100), .fit, false, (75, 100)),
    ((400, 300), (100, 100), .inside, true, (100, 75)), ((400, 300), (100, 100), .outside, false, (133, 100)),
    ((300, 400), (100, 100), .outside, false, (100, 133)), ((400, 300), (100, 100), .fill, false, (100, 100)),
    ((400, 300), (100, 100), .stretch, false, (100, 100)), ((400, 300), (100, 100), .pad, false, (100, 100)),
    ((40, 30), (100, 100), .fit, false, (40, 30)), ((40, 30), (100, 100), .fit, true, (100, 75)),
    ((40, 30), (100, 100), .inside, true, (40, 30)), ((40, 30), (100, 100), .outside, false, (40, 30)),
    ((40, 30), (100, 100), .outside, true, (133, 100)), ((40, 30), (100, 100), .fill, false, (40, 30)),
    ((40, 30), (100, 100), .fill, true, (100, 100)), ((40, 30), (100, 100), .stretch, false, (40, 30)),
    ((40, 30), (100, 20), .stretch, false, (40, 20)), ((40, 30), (100, 20), .stretch, true, (100, 20)),
    ((40, 30), (100, 100), .pad, false, (100, 100)), ((40, 30), (100, 100), .pad, true, (100, 100)),
    ((400, 300), (100, 0), .fit, false, (100, 75)), ((400, 300), (0, 100), .fill, false, (133, 100)),
    ((40, 30), (80, 0), .fit, true, (80, 60)), ((40, 30), (80, 0), .fit, false, (40, 30)),
    ((400, 30), (100, 100), .fill, false, (100, 30)), ((400, 30), (100, 100), .outside, false, (400, 30)),
    ((1000, 1), (10, 10), .fit, false, (10, 1)), ((1, 1000), (10, 10), .outside, true, (10, 10000)),
    ((1, 1), (7, 3), .stretch, true, (7, 3)), ((333, 1000), (100, 300), .fit, false, (100, 300)),
    ((5, 7), (5, 7), .fill, true, (5, 7)), ((4000, 3000), (320, 240), .fill, true, (320, 240)),
  ]

  @Test(arguments: sizes.indices) func sizesAreThoseOfTheTable(index: Int) throws {
    let (source, box, mode, enlarges, expected) = Self.sizes[index]
    let bitmap = try Pictures.make(source.0, source.1) { _, _ in [9, 8, 7, 255] }
    let step = Transforms.Resize(PixelSize(width: box.0, height: box.1), mode: mode, enlarges: enlarges)
    let result = try step.apply(to: bitmap)
    #expect(result.size == PixelSize(width: expected.0, height: expected.1))
    if mode != .pad { #expect(Set(Pictures.bytes(result)) == [9, 8, 7, 255]) }
  }

  @Test func nothingToDoReturnsTheSamePixels() throws {
    let bitmap = try Pictures.noise(40, 30)
    for mode in Transforms.Resize.Mode.allCases where mode != .pad {
      #expect(
        Steps.isSame(
          try Transforms.Resize(PixelSize(width: 100, height: 100), mode: mode).apply(to: bitmap), bitmap))
      #expect(
        Steps.isSame(try Transforms.Resize(bitmap.size, mode: mode, enlarges: true).apply(to: bitmap), bitmap)
      )
    }
  }

  @Test func anchorsChooseWhatIsKept() throws {
    // Thirds of red, green and blue, side by side.
    let bitmap = try Pictures.make(90, 30) { x, _ in
      x < 30 ? [255, 0, 0, 255] : x < 60 ? [0, 255, 0, 255] : [0, 0, 255, 255]
    }
    let box = PixelSize(width: 10, height: 10)
    for (anchor, color) in [
      (Anchor.left, [255, 0, 0, 255] as [UInt8]), (.center, [0, 255, 0, 255]), (.right, [0, 0, 255, 255]),
      (.focus(x: 0.95, y: 0.5), [0, 0, 255, 255]), (.topLeft, [255, 0, 0, 255]), (.bottom, [0, 255, 0, 255]),
    ] {
      let filled = try Transforms.Resize(box, mode: .fill, anchor: anchor, filter: .box).apply(to: bitmap)
      #expect(Array(Pictures.bytes(filled)[(5 * 10 + 5) * 4..<(5 * 10 + 5) * 4 + 4]) == color, "\(anchor)")
      let cut = try Transforms.Resize(PixelSize(width: 30, height: 50), mode: .fill, anchor: anchor).apply(
        to: bitmap)
      #expect(cut.size == PixelSize(width: 30, height: 30))
      #expect(Array(Pictures.bytes(cut)[(15 * 30 + 15) * 4..<(15 * 30 + 15) * 4 + 4]) == color, "\(anchor)")
    }
  }

  @Test func paddingLiesWhereTheAnchorSays() throws {
    let bitmap = try Pictures.make(20, 10) { _, _ in [0, 0, 255, 255] }
    let top = try Transforms.Resize(
      PixelSize(width: 20, height: 20), mode: .pad, anchor: .top,
      background: PixelColor(red: 255, green: 0, blue: 0)
    ).apply(to: bitmap)
    #expect(top.size == PixelSize(width: 20, height: 20))
    #expect(Array(Pictures.bytes(top)[0..<4]) == [0, 0, 255, 255])
    #expect(Array(Pictures.bytes(top)[(19 * 20) * 4..<(19 * 20) * 4 + 4]) == [255, 0, 0, 255])
    let clear = try Transforms.Resize(PixelSize(width: 20, height: 20), mode: .pad).apply(to: bitmap)
    #expect(!clear.isOpaque && Pictures.bytes(clear)[3] == 0)
  }

  @Test func smartCutsKeepTheSubject() throws {
    let bitmap = try Pictures.make(300, 100) { x, y in
      let inside = (220..<270).contains(x) && (30..<80).contains(y)
      return inside ? [UInt8((x * 37 + y * 91) % 256), UInt8((x * 53) % 256), 0, 255] : [128, 128, 128, 255]
    }
    for anchor in [Anchor.entropy, .attention] {
      let result = Pictures.bytes(
        try Transforms.Resize(PixelSize(width: 50, height: 50), mode: .fill, anchor: anchor).apply(to: bitmap)
      )
      let others = stride(from: 0, to: result.count, by: 4).count { result[$0 + 2] < 100 }
      #expect(others > 400, "\(anchor)")
    }
  }

  @Test func readsBackAndRefusesNonsense() throws {
    for step in [
      Transforms.Resize(PixelSize(width: 320, height: 240)),
      Transforms.Resize(PixelSize(width: 320, height: 0), mode: .outside),
      Transforms.Resize(
        PixelSize(width: 0, height: 9), mode: .fill, enlarges: true, anchor: .focus(x: 0.25, y: 1),
        background: PixelColor(red: 1, green: 2, blue: 3, alpha: 4), filter: .mitchell, linearLight: true,
        effort: .fast),
      Transforms.Resize(PixelSize(width: 5, height: 6), mode: .fill, anchor: .attention),
    ] {
      #expect(try Steps.readsBack(step, Transforms.Resize.init), "\(step.identity)")
    }
    #expect(try Steps.parsed("resize:320x240,fill,true,top", Transforms.Resize.init).anchor == .top)
    for text in [
      "resize", "resize:320", "resize:x", "resize:0x0", "resize:-5x5", "resize:axb", "resize:5x5,fat",
      "resize:5x5,mode=fit,mode=fill", "resize:5x5,extra=1", "resize:5x5,anchor=entropy",
      "resize:5x5,filter=none",
      "resize:99999999999x1", "resize:5x5x5", "resize:5x5,fill,anchor=focus(2;0)",
    ] {
      #expect(Steps.invalid { try Steps.parsed(text, Transforms.Resize.init) } == "resize", "\(text)")
    }
    let bitmap = try Pictures.noise(4, 4)
    for size in [(0, 0), (-1, 5), (Int.max, 1)] {
      let step = Transforms.Resize(PixelSize(width: size.0, height: size.1), mode: .stretch, enlarges: true)
      #expect(Steps.invalid { try step.apply(to: bitmap) } == "resize")
    }
    // Few pixels, but more weights than anybody can want.
    let long = Transforms.Resize(PixelSize(width: 300_000_000, height: 1), mode: .stretch, enlarges: true)
    #expect(throws: ImagingError.self) { try long.apply(to: bitmap) }
    let huge = Transforms.Resize(PixelSize(width: 30_000, height: 30_000), mode: .stretch, enlarges: true)
    #expect(Steps.invalid { try huge.apply(to: bitmap) } == "resize")
  }

  @Test func aResizeThatComesFirstIsDoneWhileDecoding() throws {
    let source = try Pictures.noise(200, 150, seed: 8)
    let data = try Image(bitmap: source).encoded(as: .png)
    for step in [
      Transforms.Resize(PixelSize(width: 40, height: 30)),
      Transforms.Resize(PixelSize(width: 40, height: 40), mode: .outside),
      Transforms.Resize(PixelSize(width: 40, height: 40), mode: .fill, anchor: .bottomRight),
      Transforms.Resize(PixelSize(width: 40, height: 40), mode: .fill, anchor: .focus(x: 0.2, y: 0.9)),
      Transforms.Resize(PixelSize(width: 50, height: 10), mode: .stretch, filter: .box),
      Transforms.Resize(PixelSize(width: 40, height: 41), mode: .fill, anchor: .attention),
      Transforms.Resize(PixelSize(width: 40, height: 40), mode: .pad, background: .white),
      Transforms.Resize(PixelSize(width: 40, height: 30), linearLight: true),
      Transforms.Resize(PixelSize(width: 400, height: 300), enlarges: true),
    ] {
      let options = DecodeOptions(transforms: [ImageTransform(step), .flip(.horizontal)])
      let decoded = try CoderRegistry.standard.decode(data, options: options).bitmap
      #expect(
        decoded == (try Transforms.Flip(.horizontal).apply(to: step.apply(to: source))), "\(step.identity)")
    }
  }
}
