import FoundationEssentials
import Glibc
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

  /// An animation that is stored without care.
  private func animation(_ format: ImageFormat) throws -> Data {
    let bitmaps = try (0..<3).map { index in
      try ResamplePictures.make(90, 70, opaque: false) { x, y in
        [UInt8((x + index * 5) / 9 * 20), UInt8(y / 10 * 30), UInt8((x ^ y) & 31), x < 4 ? 0 : 255]
      }
    }
    let source = AnimationSource(frameCount: 3, loopCount: 2) { index in
      AnimationSource.Frame(bitmap: bitmaps[index], duration: .milliseconds(80))
    }
    var options = EncodeOptions(format: format, isLossless: format == .webp)
    options.effort = .fast
    if format == .webp { options[.losslessLevel] = 0 }
    return try CoderRegistry.standard.encode(source, as: options)
  }

  @Test(arguments: [ImageFormat.apng, .webp]) func animationsKeepTheirFrames(_ format: ImageFormat) throws {
    var file = try animation(format)
    if format == .apng {
      let text = PNGChecksum.chunk(.latinText, Array("Title".utf8) + [0] + Array("kept".utf8))
      file.insert(contentsOf: text, at: 33)
    }
    let made = try #require(try optimized(file))
    #expect(made.count < file.count)
    let (old, new) = (try AnimatedImage(data: file), try AnimatedImage(data: made))
    #expect(old.info.durations == new.info.durations && new.loopCount == 2 && new.frameCount == 3)
    for index in 0..<3 { #expect(try old.frame(at: index).bitmap == new.frame(at: index).bitmap) }
    #expect(String(decoding: made, as: UTF8.self).contains("kept") == (format == .apng))
    #expect(try optimized(made) == nil)
  }

  @Test func animationsWithOtherChunksAreLeftAlone() throws {
    var file = try animation(.apng)
    file.insert(contentsOf: PNGChecksum.chunk(.gamma, UInt32(45455).bigEndianBytes), at: 33)
    #expect(try optimized(file) == nil)
    let lossy = AnimationSource(frameCount: 2, loopCount: 0) { index in
      AnimationSource.Frame(
        bitmap: try! ResamplePictures.noise(30, 30, seed: UInt64(index + 1)), duration: .milliseconds(80))
    }
    #expect(try optimized(CoderRegistry.standard.encode(lossy, as: .webp(quality: 90))) == nil)
  }

  private func lossy(_ data: Data, _ score: Double) throws -> Data? {
    var optimizer = ImageOptimizer()
    optimizer.effort = .balanced
    optimizer.target = .target(.ssimulacra2(score))
    return try optimizer.optimized(data)
  }

  private var smooth: Bitmap {
    get throws {
      try ResamplePictures.make(160, 120) { x, y in
        let noise = Double((x &* 7919 ^ y &* 104_729 ^ x &* y &* 31) % 13)
        return [
          UInt8(110 + 100 * sin(Double(x) / 17) + noise), UInt8(128 + 90 * sin(Double(y) / 11)), UInt8(x),
          255,
        ]
      }
    }
  }

  @Test func lossyPNGGetsAPaletteThatIsGoodEnough() throws {
    let file = try CoderRegistry.standard.encode(Image(bitmap: try smooth), as: .png)
    let quality = try ImageQuality(original: try smooth)
    var sizes: [Int] = []
    for score in [70.0, 40] {
      let made = try #require(try lossy(file, score))
      #expect(try quality.ssimulacra2(of: stored(made).bitmap) >= score - 1)
      sizes.append(made.count)
    }
    #expect(sizes[1] <= sizes[0] && sizes[0] * 10 <= file.count * 9)
    // No palette is as good as that.
    let best = try lossy(file, 99.9)
    #expect(try best.map { try stored($0).bitmap == smooth } ?? true)
    // Colours of a palette are not reduced again.
    let first = try #require(try lossy(file, 70))
    let again = try lossy(first, 30)
    #expect(try again.map { try stored($0).bitmap == stored(first).bitmap } ?? true)
  }

  @Test func lossyJPEGKeepsItsSegments() throws {
    var options = EncodeOptions.jpeg(quality: 97)
    options.subsampling = .yuv444
    var file = try CoderRegistry.standard.encode(Image(bitmap: try smooth), as: options)
    file.insert(contentsOf: [0xFF, 0xFE, 0, 6] + Array("note".utf8), at: 20)
    let made = try #require(try lossy(file, 80))
    #expect(made.count * 10 <= file.count * 9)
    #expect(String(decoding: made, as: UTF8.self).contains("note"))
    let score = try ImageQuality(original: try stored(file).bitmap).ssimulacra2(of: stored(made).bitmap)
    #expect(score >= 79)
    // A list of further pictures, and bytes behind the picture.
    var several = file
    several.insert(contentsOf: [0xFF, 0xE2, 0, 6] + Array("MPF".utf8) + [0], at: 20)
    #expect(JPEGSegments(file) != nil && JPEGSegments(several) == nil)
    #expect(JPEGSegments(file + Data([0])) == nil)
    for count in 0..<file.count where count < 400 { #expect(JPEGSegments(file.prefix(count)) == nil) }
  }

  @Test func lossyGIFIsGoodEnough() throws {
    let source = AnimationSource(frameCount: 3, loopCount: 0) { index in
      AnimationSource.Frame(
        bitmap: try! ResamplePictures.make(90, 70) { x, y in
          [
            UInt8(100 + 80 * sin(Double(x + index) / 9)), UInt8(128 + 90 * sin(Double(y) / 11)), UInt8(x),
            255,
          ]
        }, duration: .milliseconds(80))
    }
    let file = try GIFEncoder().encode(source, options: .gif)
    let made = try #require(try lossy(file, 70))
    #expect(made.count * 10 <= file.count * 9)
    let (old, new) = (try AnimatedImage(data: file), try AnimatedImage(data: made))
    var sum = 0.0
    for index in 0..<3 {
      sum += try ImageQuality(original: old.frame(at: index).bitmap)
        .ssimulacra2(of: new.frame(at: index).bitmap)
    }
    #expect(sum / 3 >= 69)
  }
}
