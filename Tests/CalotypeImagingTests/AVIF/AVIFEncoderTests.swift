#if AVIF
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("AVIF: encoding", .enabled(if: CoderRegistry.standard.encodableFormats.contains(.avif)))
struct AVIFEncoderTests {
  private let encoder = AVIFEncoder()

  private func decoded(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image
  {
    try CoderRegistry.standard.decode(data, options: options)
  }

  @Test("lossless files keep every byte", arguments: [(1, 1), (3, 2), (17, 5), (64, 64)], [false, true])
  func lossless(size: (Int, Int), isOpaque: Bool) throws {
    let source = try WebPEncoderTests.gradient(width: size.0, height: size.1, isOpaque: isOpaque)
    let data = try encoder.encode(Image(bitmap: source), options: .avifLossless)
    let back = try decoded(data)
    #expect(back.bitmap == source)
    #expect(back.info?.hasAlpha == !isOpaque && back.info?.format == .avif)
  }

  @Test("a lossless file of 16 bits is refused")
  func losslessDeep() throws {
    let source = try WebPEncoderTests.gradient(width: 4, height: 4).converted(to: .rgba16)
    #expect(throws: ImagingError.self) { try encoder.encode(Image(bitmap: source), options: .avifLossless) }
    let data = try encoder.encode(Image(bitmap: source), options: .avif(quality: 90))
    #expect(try CoderRegistry.standard.probe(data).bitDepth == 10)
  }

  @Test("alpha is exact at its quality of 100")
  func alpha() throws {
    let source = try WebPEncoderTests.gradient(width: 40, height: 30, isOpaque: false)
    let exact = try decoded(try encoder.encode(Image(bitmap: source), options: .avif(quality: 40)))
    let isExact = alpha(of: exact.bitmap) == alpha(of: source)
    #expect(isExact)
    var options = EncodeOptions.avif(quality: 40)
    options.alphaQuality = 10
    let coarse = try decoded(try encoder.encode(Image(bitmap: source), options: options))
    let isCoarse = alpha(of: coarse.bitmap) != alpha(of: source)
    #expect(isCoarse)
  }

  private func alpha(of bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] } }
  }

  @Test("files get smaller with the quality, and with the effort")
  func sizes() throws {
    let image = try decoded(try Fixture.data("avif/arc_triomphe_extent1000_nullbyte_extent1310.avif"))
    var before = Int.max
    for quality in [100, 90, 75, 50, 25, 0] {
      let count = try encoder.encode(image, options: .avif(quality: quality)).count
      #expect(count < before, "quality \(quality)")
      before = count
    }
    func count(_ effort: EncodeOptions.Effort) throws -> Int {
      var options = EncodeOptions.avif()
      options.effort = effort
      return try encoder.encode(image, options: options).count
    }
    #expect(try count(.small) < count(.fast))
  }

  @Test("a photo with a smooth sky is no drawing: it takes fewer bytes than as a WebP")
  func smoothPhoto() throws {
    let photo = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/Photos/meadow.webp")
    let sky = DecodeOptions(
      thumbnail: .fit(width: 640, height: 480),
      transforms: [.crop(.relative(x: 0, y: 0, width: 0.5, height: 0.5))])
    let image = try decoded(try Data(contentsOf: photo), sky)
    let (ours, theirs) = (
      try image.encoded(as: .avif(quality: 80)), try image.encoded(as: .webp(quality: 80))
    )
    #expect(ours.count < theirs.count, "\(ours.count) bytes against \(theirs.count)")
  }

  @Test("a drawing has palettes")
  func drawing() throws {
    let size = PixelSize(width: 128, height: 128)
    let drawing = try Bitmap(size: size) { pixels throws(ImagingError) in
      for index in pixels.indices {
        let (x, y) = (index / 4 % 128, index / 512)
        pixels[index] = index % 4 == 3 || (x / 9 * y / 7 + x / 5) % 3 == 0 ? 255 : 0
      }
      return true
    }
    #expect(drawing.hasFlatAreas)
    let data = try encoder.encode(Image(bitmap: drawing), options: .avif(quality: 80))
    // Without palettes it takes 8,500.
    #expect(data.count < 1800, "\(data.count) bytes")
  }

  @Test("a limit of bytes is met")
  func fileSize() throws {
    let image = try decoded(try Fixture.data("avif/arc_triomphe_extent1000_nullbyte_extent1310.avif"))
    var options = EncodeOptions.avif(quality: 100)
    options.maxFileSize = 1500
    #expect(try CoderRegistry.standard.encode(image, as: options).count <= 1500)
  }

  @Test("profiles, code points and metadata are kept if they are asked for")
  func metadata() throws {
    let profile = ColorProfile.icc(try Fixture.data("Metadata/DisplayP3-v4.icc"))
    let xmp = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8)
    let image = Image(
      bitmap: try WebPEncoderTests.gradient(width: 16, height: 16), profile: profile,
      metadata: ImageMetadata(xmp: xmp))
    var options = EncodeOptions.avif()
    options.keeps = [.icc, .xmp]
    var reading = DecodeOptions(colors: .asStored)
    reading.readsMetadata = true
    let kept = try decoded(try encoder.encode(image, options: options), reading)
    #expect(kept.profile == profile && kept.metadata.xmp == xmp)
    let plain = try decoded(try encoder.encode(image, options: .avif()), reading)
    #expect(plain.metadata == ImageMetadata() && plain.profile == .sRGB)
    let points = ColorProfile.cicp(ColorProfile.CodePoints(primaries: 9, transfer: 16))
    let deep = Image(bitmap: try image.bitmap.converted(to: .rgba16), profile: points)
    let back = try decoded(
      try encoder.encode(deep, options: options), DecodeOptions(pixels: .native, colors: .asStored))
    guard case .cicp(let stored) = back.profile else {
      Issue.record("\(String(describing: back.profile))")
      return
    }
    #expect(stored.primaries == 9 && stored.transfer == 16 && back.info?.dynamicRange == .pq)
  }

  @Test("animations keep frames, durations and plays", arguments: [0, 1, 3], [true, false])
  func animations(plays: Int, isOpaque: Bool) throws {
    let side = 24
    let pictures = try (0..<3).map { index in
      try Bitmap(size: PixelSize(width: side, height: side)) { bytes in
        for pixel in 0..<side * side {
          let (x, y) = (pixel % side, pixel / side)
          let values = [x * 4 + 40 * index, y * 10, 80, isOpaque || x > 4 ? 255 : 0]
          for (channel, value) in values.enumerated() { bytes[4 * pixel + channel] = UInt8(value) }
        }
        return isOpaque
      }
    }
    let durations: [Duration] = [.milliseconds(20), .milliseconds(330), .seconds(2)]
    let source = AnimationSource(frameCount: 3, loopCount: plays) { index in
      AnimationSource.Frame(bitmap: pictures[index], duration: durations[index])
    }
    let data = try CoderRegistry.standard.encode(source, as: .avif(quality: 90))
    let animation = try AnimatedImage(data: data)
    #expect(animation.frameCount == 3 && animation.info.loopCount == plays)
    #expect(animation.info.durations == durations && animation.info.hasAlpha == !isOpaque)
    for index in 0..<3 {
      let back = try animation.frame(at: index).bitmap
      let isEqual = alpha(of: back) == alpha(of: pictures[index])
      #expect(isEqual, "frame \(index)")
      let errors = back.withUnsafeBytes { a in
        pictures[index].withUnsafeBytes { b in
          stride(from: 0, to: a.count, by: 4).reduce(0) { sum, at in
            b[at + 3] == 0 ? sum : sum + (0..<3).reduce(0) { $0 + abs(Int(a[at + $1]) - Int(b[at + $1])) }
          }
        }
      }
      #expect(errors / (24 * 24 * 3) < 24, "frame \(index)")
    }
    // The still that browsers show is there as well.
    #expect(try decoded(data).size == PixelSize(width: 24, height: 24))
  }

  @Test("invalid parameters are refused")
  func parameters() throws {
    let image = Image(bitmap: try SampleImages.bitmap())
    for options in [
      EncodeOptions.avif(quality: 101), .avif(quality: -1),
      EncodeOptions(format: .avif, extras: ["depth": "9"]),
      EncodeOptions(format: .avif, isLossless: true, extras: ["depth": "10"]),
    ] {
      #expect(throws: ImagingError.self, "\(options)") { try encoder.encode(image, options: options) }
    }
  }

  @Test("a cancelled task encodes nothing")
  func cancelled() async throws {
    let image = Image(bitmap: try SampleImages.bitmap())
    let task = Task { () -> ImagingError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(ImagingError) {
        _ = try AVIFEncoder().encode(image, options: .avif())
        return nil
      } catch { return error }
    }
    #expect(await task.value == .cancelled)
  }
}
#endif
