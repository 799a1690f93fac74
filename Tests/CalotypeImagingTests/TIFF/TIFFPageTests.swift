import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Pages")
struct TIFFPageTests {
  @Test("formats without pages have the page 0 and no other")
  func single() throws {
    let png = try Fixture.data("png/basn6a08.png")
    let coders = CoderRegistry.standard
    #expect(try coders.decode(png, options: DecodeOptions(page: 0)).size == PixelSize(width: 32, height: 32))
    let options = DecodeOptions(page: 1)
    func isRefused(_ body: () throws -> Void) -> Bool {
      do {
        try body()
        return false
      } catch {
        guard case ImagingError.invalidParameter("page", _) = error else { return false }
        return true
      }
    }
    #expect(isRefused { _ = try coders.decode(png, options: options) })
    #expect(isRefused { _ = try coders.decode(png, options: DecodeOptions(page: -1)) })
    #expect(isRefused { _ = try coders.decode(png, thumbnails: [nil], options: options) })
    #expect(isRefused { _ = try AnimatedImage(data: png, options: options) })
    #expect(isRefused { _ = try coders.probe(png, page: 1) })
    #expect(
      isRefused {
        let decoder = coders.makeIncrementalDecoder(options: options)
        try decoder.append(png)
        _ = try decoder.finish()
      })
  }

  @Test("each page of a file is described")
  func described() throws {
    let data = TIFFSample.file([TIFFSample(), TIFFSample(width: 4, height: 9, samples: 1, photometric: 1)])
    let info = try CoderRegistry.standard.probe(data, page: 1)
    #expect(info.size == PixelSize(width: 4, height: 9) && info.pageCount == 2)
    #expect(try CoderRegistry.standard.probe(data).size == PixelSize(width: 7, height: 5))
    #expect(throws: ImagingError.self) { try CoderRegistry.standard.probe(data, page: 2) }
  }

  #if TIFF
  @Test("each page of a file is decoded, upright and shrunk by its own size")
  func pages() throws {
    var turned = TIFFSample(width: 60, height: 20, value: { _, _, _ in 9 })
    turned.others = [.init(274, 6, type: 3)]
    let data = TIFFSample.file([
      TIFFSample(), turned, TIFFSample(width: 3, height: 3, samples: 1, photometric: 0),
    ])
    let coders = CoderRegistry.standard
    let second = try coders.decode(data, options: DecodeOptions(page: 1))
    #expect(second.size == PixelSize(width: 20, height: 60) && second.info?.pageCount == 3)
    let small = DecodeOptions(thumbnail: .fit(width: 30, height: 30), page: 1)
    #expect(try coders.decode(data, options: small).size == PixelSize(width: 10, height: 30))
    let sizes = try coders.decode(
      data, thumbnails: [nil, .fit(width: 6, height: 6)], options: DecodeOptions(page: 1))
    #expect(sizes.map(\.size.height) == [60, 6])
    #expect(try coders.decode(data, options: DecodeOptions(page: 2)).size == PixelSize(width: 3, height: 3))
    let decoder = coders.makeIncrementalDecoder(options: DecodeOptions(page: 1))
    try decoder.append(data)
    #expect(try decoder.finish().bitmap == second.bitmap)
    #expect(throws: ImagingError.self) { try coders.decode(data, options: DecodeOptions(page: 3)) }
  }

  /// A picture of one colour, whose other versions have others.
  private static func version(_ width: Int, _ height: Int, gray: Int, isReduced: Bool = true) -> TIFFSample {
    var sample = TIFFSample(width: width, height: height, value: { _, _, _ in gray })
    if isReduced { sample.others = [.init(254, 1)] }
    return sample
  }

  private static func gray(of data: Data, width: Int) throws -> UInt8? {
    let image = try CoderRegistry.standard.decode(
      data, options: DecodeOptions(thumbnail: .fit(width: width, height: width)))
    return image.bitmap.withUnsafeBytes { $0.first }
  }

  @Test("a thumbnail is made of the smallest version that suffices")
  func versions() throws {
    let data = TIFFSample.file([
      Self.version(160, 120, gray: 10, isReduced: false), Self.version(80, 60, gray: 20),
      Self.version(40, 30, gray: 30), Self.version(20, 20, gray: 40),
    ])
    // Thumbnails are made of twice as many pixels in each direction.
    let expected: [(Int, UInt8)] = [(160, 10), (80, 10), (41, 10), (40, 20), (21, 20), (20, 30)]
    for (width, gray) in expected { #expect(try Self.gray(of: data, width: width) == gray, "\(width)") }
    // The last version has another shape.
    #expect(try Self.gray(of: data, width: 10) == 30)
    let whole = try CoderRegistry.standard.decode(data)
    #expect(
      whole.bitmap.withUnsafeBytes { $0.first } == 10 && whole.size == PixelSize(width: 160, height: 120))
  }

  @Test("versions behind another page, or that are damaged, do not count")
  func wrongVersions() throws {
    let apart = TIFFSample.file([
      Self.version(160, 120, gray: 10, isReduced: false),
      Self.version(160, 120, gray: 50, isReduced: false),
      Self.version(40, 30, gray: 30),
    ])
    #expect(try Self.gray(of: apart, width: 20) == 10)
    var broken = Self.version(40, 30, gray: 30)
    broken.compression = 8
    broken.pack = { _, _, _ in [1, 2, 3, 4] }
    let damaged = TIFFSample.file([Self.version(160, 120, gray: 10, isReduced: false), broken])
    let image = try CoderRegistry.standard.decode(
      damaged, options: DecodeOptions(thumbnail: .fit(width: 20, height: 20)))
    #expect(image.bitmap.withUnsafeBytes { $0.first } == 10 && !image.isDamaged)
  }
  #endif
}
