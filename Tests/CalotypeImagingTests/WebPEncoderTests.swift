import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct WebPEncoderTests {
  private let encoder = WebPEncoder()

  /// Colours in all directions; alpha too, with colours under full transparency, unless opaque.
  static func gradient(width: Int, height: Int, isOpaque: Bool = true) throws(ImagingError) -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let at = 4 * (y * width + x)
          bytes[at] = UInt8(x * 255 / max(1, width - 1))
          bytes[at + 1] = UInt8(y * 255 / max(1, height - 1))
          bytes[at + 2] = UInt8((x &* 31 ^ y &* 17) & 255)
          bytes[at + 3] = isOpaque ? 255 : UInt8(x * 37 % 256)
        }
      }
      return isOpaque
    }
  }

  private func decoded(_ data: Data) throws(ImagingError) -> Image {
    try WebPDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
  }

  @Test(arguments: [(1, 1), (3, 2), (17, 5), (64, 64)], [false, true])
  func keepsEveryByteLosslessly(size: (Int, Int), isOpaque: Bool) throws {
    let source = try Self.gradient(width: size.0, height: size.1, isOpaque: isOpaque)
    let data = try encoder.encode(Image(bitmap: source), options: .webpLossless)
    let back = try decoded(data)
    #expect(back.bitmap == source)
    #expect(back.bitmap.isOpaque == isOpaque)
    #expect(back.info?.hasAlpha == !isOpaque)
  }

  @Test func keepsAlphaExactlyAndColoursNearlyWhenLossy() throws {
    let source = try Self.gradient(width: 40, height: 30, isOpaque: false)
    let back = try decoded(try encoder.encode(Image(bitmap: source), options: .webp(quality: 95)))
    #expect(back.info?.hasAlpha == true)
    let wanted = source.withUnsafeBytes { Array($0) }
    let got = back.bitmap.withUnsafeBytes { Array($0) }
    var alphaErrors = 0
    var colorError = 0
    for pixel in stride(from: 0, to: got.count, by: 4) {
      if got[pixel + 3] != wanted[pixel + 3] { alphaErrors += 1 }
      // Green stands for brightness; colours below transparent pixels are free.
      if got[pixel + 3] > 0 { colorError += abs(Int(got[pixel + 1]) - Int(wanted[pixel + 1])) }
    }
    #expect(alphaErrors == 0)
    #expect(colorError < 16 * got.count / 4)
  }

  @Test func nearlyLosslessFilesAreSmallerAndNear() throws {
    let bitmap = try CoderRegistry.standard.decode(Fixture.data("Corpus/jpeg/exif/Canon_40D.jpg")).bitmap
    func encoded(_ quality: Int?) throws -> Data {
      var options = EncodeOptions.webpLossless
      options.nearLosslessQuality = quality
      return try WebPEncoder().encode(Image(bitmap: bitmap), options: options)
    }
    let exact = try encoded(nil)
    #expect(try decoded(exact).bitmap == bitmap)
    for (quality, tolerance) in [(60, 8), (0, 32)] {
      let data = try encoded(quality)
      #expect(data.count < exact.count)
      let difference = ResamplePictures.largestDifference(
        ResamplePictures.bytes(try decoded(data).bitmap), ResamplePictures.bytes(bitmap))
      #expect(difference > 0 && difference <= tolerance)
    }
    for quality in [-1, 100, Int.max] {
      #expect(RasterSteps.invalid { try encoded(quality) } == "nearLosslessQuality")
    }
  }

  @Test func isTunedForItsContent() throws {
    let bitmap = try Self.gradient(width: 64, height: 64)
    let files = try EncodeOptions.Content.allCases.map { content in
      var options = EncodeOptions.webp(quality: 50)
      options.content = content
      let data = try WebPEncoder().encode(Image(bitmap: bitmap), options: options)
      #expect(try decoded(data).bitmap.size == bitmap.size)
      return data
    }
    #expect(Set(files).count >= 3)
    #expect(try WebPEncoder().encode(Image(bitmap: bitmap), options: .webp(quality: 50)) == files[0])
  }

  @Test func getsSmallerWithTheQuality() throws {
    let image = Image(bitmap: try Self.gradient(width: 64, height: 64))
    var before = Int.max
    for quality in [100, 75, 30, 0] {
      let count = try encoder.encode(image, options: .webp(quality: quality)).count
      #expect(count < before)
      before = count
    }
  }

  @Test func refusesSizesThatTheFormatCannotHold() throws {
    let wide = try Self.gradient(width: WebPEncoder.maxSide + 1, height: 1)
    let error = #expect(throws: ImagingError.self) {
      try encoder.encode(Image(bitmap: wide), options: .webpLossless)
    }
    #expect(error?.code == "invalidParameter")
    #expect(error?.description.contains("16383") == true)
    let fits = try Self.gradient(width: WebPEncoder.maxSide, height: 1)
    #expect(try decoded(try encoder.encode(Image(bitmap: fits), options: .webpLossless)).bitmap == fits)
  }

  @Test(arguments: [-1, 101])
  func refusesQualitiesOutOfRange(quality: Int) throws {
    let image = Image(bitmap: try Self.gradient(width: 2, height: 2))
    let error = #expect(throws: ImagingError.self) {
      try encoder.encode(image, options: .webp(quality: quality))
    }
    #expect(error?.code == "invalidParameter")
  }

  @Test func stopsWhenItsTaskIsCancelled() async throws {
    let image = Image(bitmap: try Self.gradient(width: 128, height: 128))
    for options in [EncodeOptions.webp(quality: 80), .webpLossless] {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try WebPEncoder().encode(image, options: options)
      }
      await #expect(throws: ImagingError.cancelled) { try await task.value }
    }
  }

  @Test(arguments: EncodeOptions.Effort.allCases, [false, true])
  func keepsAnimationsLosslesslyWithAnyEffort(effort: EncodeOptions.Effort, isOpaque: Bool) throws {
    var options = EncodeOptions.webpLossless
    options.effort = effort
    let bitmaps = try (0..<5).map { phase in
      try Bitmap(size: PixelSize(width: 31, height: 17)) { bytes in
        for at in 0..<bytes.count {
          bytes[at] = UInt8(truncatingIfNeeded: (at / 4 % 31) * 3 + phase * (at / 600))
        }
        for at in stride(from: 3, to: bytes.count, by: 4) {
          bytes[at] = isOpaque || at % 5 > 1 ? 255 : UInt8(at * phase % 255) | 1
        }
        return isOpaque
      }
    }
    let source = AnimationSource(frameCount: 5, loopCount: 4) { index in
      AnimationSource.Frame(bitmap: bitmaps[index], duration: .milliseconds(30 + 10 * index))
    }
    let data = try encoder.encode(source, options: options)
    let frames = try #require(try WebPDecoder().makeFrameDecoder(data, options: DecodeOptions()))
    #expect(frames.info.durations.map(\.wholeMilliseconds) == [30, 40, 50, 60, 70])
    #expect(frames.info.loopCount == 4)
    for index in 0..<5 { #expect(try frames.frame(at: index) == bitmaps[index], "frame \(index)") }
  }

  @Test func keepsWhatItIsToldTo() throws {
    let bitmap = try Self.gradient(width: 20, height: 10)
    let metadata = ImageMetadata(exif: MetadataKeptTests.block(bigEndian: true), xmp: Data("<x/>".utf8))
      .kept([.exif, .xmp])
    let profile = ColorProfile.icc(try Fixture.data("Metadata/DisplayP3-v4.icc"))
    let image = Image(bitmap: bitmap, profile: profile, metadata: metadata)
    for kinds in [[], [.icc], [.exif], [.xmp], [.icc, .exif, .xmp]] as [Set<ImageMetadata.Kind>] {
      var options = EncodeOptions.webpLossless
      options.keeps = kinds
      let data = try encoder.encode(image, options: options)
      let back = try WebPDecoder().decode(
        data, minimumSize: nil, options: DecodeOptions(readsMetadata: true))
      #expect(back.bitmap == bitmap)
      #expect(back.profile == (kinds.contains(.icc) ? profile : nil))
      #expect(back.metadata.exif == (kinds.contains(.exif) ? metadata.exif : nil))
      #expect(back.metadata.xmp == (kinds.contains(.xmp) ? metadata.xmp : nil))
      let plain = try WebPDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      #expect(plain.metadata == ImageMetadata())
    }
  }

  @Test func spendsEffortOnBytes() throws {
    let image = Image(bitmap: try Self.gradient(width: 200, height: 200))
    for base in [EncodeOptions.webp(quality: 80), .webpLossless] {
      var (fast, small) = (base, base)
      fast.effort = .fast
      small.effort = .small
      #expect(try encoder.encode(image, options: small).count < encoder.encode(image, options: fast).count)
    }
  }

  @Test func lowersTheQualityOfAlphaWhenAsked() throws {
    let source = try Self.gradient(width: 64, height: 64, isOpaque: false)
    var options = EncodeOptions.webp()
    options.alphaQuality = 0
    let coarse = try decoded(try encoder.encode(Image(bitmap: source), options: options)).bitmap
    let levels = coarse.withUnsafeBytes { bytes in
      Set(stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] })
    }
    #expect(levels.count < 20)
    options.alphaQuality = 101
    #expect(throws: ImagingError.self) { try encoder.encode(Image(bitmap: source), options: options) }
  }

  @Test func takesOtherPixelFormats() throws {
    let grey = try Bitmap(size: PixelSize(width: 9, height: 3), format: .gray8) { bytes in
      for at in 0..<bytes.count { bytes[at] = UInt8(at * 9) }
      return true
    }
    for format in [PixelFormat.gray8, .rgba16] {
      let source = try grey.converted(to: format)
      let back = try decoded(try encoder.encode(Image(bitmap: source), options: .webpLossless)).bitmap
      #expect(back == (try grey.converted(to: .rgba8)))
    }
  }

  @Test(arguments: WebPSetting.allCases) func settingsAreCheckedAndHaveAnEffect(_ setting: WebPSetting) throws
  {
    let image = Image(bitmap: try ResamplePictures.noise(96, 64, opaque: false, seed: 4))
    func encode(_ change: (inout EncodeOptions) -> Void) throws -> Data {
      var options = setting == .losslessLevel ? EncodeOptions.webpLossless : .webp(quality: 60)
      // Partitions are written by methods below 3 alone.
      if setting == .partitions { options[.method] = 1 }
      change(&options)
      guard [.mixed, .keyFrameMinimum, .keyFrameMaximum].contains(setting) else {
        return try WebPEncoder().encode(image, options: options)
      }
      let source = AnimationSource(frameCount: 3, loopCount: 0) { _ in
        AnimationSource.Frame(bitmap: image.bitmap, duration: .milliseconds(50))
      }
      return try WebPEncoder().encode(source, options: options)
    }
    for value in [setting.range.lowerBound, setting.range.upperBound] where setting != .keyFrameMinimum {
      let data = try encode {
        $0[setting] = value
        if setting == .minimumQuality { $0[.maximumQuality] = 100 }
      }
      #expect(try WebPDecoder().probe(data, limits: .default).size == image.bitmap.size)
    }
    for value in [setting.range.lowerBound - 1, setting.range.upperBound + 1] {
      #expect(throws: ImagingError.self) { try encode { $0[setting] = value } }
    }
    let effects: [WebPSetting: (Int, Int)] = [
      .method: (0, 6), .segments: (1, 4), .spatialNoiseShaping: (0, 100),
      .preprocessing: (0, 2), .partitions: (0, 3), .alphaCompression: (0, 1), .sharpYUV: (0, 1),
      .jpegSize: (0, 1), .minimumQuality: (0, 90), .losslessLevel: (0, 9),
    ]
    if let (low, high) = effects[setting] {
      #expect(try encode { $0[setting] = low } != encode { $0[setting] = high })
    }
  }
}
