@testable import CalotypeImaging
import FoundationEssentials
import Testing

/// Pages and frames one below the other.
@Suite struct PageStackTests {
  private static let frames = 4

  /// An animation whose frames have the number of the frame as red.
  private static func animation() throws -> Data {
    let bitmaps = try (0..<frames).map { index in
      try ResamplePictures.make(5, 3) { x, y in [UInt8(40 * index), UInt8(x), UInt8(y), 255] }
    }
    let source = AnimationSource(frameCount: frames, loopCount: 0) { index in
      .init(bitmap: bitmaps[index], duration: .milliseconds(50))
    }
    return try CoderRegistry.standard.encode(source, as: .apng)
  }

  @Test(arguments: [0..<1, 2..<3, 0..<4, 1..<3])
  func framesAreStacked(_ pages: Range<Int>) throws {
    let image = try CoderRegistry.standard.decode(Self.animation(), pages: pages)
    #expect(image.bitmap.size == PixelSize(width: 5, height: 3 * pages.count))
    for (row, page) in pages.enumerated() {
      for y in 0..<3 {
        #expect(RasterSteps.pixel(image.bitmap, 4, 3 * row + y) == [UInt8(40 * page), 4, UInt8(y), 255])
      }
    }
  }

  @Test func optionsHoldForPagesAndTransformsForTheWhole() throws {
    var options = DecodeOptions(thumbnail: Thumbnail(box: PixelSize(width: 2, height: 2), mode: .stretch))
    options.transforms = [.crop(.pixels(x: 1, y: 1, width: 1, height: 4))]
    options.animationTransforms = .firstFrame
    let image = try CoderRegistry.standard.decode(Self.animation(), pages: 1..<4, options: options)
    #expect(image.bitmap.size == PixelSize(width: 1, height: 4))
    #expect((0..<4).map { RasterSteps.pixel(image.bitmap, 0, $0)[0] } == [40, 80, 80, 120])
  }

  @Test func stillPicturesHaveOnePage() throws {
    let bitmap = try ResamplePictures.noise(3, 2)
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
    #expect(try CoderRegistry.standard.decode(data, pages: 0..<1).bitmap == bitmap)
    for pages in [1..<2, 0..<2, 0..<0, -1..<1, 0..<Int.max] {
      #expect(RasterSteps.invalid { try CoderRegistry.standard.decode(data, pages: pages) } == "pages")
    }
    for pages in [4..<5, 0..<5, 2..<2, -2..<1] {
      #expect(
        RasterSteps.invalid { try CoderRegistry.standard.decode(Self.animation(), pages: pages) } == "pages")
    }
  }

  @Test func pixelsOfAllPagesAreLimited() throws {
    let data = try Self.animation()
    let options = DecodeOptions(limits: DecodeLimits(maxPixels: 30))
    #expect(try CoderRegistry.standard.decode(data, pages: 1..<3, options: options).bitmap.height == 6)
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 45, limit: 30)) {
      try CoderRegistry.standard.decode(data, pages: 1..<4, options: options)
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let data = try Self.animation()
    let task = Task { () throws -> Image in
      withUnsafeCurrentTask { $0?.cancel() }
      return try CoderRegistry.standard.decode(data, pages: 0..<3)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
