import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("SVG: the size at which drawings are drawn")
struct VectorSizeTests {
  private static let info = ImageInfo(
    format: .svg, size: PixelSize(width: 80, height: 40), hasAlpha: true, isVector: true)

  private func sizes(_ options: DecodeOptions) -> [PixelSize] {
    [options.sourceSize(of: Self.info), options.outputSize(for: Self.info)]
  }

  private func same(_ width: Int, _ height: Int) -> [PixelSize] {
    [PixelSize](repeating: PixelSize(width: width, height: height), count: 2)
  }

  @Test("its own size, a scale or a box without a thumbnail")
  func vectorSize() {
    #expect(sizes(DecodeOptions()) == same(80, 40))
    #expect(sizes(DecodeOptions(vectorSize: .scale(2.5))) == same(200, 100))
    #expect(sizes(DecodeOptions(vectorSize: .scale(0.001))) == same(1, 1))
    #expect(sizes(DecodeOptions(vectorSize: .box(PixelSize(width: 1000, height: 1000)))) == same(1000, 500))
    #expect(sizes(DecodeOptions(vectorSize: .box(PixelSize(width: 0, height: 10)))) == same(20, 10))
    #expect(sizes(DecodeOptions(maxPixels: 1600, vectorSize: .scale(4))) == same(56, 28))
  }

  @Test("the size of the thumbnail, also larger than its own, regardless of the vector size")
  func thumbnails() {
    for vectorSize in [nil, VectorSize.scale(3), .box(PixelSize(width: 7, height: 7))] {
      func sizes(_ thumbnail: Thumbnail, maxPixels: Int? = nil) -> [PixelSize] {
        self.sizes(DecodeOptions(thumbnail: thumbnail, maxPixels: maxPixels, vectorSize: vectorSize))
      }
      #expect(sizes(.fit(width: 512, height: 512)) == same(512, 256))
      #expect(sizes(.fit(width: 20)) == same(20, 10))
      #expect(sizes(.stretch(width: 300, height: 300)) == same(300, 300))
      #expect(sizes(Thumbnail(box: PixelSize(width: 90, height: 90), mode: .outside)) == same(180, 90))
      #expect(
        sizes(.fill(width: 100, height: 100))
          == [PixelSize(width: 200, height: 100), PixelSize(width: 100, height: 100)])
      #expect(sizes(.fit(width: 1000, height: 1000), maxPixels: 20_000) == same(200, 100))
    }
  }

  @Test("pictures with pixels are not enlarged")
  func pixels() {
    let info = ImageInfo(format: .png, size: PixelSize(width: 80, height: 40))
    let options = DecodeOptions(thumbnail: .fit(width: 512), vectorSize: .scale(4))
    #expect(options.sourceSize(of: info) == info.size && options.outputSize(for: info) == info.size)
  }

  @Test(
    "sizes that give no pixels are refused",
    arguments: [
      VectorSize.scale(0), .scale(-1), .scale(.nan), .scale(.infinity), .box(PixelSize(width: 0, height: 0)),
      .box(PixelSize(width: -1, height: 5)),
    ])
  func refused(size: VectorSize) {
    do throws(ImagingError) {
      try DecodeOptions(vectorSize: size).check()
      Issue.record("accepted")
    } catch {
      #expect(error.code == "invalidParameter")
    }
  }

  @Test("memory is predicted for the drawn size")
  func prediction() {
    let large = DecodeOptions(thumbnail: .fit(width: 4000)).workingByteCount(for: Self.info)
    #expect(large > 3 * 4000 * 2000 * 4 && large < 5 * 4000 * 2000 * 4)
    #expect(DecodeOptions().workingByteCount(for: Self.info) < 6 << 20)
    #expect(DecodeOptions(vectorSize: .scale(1e300)).workingByteCount(for: Self.info) == .max)
  }
}
