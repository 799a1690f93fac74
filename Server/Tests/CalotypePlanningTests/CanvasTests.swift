import CalotypeImaging
import Testing

@testable import CalotypePlanning

/// Canvases in the terms of transforms.
@Suite("Canvases")
struct CanvasTests {
  @Test(arguments: [
    // Larger on all sides, smaller on all sides, and each to one side.
    (30, 20, 3, 4), (5, 4, -2, -3), (30, 5, 2, -2), (6, 20, -4, 1), (10, 10, -3, 2), (10, 10, 3, -2),
    (10, 10, 0, 0),
  ])
  func keepPixelsInTheirPlaces(_ width: Int, _ height: Int, _ x: Int, _ y: Int) throws {
    let picture = try Pictures.places(10, 10)
    let canvas = CanvasOperation(size: Samples.size(width, height), origin: PixelPoint(x: x, y: y))
    let result = try TransformChain(canvas.transforms(of: picture.size)).apply(to: picture)
    #expect(result.size == canvas.size)
    for row in 0..<height {
      for column in 0..<width {
        let (left, top) = (column - x, row - y)
        let isPicture = (0..<10).contains(left) && (0..<10).contains(top)
        #expect(result.pixel(column, row) == (isPicture ? [UInt8(left), UInt8(top), 0, 255] : [0, 0, 0, 0]))
      }
    }
  }
}
