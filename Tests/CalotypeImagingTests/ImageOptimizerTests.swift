import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Files get smaller, and show the same.
@Suite struct ImageOptimizerTests {
  private func optimized(_ data: Data) throws -> Data? { try ImageOptimizer().optimized(data) }

  private func stored(_ data: Data) throws -> Image {
    try CoderRegistry.standard.decode(
      data, options: DecodeOptions(appliesOrientation: false, colors: .asStored, readsMetadata: true))
  }

  @Test func pngKeepsPixelsAndChunks() throws {
    // Grey stored as RGB, in a stream of low effort.
    let bitmap = try ResamplePictures.make(90, 70) { x, y in
      let value = UInt8((x * x + y * 3) & 255)
      return [value, value, value, 255]
    }
    let samples = try PNGSamples(bitmap, try #require(try Self.rgb(of: bitmap)))
    var writer = PNGFileWriter(samples.header)
    writer.add(.gamma, UInt32(45455).bigEndianBytes)
    writer.add(.significantBits, [8, 8, 8])
    writer.add(.background, [0, 1, 0, 1, 0, 1])
    writer.add(.exif, Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
    writer.addImageData(
      try PNGDeflater.stream(
        PNGFilteredRows(samples, area: PixelRectangle(bitmap.size), filter: .none),
        .init(.fast, .none, byteCount: 0)))
    writer.add(.text, Array("Title".utf8) + [0, 0, 0, 0, 0] + Array("kept".utf8))
    let file = writer.finish()
    let made = try #require(try optimized(file))
    #expect(made.count < file.count)
    let (old, new) = (try stored(file), try stored(made))
    #expect(old.bitmap == new.bitmap && old.metadata == new.metadata && old.profile == new.profile)
    let text = String(decoding: made, as: UTF8.self)
    #expect(text.contains("kept") && text.contains("gAMA") && text.contains("eXIf"))
    // Of its own output, nothing smaller can be made.
    #expect(try optimized(made) == nil)
  }

  private static func rgb(of bitmap: Bitmap) throws -> PNGLayout? {
    let survey = PNGSurvey(clears: false)
    try survey.add(bitmap)
    return PNGLayout.candidates(
      for: survey, rules: .init(allowsGray: false, allowsPalette: false)
    ) { _ in false }.first
  }

  @Test func losslessWebPKeepsItsChunks() throws {
    let bitmap = try ResamplePictures.make(120, 90, opaque: false) { x, y in
      [UInt8(x * 2), UInt8(y * 2), UInt8((x ^ y) & 255), x < 5 ? 0 : 255]
    }
    var options = EncodeOptions.webpLossless
    options[.losslessLevel] = 0
    options.keeps = [.xmp]
    let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    let file = try WebPEncoder().encode(
      Image(bitmap: bitmap, metadata: ImageMetadata(xmp: xmp)), options: options)
    let made = try #require(try optimized(file))
    #expect(made.count < file.count)
    #expect(try stored(made).bitmap == bitmap)
    #expect(try stored(made).metadata.xmp == xmp)
    let lossy = try WebPEncoder().encode(Image(bitmap: bitmap), options: .webp(quality: 90))
    #expect(try optimized(lossy) == nil)
  }

  @Test func gifKeepsFramesAndIsLeftAloneWithAComment() throws {
    let source = AnimationSource(frameCount: 4, loopCount: 0) { index in
      AnimationSource.Frame(
        bitmap: try! ResamplePictures.make(60, 50) { x, y in
          [UInt8((x + index) / 8 * 30), UInt8(y / 10 * 50), 0, 255]
        }, duration: .milliseconds(80))
    }
    var options = EncodeOptions.gif
    options.effort = .fast
    var file = try GIFEncoder().encode(source, options: options)
    // A table that is twice as large as it has to be.
    let made = try optimized(file)
    if let made {
      #expect(made.count < file.count)
      let (old, new) = (try AnimatedImage(data: file), try AnimatedImage(data: made))
      for index in 0..<4 { #expect(try old.frame(at: index).bitmap == new.frame(at: index).bitmap) }
    }
    file.insert(contentsOf: [0x21, 0xFE, 4] + Array("note".utf8) + [0], at: file.count - 1)
    #expect(try optimized(file) == nil)
  }

  @Test func otherFilesAreLeftAlone() throws {
    let image = Image(bitmap: try ResamplePictures.noise(30, 30))
    for options in [EncodeOptions.bmp, .qoi] {
      #expect(try optimized(CoderRegistry.standard.encode(image, as: options)) == nil)
    }
    let png = try CoderRegistry.standard.encode(image, as: .png)
    #expect(throws: ImagingError.self) { try optimized(png.prefix(png.count / 2)) }
    #expect(throws: ImagingError.self) { try optimized(Data("no image".utf8)) }
  }
}
