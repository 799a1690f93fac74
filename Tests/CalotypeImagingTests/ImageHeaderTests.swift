import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Headers in the first bytes")
struct ImageHeaderTests {
  private static let options: [EncodeOptions] = [
    .jpeg(), .png, .webp(), .webpLossless, .gif, .qoi, .ico, .bmp,
  ]

  @Test("a prefix has either the header of the whole image, or too few bytes", arguments: options)
  func stills(options: EncodeOptions) throws {
    let data = try SampleImages.still(options, width: 50, height: 40)
    let whole = try CoderRegistry.standard.probe(data)
    var first: Int?
    for count in 0...data.count {
      guard let header = try CoderRegistry.standard.header(of: data.prefix(count)) else {
        #expect(first == nil, "\(count) bytes are too few, but \(first ?? 0) were enough")
        continue
      }
      first = first ?? count
      #expect(header.info == whole)
    }
    #expect(try #require(first) < data.count)
  }

  @Test("the prefixes of test images have the size of the whole, or too few bytes")
  func fixtures() throws {
    for name in [
      "webp/alpha-ramp-lossy.webp", "webp/catdog-alert-13-alpha-used-false.webp",
    ] {
      let data = try Fixture.data(name)
      let whole = try CoderRegistry.standard.probe(data)
      var found = 0
      for count in 0...data.count {
        guard let header = try CoderRegistry.standard.header(of: data.prefix(count)) else { continue }
        found += 1
        #expect(
          header.info.size == whole.size && header.info.hasAlpha == whole.hasAlpha, "\(name), \(count) bytes")
      }
      #expect(found > 0, "\(name)")
    }
  }

  @Test(
    "the frames of an animation are those that are there, or announced",
    arguments: [EncodeOptions.gif, .apng, .webpLossless])
  func animations(options: EncodeOptions) throws {
    let data = try SampleImages.animation(options, frames: 4, width: 50, height: 40)
    let whole = try CoderRegistry.standard.probe(data)
    var counts: [Int] = []
    for count in 0...data.count {
      guard let header = try CoderRegistry.standard.header(of: data.prefix(count)) else { continue }
      #expect(header.info.format == whole.format && header.info.size == whole.size)
      #expect(!header.info.isDamaged)
      if header.hasAllFrames { #expect(header.info == whole) }
      if counts.last != header.info.frameCount { counts.append(header.info.frameCount) }
    }
    #expect(counts == (options.format == .apng ? [4] : [1, 2, 3, 4]))
    if options.format != .apng { #expect(try CoderRegistry.standard.header(of: data)?.hasAllFrames == true) }
  }

  @Test("the orientation and the profile before the pixels are read, and limits hold")
  func details() throws {
    let bitmap = try SampleImages.bitmap(width: 50, height: 40)
    let image = Image(bitmap: bitmap, orientation: .rightTop)
    var jpeg = try SampleImages.still(.jpeg(), width: 50, height: 40)
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM".utf8) + [
        0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6,
      ]
      + [0, 0, 0, 0, 0, 0]
    jpeg.insert(contentsOf: exif, at: 2)
    let header = try #require(try CoderRegistry.standard.header(of: jpeg.prefix(700)))
    #expect(header.info.orientation == .rightTop)
    #expect(image.orientation == .rightTop)
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.header(of: jpeg, limits: DecodeLimits(maxPixels: 100))
    }
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.header(of: Data(String(repeating: "<html> ", count: 1000).utf8))
    }
    #expect(try CoderRegistry().header(of: Data()) == nil)
  }
}
