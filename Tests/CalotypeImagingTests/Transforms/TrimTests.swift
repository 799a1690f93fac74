@testable import CalotypeImaging
import Testing

@Suite struct TrimTests {
  typealias Pictures = ResamplePictures

  private static func trimmed(_ letters: String, _ step: Transforms.Trim = Transforms.Trim()) throws -> String
  {
    try step.apply(to: RasterSteps.picture(letters)).letters
  }

  @Test func edgesOfTheCornersColourGo() throws {
    #expect(try Self.trimmed("WWWW/WRGW/WBWW/WWWW") == "RG/BW")
    #expect(try Self.trimmed("WWWW/WWWW/WWWR") == "R")
    #expect(try Self.trimmed("WR/RW") == "WR/RW")
    #expect(try Self.trimmed("WRW") == "R")
    #expect(try Self.trimmed("W/W/R/W") == "R")
    // Each edge by another row or column.
    #expect(try Self.trimmed("WWWWW/WWRWW/WGWWW/WWWBW/WWWWW") == "WRW/GWW/WWB")
  }

  @Test func oneColourStaysAsItIs() throws {
    for letters in ["W", "WW/WW", "..../....", "KKKKK"] {
      let source = try RasterSteps.picture(letters)
      #expect(RasterSteps.isSame(try Transforms.Trim().apply(to: source), source))
    }
    // No pixel differs by more than 255.
    let noise = try Pictures.noise(9, 9, opaque: false)
    #expect(RasterSteps.isSame(try Transforms.Trim(tolerance: 255).apply(to: noise), noise))
  }

  @Test func aColourCanBeNamed() throws {
    #expect(try Self.trimmed("KWW/KWR/KKK", Transforms.Trim(color: .black)) == "WW/WR")
    #expect(try Self.trimmed("KWW/KWR", Transforms.Trim(color: .white)) == "KWW/KWR")
    // The corner would be red: nothing to cut.
    #expect(try Self.trimmed("RWW/WWW/WWG", Transforms.Trim(color: .white)) == "RWW/WWW/WWG")
    #expect(try Self.trimmed("..R/...", Transforms.Trim(color: .clear)) == "R")
  }

  @Test func paddingStaysAsFarAsThereIsSome() throws {
    #expect(try Self.trimmed("WWWWW/WWWWW/WWRWW/WWWWW/WWWWW", Transforms.Trim(padding: 1)) == "WWW/WRW/WWW")
    #expect(try Self.trimmed("WWWWW/WRWWW/WWWWW", Transforms.Trim(padding: 2)) == "WWWW/WRWW/WWWW")
    let source = try RasterSteps.picture("WWW/WRW/WWW")
    #expect(RasterSteps.isSame(try Transforms.Trim(padding: .max).apply(to: source), source))
  }

  @Test func toleranceIsTheLargestDifferenceOfAChannel() throws {
    let source = try Pictures.make(5, 1) { x, _ in
      [
        [100, 100, 100, 255], [100, 90, 110, 255], [100, 100, 111, 255], [89, 100, 100, 255],
        [110, 110, 110, 255],
      ][x]
    }
    #expect(try Transforms.Trim(tolerance: 10).apply(to: source).width == 2)
    #expect(RasterSteps.isSame(try Transforms.Trim(tolerance: 11).apply(to: source), source))
    #expect(try Transforms.Trim(tolerance: 9).apply(to: source).width == 4)
    #expect(try Transforms.Trim(color: .black, tolerance: 100).apply(to: source).width == 4)
  }

  @Test func transparentPixelsAreEqual() throws {
    let source = try Pictures.make(4, 1, opaque: false) { x, _ in
      [[1, 2, 3, 0], [250, 9, 99, 0], [10, 20, 30, 200], [255, 255, 255, 5]][x]
    }
    // The last is so nearly transparent that its white is no more than 5.
    #expect(Pictures.bytes(try Transforms.Trim(tolerance: 5).apply(to: source)) == [10, 20, 30, 200])
    #expect(try Transforms.Trim(tolerance: 4).apply(to: source).width == 2)
  }

  /// A transparent pixel counts as its ground; its hidden colour does not.
  @Test func transparentPixelsCountAsTheGround() throws {
    let magenta = PixelColor(red: 255, green: 0, blue: 255)
    let source = try Pictures.make(5, 1, opaque: false) { x, _ in
      [[1, 2, 3, 0], [255, 0, 255, 255], [0, 0, 0, 255], [254, 0, 250, 128], [255, 0, 255, 200]][x]
    }
    func width(_ step: Transforms.Trim) throws -> Int { try step.apply(to: source).width }
    #expect(try width(Transforms.Trim(ground: magenta)) == 1)
    #expect(try width(Transforms.Trim(color: magenta, ground: magenta)) == 1)
    #expect(try width(Transforms.Trim(color: .clear, ground: magenta)) == 1)
    // (250 · 128 + 255 · 127) / 255 is less than 252.5, rounded to 252, which is 3 from 255.
    #expect(try width(Transforms.Trim(tolerance: 2.9, ground: magenta)) == 2)
    #expect(try width(Transforms.Trim(tolerance: 3, ground: magenta)) == 1)
    // Without a ground, the transparent pixel differs from all others.
    #expect(try width(Transforms.Trim()) == 4)
    #expect(try width(Transforms.Trim(color: magenta)) == 5)
  }

