@testable import CalotypeImaging
import Testing

@Suite struct FlipTests {
  @Test func sidesChangePlaces() throws {
    let source = try RasterSteps.picture("RGB/KW.")
    #expect(try Transforms.Flip(.horizontal).apply(to: source).letters == "BGR/.WK")
    #expect(try Transforms.Flip(.vertical).apply(to: source).letters == "KW./RGB")
  }

  @Test(arguments: Transforms.Flip.Direction.allCases)
  func randomPictures(direction: Transforms.Flip.Direction) throws {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (67, 41), (33, 70)] {
      let source = try ResamplePictures.noise(width, height, opaque: false)
      let result = try Transforms.Flip(direction).apply(to: source)
      #expect(result == (try ResamplePictures.mirrored(source, horizontally: direction == .horizontal)))
      #expect(try Transforms.Flip(direction).apply(to: result) == source)
    }
  }

  @Test func textAndNonsense() throws {
    for direction in Transforms.Flip.Direction.allCases {
      #expect(try RasterSteps.readsBack(Transforms.Flip(direction), Transforms.Flip.init))
    }
    #expect(ImageTransform.flip(.horizontal).identity == "flip:horizontal")
    for text in ["flip", "flip:both", "flip:horizontal,vertical"] {
      #expect(RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Flip.init) } == "flip", "\(text)")
    }
  }

  @Test func stopsWhenCancelled() async throws {
    #expect(
      await RasterSteps.cancelled(Transforms.Flip(.vertical), try ResamplePictures.noise(3, 3)) == .cancelled)
  }
}
