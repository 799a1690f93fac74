import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// PNG files of high dynamic range through the whole decode: options, thumbnails, frames in pieces, encoders.
@Suite("High dynamic range")
struct HighDynamicRangeTests {
  static let size = 64
  private static let file = PNGTestFile(width: size, height: size, depth: 16, colorType: 2)
  private static let points = ColorProfile.CodePoints(primaries: 9, transfer: 16, peakLuminance: 800)

  /// Smooth colours with bright lines, of up to 4,000 cd/m².
  static func sample(_ x: Int, _ y: Int, _ c: Int) -> Int {
    let line = (x + 2 * y) % 11 == 0 ? 14_000 : 0
    return min(65_535, 5_000 + 500 * x + (c == 0 ? 90 : 260) * y + 3_000 * c + line)
  }

  static func data(interlaced: Bool = false) -> Data {
    var file = file
    file.isInterlaced = interlaced
    let light = PNGTestFile.chunk("cLLI", PNGTestFile.number(8_000_000) + PNGTestFile.number(0))
    return file.file(
      PNGTestFile.chunk("cICP", [9, 16, 0, 1]) + light, PNGTestFile.chunk("IDAT", file.compressed(sample)))
  }

  private static func stored() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: size, height: size), format: .rgba16) { target in
      let samples = target.bindMemory(to: UInt16.self)
      for index in samples.indices {
        let (pixel, channel) = (index / 4, index % 4)
        samples[index] = channel == 3 ? 65_535 : UInt16(sample(pixel % size, pixel / size, channel))
      }
      return true
    }
  }

  private static func decode(_ options: DecodeOptions, interlaced: Bool = false) throws -> Image {
    try CoderRegistry.standard.decode(data(interlaced: interlaced), options: options)
  }

  private static func same(_ image: Image, _ other: Image) -> Bool {
    image.bitmap == other.bitmap && image.profile == other.profile
  }

  @Test("tones are mapped by default, from all bits")
  func mapped() throws {
    let stored = try Self.stored()
    let image = try Self.decode(DecodeOptions())
    let rounded = try stored.rounded(from: Self.points)
    #expect(image.profile == nil && image.bitmap == rounded)
    #expect(image.info?.dynamicRange == .pq)
    // Rounded to 8 bits first, some levels would be others.
    #expect(image.bitmap != (try stored.converted(to: .rgba8).converted(from: .cicp(Self.points))))
    let native = try Self.decode(DecodeOptions(pixels: .native))
    let converted = try stored.converted(from: .cicp(Self.points))
    #expect(native.profile == nil && native.bitmap == converted)
  }

  @Test("without tone mapping, samples and code points are those of the file")
  func unmapped() throws {
    let stored = try Self.stored()
    let raw = try Self.decode(DecodeOptions(pixels: .native, toneMapping: .none))
    #expect(raw.bitmap == stored && raw.profile == .cicp(Self.points))
    let shallow = try Self.decode(DecodeOptions(toneMapping: .none))
    let bytes = try stored.converted(to: .rgba8)
    #expect(shallow.bitmap == bytes && shallow.profile == .cicp(Self.points))
    #expect(Self.same(try Self.decode(DecodeOptions(colors: .asStored)), shallow))
    let small = Thumbnail(box: PixelSize(width: 9, height: 9), mode: .fit, linearLight: true)
    #expect(
      try Self.decode(DecodeOptions(thumbnail: small, toneMapping: .none)).profile == .cicp(Self.points))
    // Colours of standard range are converted all the same.
    let p3 = Self.file.file(
      PNGTestFile.chunk("cICP", [12, 13, 0, 1]), PNGTestFile.chunk("IDAT", Self.file.compressed(Self.sample)))
    let plain = try CoderRegistry.standard.decode(p3)
    let unmapped = try CoderRegistry.standard.decode(p3, options: DecodeOptions(toneMapping: .none))
    #expect(Self.same(unmapped, plain))
    #expect(plain.profile == nil)
  }

  @Test("a thumbnail is that of the mapped picture", arguments: [false, true])
  func thumbnails(interlaced: Bool) throws {
    let full = try Self.decode(DecodeOptions()).bitmap
    for thumbnail in [
      Thumbnail.fit(width: 32, height: 32), .fit(width: 9, height: 9), .fill(width: 20, height: 10),
      Thumbnail(box: PixelSize(width: 24, height: 24), mode: .fit, linearLight: true),
      Thumbnail(box: PixelSize(width: 2, height: 2), mode: .fit, filter: .box),
    ] {
      let small = try Self.decode(DecodeOptions(thumbnail: thumbnail), interlaced: interlaced)
      let expected = try full.shrunk(to: thumbnail, sourceSize: full.size, orientation: .topLeft)
      #expect(small.profile == nil && small.bitmap == expected, "\(thumbnail)")
    }
    // The means of stored samples, mapped, would be darker or lighter: the picture tells one from the other.
    let thumbnail = Thumbnail.fit(width: 9, height: 9)
    let late = try Self.stored().shrunk(to: thumbnail, sourceSize: full.size, orientation: .topLeft)
      .rounded(from: Self.points)
    let early = try full.shrunk(to: thumbnail, sourceSize: full.size, orientation: .topLeft)
    #expect(zip(ColorTests.bytes(late), ColorTests.bytes(early)).contains { abs(Int($0) - Int($1)) > 2 })
  }

  @Test("thumbnails of one decode are those of single ones")
  func shared() throws {
    let thumbnails: [Thumbnail?] = [.fit(width: 32, height: 32), .fit(width: 9, height: 9), nil]
    for group in [thumbnails, Array(thumbnails.prefix(2))] {
      let images = try CoderRegistry.standard.decode(Self.data(), thumbnails: group)
      for (image, thumbnail) in zip(images, group) {
        #expect(Self.same(image, try Self.decode(DecodeOptions(thumbnail: thumbnail))))
      }
    }
  }

  @Test("in pieces, the picture is the same", arguments: [false, true])
  func pieces(interlaced: Bool) throws {
    let data = Self.data(interlaced: interlaced)
    for options in [
      DecodeOptions(), DecodeOptions(toneMapping: .none), DecodeOptions(pixels: .native),
      DecodeOptions(thumbnail: .fit(width: 9, height: 9)),
    ] {
      let decoder = IncrementalDecoder(coders: .standard, options: options)
      var previews = 0
      for start in stride(from: 0, to: data.count, by: 4096) {
        try decoder.append(data[start..<min(start + 4096, data.count)])
        if let snapshot = try decoder.snapshot() {
          previews += 1
          #expect(snapshot.profile == (options.toneMapping == .none ? .cicp(Self.points) : nil))
        }
      }
      #expect(previews > 0)
      #expect(Self.same(try decoder.finish(), try Self.decode(options, interlaced: interlaced)))
    }
  }

  @Test("memory is predicted for all bits of the samples")
  func prediction() throws {
    var info = ImageInfo(format: .png, size: PixelSize(width: 4000, height: 3000), bitDepth: 16)
    info.layout.isKnown = true
    info.layout.hasProfile = true
    let standard = DecodeOptions().workingByteCount(for: info)
    info.dynamicRange = .pq
    #expect(DecodeOptions().workingByteCount(for: info) >= 12 * 12_000_000)
    #expect(DecodeOptions(toneMapping: .none).workingByteCount(for: info) == standard)
    let small = DecodeOptions(thumbnail: .fit(width: 1600, height: 1200))
    #expect(small.workingByteCount(for: info) < 4 * 12_000_000)
  }

  @Test("PNG keeps code points; formats that cannot hold them are in sRGB")
  func encoders() throws {
    let raw = try Self.decode(DecodeOptions(pixels: .native, toneMapping: .none))
    var options = EncodeOptions(format: .png)
    options.keeps = [.icc]
    let kept = try CoderRegistry.standard.encode(raw, as: options)
    let again = try CoderRegistry.standard.decode(
      kept, options: DecodeOptions(pixels: .native, colors: .asStored))
    #expect(again.bitmap == raw.bitmap && again.profile == raw.profile)
    let plain = try CoderRegistry.standard.encode(raw, as: EncodeOptions(format: .png))
    let mapped = try CoderRegistry.standard.decode(plain, options: DecodeOptions(pixels: .native))
    #expect(mapped.bitmap == (try Self.decode(DecodeOptions(pixels: .native)).bitmap))
    for format in [ImageFormat.jpeg, .webp, .bmp, .qoi] {
      options = EncodeOptions(format: format)
      let converted = try CoderRegistry.standard.encode(raw, as: options)
      options.keeps = [.icc]
      #expect(try CoderRegistry.standard.encode(raw, as: options) == converted, "\(format)")
      let calibrated = Image(bitmap: raw.bitmap, profile: .calibrated(.init(gamma: 1)))
      let linear = try CoderRegistry.standard.encode(calibrated, as: options)
      options.keeps = []
      #expect(try CoderRegistry.standard.encode(calibrated, as: options) == linear, "\(format)")
    }
    // Narrow range, another curve, and no peak.
    for points in [
      ColorProfile.CodePoints(primaries: 12, transfer: 13),
      .init(primaries: 9, transfer: 18, isFullRange: false),
    ] {
      options = EncodeOptions(format: .png)
      options.keeps = [.icc]
      let data = try CoderRegistry.standard.encode(
        Image(bitmap: raw.bitmap, profile: .cicp(points)), as: options)
      #expect(
        try CoderRegistry.standard.decode(data, options: DecodeOptions(colors: .asStored)).profile
          == .cicp(points))
    }
  }

  @Test("the frames of an animation are mapped, too")
  func animation() throws {
    var file = PNGTestFile(width: 8, height: 8, depth: 16, colorType: 6)
    file.isInterlaced = false
    let pixels = file.compressed { x, y, c in c == 3 ? 65_535 : 4_000 * (x + y) }
    let data = file.file(
      PNGTestFile.chunk("cICP", [9, 16, 0, 1]) + PNGTestFile.animation(frames: 2),
      PNGTestFile.frame(0, 8, 8), PNGTestFile.chunk("IDAT", pixels), PNGTestFile.frame(1, 8, 8),
      PNGTestFile.frameData(2, pixels))
    let still = try CoderRegistry.standard.decode(data)
    let animated = try AnimatedImage(data: data)
    for index in 0..<2 { #expect(try animated.frame(at: index).bitmap == still.bitmap) }
    let stored = try CoderRegistry.standard.decode(
      data, options: DecodeOptions(pixels: .native, colors: .asStored))
    #expect(still.bitmap == (try stored.bitmap.rounded(from: .init(primaries: 9, transfer: 16))))
  }
}