  @Test func cornersHaveTheColour() throws {
    #expect(try Self.trimmed("RRG/RRG/GGG", Transforms.Trim(corner: .topLeft)) == "RRG/RRG/GGG")
    #expect(try Self.trimmed("RRG/RRG/GGG", Transforms.Trim(corner: .bottomRight)) == "RR/RR")
    #expect(try Self.trimmed("RRG/RRG/GGG", Transforms.Trim(corner: .topRight)) == "RR/RR")
    #expect(try Self.trimmed("RRG/RRG/GGG", Transforms.Trim(corner: .bottomLeft)) == "RR/RR")
    #expect(try Self.trimmed("GGG/BRR/BRR", Transforms.Trim(corner: .topRight)) == "BRR/BRR")
    #expect(try Self.trimmed("GGG/BRR/BRR", Transforms.Trim(corner: .bottomLeft)) == "GGG/BRR/BRR")
  }

  @Test func marginsCanBeEqual() throws {
    let letters = "WWWWWWW/WWWWRWW/WWWWBWW/WWWWWWW/WWWWWWW"
    #expect(try Self.trimmed(letters, Transforms.Trim()) == "R/B")
    #expect(try Self.trimmed(letters, Transforms.Trim(equalMargins: .horizontal)) == "WWR/WWB")
    #expect(try Self.trimmed(letters, Transforms.Trim(equalMargins: .vertical)) == "R/B/W")
    #expect(try Self.trimmed(letters, Transforms.Trim(equalMargins: .both)) == "WWR/WWB/WWW")
    #expect(
      try Self.trimmed(letters, Transforms.Trim(padding: 1, equalMargins: .both))
        == "WWWWW/WWWRW/WWWBW/WWWWW/WWWWW")
    // A margin of 0 keeps the other.
    #expect(try Self.trimmed("RWWW/WWWW", Transforms.Trim(color: .white, equalMargins: .both)) == "RWWW/WWWW")
  }

  @Test func randomBoxesOnAPlainGround() throws {
    var generator = Pictures.SplitMix(state: 3)
    for _ in 0..<40 {
      let width = Int.random(in: 1...60, using: &generator)
      let height = Int.random(in: 1...60, using: &generator)
      let left = Int.random(in: 0..<width, using: &generator)
      let top = Int.random(in: 0..<height, using: &generator)
      let right = Int.random(in: left..<width, using: &generator)
      let bottom = Int.random(in: top..<height, using: &generator)
      // Two corners of the box are enough to hold it open.
      let source = try Pictures.make(width, height) { x, y in
        (x == left && y == top) || (x == right && y == bottom) ? [9, 99, 199, 255] : [200, 200, 200, 255]
      }
      let result = try Transforms.Trim(color: PixelColor("c8c8c8")).apply(to: source)
      #expect(result.size == PixelSize(width: right - left + 1, height: bottom - top + 1))
      #expect(RasterSteps.pixel(result, 0, 0) == [9, 99, 199, 255])
      #expect(RasterSteps.pixel(result, result.width - 1, result.height - 1) == [9, 99, 199, 255])
    }
  }

  @Test func textAndNonsense() throws {
    for step in [
      Transforms.Trim(), Transforms.Trim(tolerance: 0),
      Transforms.Trim(color: PixelColor("ff800080"), tolerance: 255, padding: 4),
      Transforms.Trim(color: .clear), Transforms.Trim(tolerance: 2.5),
      Transforms.Trim(ground: PixelColor("ff00ff"), corner: .bottomRight, equalMargins: .both),
    ] {
      #expect(try RasterSteps.readsBack(step, Transforms.Trim.init))
    }
    #expect(try RasterSteps.parsed("trim", Transforms.Trim.init) == Transforms.Trim())
    #expect(Transforms.Trim(color: .white, padding: 4).identity == "trim:10,color=ffffff,padding=4")
    #expect(ImageTransform.trim(tolerance: 3).identity == "trim:3")
    for text in [
      "trim:256", "trim:-1", "trim:x", "trim:10,padding=-1", "trim:10,color=zz", "trim:10,edge=1",
      "trim:ground=ff00ff80", "trim:corner=top", "trim:equal=yes",
    ] {
      #expect(RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Trim.init) } == "trim", "\(text)")
    }
    let source = try Pictures.noise(3, 3)
    for step in [
      Transforms.Trim(tolerance: 256), Transforms.Trim(tolerance: -1), Transforms.Trim(tolerance: .nan),
      Transforms.Trim(padding: -1), Transforms.Trim(ground: .clear),
    ] {
      #expect(RasterSteps.invalid { try step.apply(to: source) } == "trim")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let plain = try Pictures.make(4, 300) { _, _ in [1, 2, 3, 255] }
    #expect(await RasterSteps.cancelled(Transforms.Trim(), plain) == .cancelled)
  }
}
