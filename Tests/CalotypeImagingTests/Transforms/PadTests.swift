@testable import CalotypeImaging
import Testing

@Suite struct PadTests {
  typealias Pictures = ResamplePictures

  @Test func coloursLieAround() throws {
    let source = try RasterSteps.picture("RG/BW")
    #expect(
      try Transforms.Pad(top: 1, left: 2, bottom: 0, right: 1).apply(to: source).letters
        == "...../..RG./..BW.")
    let white = try Transforms.Pad(bottom: 1, fill: .color(.white)).apply(to: source)
    #expect(white.letters == "RG/BW/WW")
    #expect(white.isOpaque)
    #expect(try Transforms.Pad(top: 1).apply(to: source).isOpaque == false)
    let half = try Transforms.Pad(left: 1, fill: .color(PixelColor(red: 1, green: 2, blue: 3, alpha: 4)))
      .apply(
        to: source)
    #expect(RasterSteps.pixel(half, 0, 1) == [1, 2, 3, 4])
  }

  @Test func edgesRepeat() throws {
    let source = try RasterSteps.picture("RG/BW")
    let result = try Transforms.Pad(top: 1, left: 2, bottom: 2, right: 1, fill: .repeat).apply(to: source)
    #expect(result.letters == "RRRGG/RRRGG/BBBWW/BBBWW/BBBWW")
    #expect(result.isOpaque)
  }

  @Test func mirrorsGoOnAndOn() throws {
    let source = try RasterSteps.picture("RGB/KWR")
    let result = try Transforms.Pad(top: 1, left: 2, bottom: 1, right: 2, fill: .mirror).apply(to: source)
    #expect(result.letters == "GRRGBBG/GRRGBBG/WKKWRRW/WKKWRRW")
    let line = try Transforms.Pad(left: 7, right: 7, fill: .mirror).apply(to: RasterSteps.picture("RGB"))
    #expect(line.letters == "RRGBBGRRGBBGRRGBB")
    let dot = try Transforms.Pad(top: 3, left: 2, fill: .mirror).apply(to: RasterSteps.picture("G"))
    #expect(dot.letters == "GGG/GGG/GGG/GGG")
  }

  @Test(arguments: [
    Transforms.Pad.Fill.color(PixelColor(red: 9, green: 8, blue: 7, alpha: 6)), .repeat, .mirror,
  ])
  func randomPadsOfRandomPictures(fill: Transforms.Pad.Fill) throws {
    var generator = Pictures.SplitMix(state: 9)
    for _ in 0..<30 {
      let width = Int.random(in: 1...12, using: &generator)
      let height = Int.random(in: 1...12, using: &generator)
      let source = try Pictures.noise(width, height, opaque: false)
      let room = (0..<4).map { _ in Int.random(in: 0...30, using: &generator) }
      let result = try Transforms.Pad(
        top: room[0], left: room[1], bottom: room[2], right: room[3], fill: fill
      )
      .apply(to: source)
      func index(_ position: Int, _ count: Int) -> Int? {
        if 0..<count ~= position { return position }
        switch fill {
        case .color: return nil
        case .repeat: return min(max(position, 0), count - 1)
        case .mirror:
          // One reflection at a time, at the nearer edge.
          var position = position
          while !(0..<count ~= position) {
            position = position < 0 ? -1 - position : 2 * count - 1 - position
          }
          return position
        }
      }
      let expected = try Pictures.make(
        width + room[1] + room[3], height + room[0] + room[2], opaque: false
      ) { x, y in
        guard let column = index(x - room[1], width), let row = index(y - room[0], height) else {
          return [9, 8, 7, 6]
        }
        return RasterSteps.pixel(source, column, row)
      }
      guard room != [0, 0, 0, 0] else { continue }
      #expect(result == expected)
    }
  }

  @Test func textAndNonsense() throws {
    let steps = [
      Transforms.Pad(), Transforms.Pad(top: 1),
      Transforms.Pad(top: 3, left: 3, bottom: 3, right: 3, fill: .repeat),
      Transforms.Pad(top: 1, left: 2, bottom: 3, right: 4, fill: .mirror),
      Transforms.Pad(left: 5, fill: .color(.white)),
      Transforms.Pad(left: 5, fill: .color(PixelColor(red: 1, green: 2, blue: 3, alpha: 4))),
    ]
    for step in steps { #expect(try RasterSteps.readsBack(step, Transforms.Pad.init), "\(step.identity)") }
    #expect(Set(steps.map(\.identity)).count == steps.count)
    #expect(steps[2].identity == "pad:3,fill=repeat")
    #expect(
      try RasterSteps.parsed("pad:4,left=1", Transforms.Pad.init)
        == Transforms.Pad(top: 4, left: 1, bottom: 4, right: 4))
    #expect(ImageTransform.pad(left: 1).identity == "pad:top=0,left=1,bottom=0,right=0")
    for text in ["pad:-1", "pad:1.5", "pad:top=-1", "pad:1,fill=stretch", "pad:1,2", "pad:9999999999"] {
      #expect(RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Pad.init) } == "pad", "\(text)")
    }
    let source = try Pictures.noise(3, 3)
    #expect(RasterSteps.isSame(try Transforms.Pad().apply(to: source), source))
    for step in [
      Transforms.Pad(top: -1), Transforms.Pad(right: .max), Transforms.Pad(left: .min),
      Transforms.Pad(top: 20_000, right: 20_000),
      Transforms.Pad(left: Int(Int32.max)), Transforms.Pad(bottom: Int(Int32.max)),
    ] {
      #expect(RasterSteps.invalid { try step.apply(to: source) } == "pad", "\(step.identity)")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(await RasterSteps.cancelled(Transforms.Pad(top: 1), try Pictures.noise(3, 3)) == .cancelled)
  }
}
