@testable import CalotypeImaging
import Testing

@Suite struct AnchorTests {
  static let words: [(Anchor, String, Int, Int)] = [
    (.center, "center", 30, 10), (.top, "top", 30, 0), (.bottom, "bottom", 30, 20), (.left, "left", 0, 10),
    (.right, "right", 60, 10), (.topLeft, "topLeft", 0, 0), (.topRight, "topRight", 60, 0),
    (.bottomLeft, "bottomLeft", 0, 20), (.bottomRight, "bottomRight", 60, 20),
  ]

  @Test(arguments: words)
  func placesABoxInAPicture(anchor: Anchor, name: String, x: Int, y: Int) {
    let origin = anchor.origin(of: PixelSize(width: 40, height: 30), in: PixelSize(width: 100, height: 50))
    #expect(origin == (x, y))
    #expect(anchor.description == name)
    #expect(Anchor(name) == anchor)
  }

  @Test func halvesGoToTheLeftAsInThumbnails() {
    let box = PixelSize(width: 2, height: 4)
    #expect(Anchor.center.origin(of: box, in: PixelSize(width: 5, height: 5)) == (1, 0))
    #expect(Anchor.center.position(of: box, in: PixelSize(width: 5, height: 5)) == (1.5, 0.5))
    // A box that sticks out by three pixels: two at the left.
    #expect(Anchor.center.origin(of: box, in: PixelSize(width: 1, height: 1)) == (-1, -2))
    #expect(Anchor.bottomRight.origin(of: box, in: PixelSize(width: 1, height: 1)) == (-1, -3))
  }

  @Test func aFocusIsTheCentreOfTheBoxAsFarAsEdgesAllow() {
    let size = PixelSize(width: 100, height: 50)
    let box = PixelSize(width: 20, height: 10)
    #expect(Anchor.focus(x: 0.3, y: 0.6).origin(of: box, in: size) == (20, 25))
    #expect(Anchor.focus(x: 0, y: 1).origin(of: box, in: size) == (0, 40))
    #expect(Anchor.focus(x: 1, y: 0.05).origin(of: box, in: size) == (80, 0))
    #expect(Anchor.focus(x: 0.5, y: 0.5).origin(of: box, in: size) == Anchor.center.origin(of: box, in: size))
    // Larger than the picture: all of the picture stays covered.
    let large = PixelSize(width: 200, height: 60)
    #expect(Anchor.focus(x: 0, y: 0).origin(of: large, in: size) == (-100, -10))
    #expect(Anchor.focus(x: 1, y: 1).origin(of: large, in: size) == (0, 0))
  }

  @Test func textReadsBack() {
    for anchor in [Anchor.entropy, .attention, .focus(x: 0.3, y: 0.7), .focus(x: 0, y: 1)] {
      #expect(Anchor(anchor.description) == anchor)
    }
    #expect(Anchor.focus(x: 0.3, y: 1).description == "focus(0.3;1)")
    for text in [
      "", "middle", "Center", "focus", "focus()", "focus(1)", "focus(1;2;3)", "focus(nan;0)", "focus(0;inf)",
    ] {
      #expect(Anchor(text) == nil, "\(text)")
    }
  }

  @Test func checksWhatMakesNoSense() throws {
    for focus in [Anchor.focus(x: -0.1, y: 0), .focus(x: 0, y: 1.1), .focus(x: .nan, y: 0)] {
      #expect(RasterSteps.invalid { try focus.check("crop", isCut: true) } == "crop")
    }
    #expect(RasterSteps.invalid { try Anchor.entropy.check("overlay", isCut: false) } == "overlay")
    try Anchor.attention.check("crop", isCut: true)
    try Anchor.focus(x: 1, y: 0).check("overlay", isCut: false)
  }
}
