import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

#if TIFF
@Suite("TIFF: pixels")
struct TIFFDecoderTests {
  private static func decode(
    _ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws(ImagingError) -> Image {
    var options = DecodeOptions(colors: .asStored)
    change(&options)
    return try CoderRegistry.standard.decode(data, options: options)
  }

  private static func bytes(_ image: Image) -> [UInt8] { image.bitmap.withUnsafeBytes { Array($0) } }

  /// The pixels of a sample whose samples are the first of red, green, blue and alpha, or grey and alpha.
  private static func expected(_ sample: TIFFSample, _ pixel: ([Int]) -> [UInt8]) -> [UInt8] {
    (0..<sample.height).flatMap { y in
      (0..<sample.width).flatMap { x in
        let most = (1 << sample.bits) - 1
        return pixel((0..<sample.samples).map { sample.value(x, y, $0) & most })
      }
    }
  }

  @Test("RGB in strips, tiles and planes, both byte orders, classic and big", arguments: 0..<24)
  func layouts(index: Int) throws {
    var sample = TIFFSample(isPlanar: index & 1 > 0, isBigEndian: index & 2 > 0, isBig: index & 4 > 0)
    switch index / 8 {
    case 0: break
    case 1: sample.rows = 2
    default: sample.tile = (16, 16)
    }
    (sample.width, sample.height) = (19, 18)
    let image = try Self.decode(sample.data)
    #expect(image.info == ImageInfo(format: .tiff, size: PixelSize(width: 19, height: 18)))
    #expect(Self.bytes(image) == Self.expected(sample) { $0.map { UInt8($0) } + [255] })
    #expect(image.bitmap.isOpaque && image.bitmap.format == .rgba8)
  }

  @Test(
    "every compression",
    arguments: [5, 8, 32_773, 32_946, 50_000], [false, true])
  func compressions(number: Int, isTiled: Bool) throws {
    let pack =
      switch number {
      case 5: TIFFSample.lzw
      case 32_773: TIFFSample.packBits
      case 50_000: TIFFSample.zstd
      default: TIFFSample.deflate
      }
    for isPlanar in [false, true] {
      var sample = TIFFSample(width: 40, height: 21, compression: number, isPlanar: isPlanar, pack: pack)
      if isTiled { sample.tile = (16, 16) } else { sample.rows = 8 }
      let image = try Self.decode(sample.data)
      #expect(Self.bytes(image) == Self.expected(sample) { $0.map { UInt8($0) } + [255] })
    }
  }

  @Test("JPEG and WebP inside")
  func coded() throws {
    var sample = TIFFSample(
      width: 32, height: 24, compression: 7, rows: 16, value: { x, y, _ in 4 * x + 3 * y })
    sample.photometric = 6
    sample.others = [.init(530, [2, 2], type: 3)]
    sample.pack = TIFFSample.encoded(by: .jpeg(quality: 95))
    let jpeg = Self.bytes(try Self.decode(sample.data))
    let plain = Self.expected(sample) { $0.map { UInt8($0) } + [255] }
    #expect(zip(jpeg, plain).allSatisfy { abs(Int($0) - Int($1)) <= 8 })
    sample.compression = 50_001
    sample.photometric = 2
    sample.others = []
    sample.pack = TIFFSample.encoded(by: .webpLossless)
    #expect(Self.bytes(try Self.decode(sample.data)) == plain)
  }

  @Test("strips of JPEG are decoded at a smaller scale", arguments: [false, true])
  func scaled(isRGB: Bool) throws {
    var sample = TIFFSample(
      width: 200, height: 170, compression: 7, rows: 32, value: { x, y, s in x / 2 + y / 4 + 9 * s })
    sample.photometric = isRGB ? 2 : 6
    if !isRGB { sample.others = [.init(530, [2, 2], type: 3)] }
    var options: EncodeOptions = .jpeg(quality: 95)
    // Fixed tables, which all strips have in common.
    options.effort = .fast
    sample.pack = TIFFSample.encoded(by: options)
    let minimum = PixelSize(width: 40, height: 40)
    let decoder = TIFFDecoder()
    let small = try decoder.decode(sample.data, minimumSize: minimum, options: DecodeOptions())
    #expect(small.size == PixelSize(width: 50, height: 43))
    guard !isRGB else { return }
    let whole = try decoder.decode(sample.data, minimumSize: nil, options: DecodeOptions())
    let expected = try whole.bitmap.shrunk(
      to: .stretch(width: 50, height: 43), sourceSize: whole.size, orientation: .topLeft)
    let (a, b) = (Self.bytes(small), Self.bytes(Image(bitmap: expected)))
    let differences = zip(a, b).map { abs(Int($0) - Int($1)) }
    #expect(differences.reduce(0, +) < 2 * a.count && (differences.max() ?? 0) < 40)
    // Strips with tables of their own are decoded at full size.
    sample.pack = TIFFSample.encoded(by: .jpeg(quality: 95))
    let other = try decoder.decode(sample.data, minimumSize: minimum, options: DecodeOptions())
    #expect(other.size == PixelSize(width: 200, height: 170))
  }

  @Test("fax")
  func fax() throws {
    var sample = TIFFSample(width: 20, height: 11, bits: 1, samples: 1, photometric: 0, compression: 4)
    sample.pack = TIFFSample.whiteFax
    #expect(Self.bytes(try Self.decode(sample.data)).allSatisfy { $0 == 255 })
    sample.photometric = 1
    #expect(try Self.decode(sample.data).bitmap.letters.allSatisfy { $0 == "K" || $0 == "/" })
  }

  @Test("grey of each depth, with white as the most and as 0", arguments: 1...16)
  func gray(bits: Int) throws {
    for photometric in 0...1 {
      var sample = TIFFSample(width: 13, height: 4, bits: bits, samples: 1, photometric: photometric)
      sample.isBigEndian = bits % 2 == 0
      sample.value = { x, y, _ in (x * 5 + y * 7) * 1021 }
      let most = (1 << bits) - 1
      func byte(_ value: Int) -> UInt8 {
        let shown = bits == 16 ? value >> 8 : (value * 255 + most / 2) / most
        return UInt8(photometric == 0 ? 255 - shown : shown)
      }
      let data = sample.data
      #expect(
        Self.bytes(try Self.decode(data))
          == Self.expected(sample) { values in
            [UInt8](repeating: byte(values[0]), count: 3) + [255]
          })
      let native = try Self.decode(data) { $0.pixels = .native }
      #expect(native.bitmap.format == (bits > 8 ? .rgba16 : .gray8))
      guard bits <= 8 else { continue }
      #expect(Self.bytes(native) == Self.expected(sample) { [byte($0[0])] })
    }
  }

  @Test("16 bits stay 16 bits in native pixels", arguments: [false, true], [false, true])
  func deep(isBigEndian: Bool, isPlanar: Bool) throws {
    var sample = TIFFSample(bits: 16, samples: 4, isPlanar: isPlanar, isBigEndian: isBigEndian)
    sample.others = [.init(338, 2, type: 3)]
    sample.value = { x, y, sample in 257 * (x + 1) * (y + 3) + sample * 7919 }
    let native = try Self.decode(sample.data) { $0.pixels = .native }
    let words = native.bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    let wanted = (0..<sample.height).flatMap { y in
      (0..<sample.width).flatMap { x in
        (0..<4).map { UInt16(truncatingIfNeeded: sample.value(x, y, $0)) }
      }
    }
    #expect(native.bitmap.format == .rgba16 && words == wanted)
    let plain = try Self.decode(sample.data)
    #expect(Self.bytes(plain) == wanted.map { UInt8($0 >> 8) })
  }

  @Test("alpha: straight, associated, and samples that are none")
  func alpha() throws {
    var sample = TIFFSample(samples: 4)
    sample.value = { x, y, sample in sample == 3 ? 40 * x : 20 * x + y }
    for (kind, hasAlpha) in [(0, false), (1, true), (2, true)] {
      sample.others = [.init(338, kind, type: 3)]
      let image = try Self.decode(sample.data)
      #expect(image.info?.hasAlpha == hasAlpha && image.bitmap.isOpaque == !hasAlpha)
      #expect(
        Self.bytes(image)
          == Self.expected(sample) { values in
            let alpha = values[3]
            guard hasAlpha else { return values[..<3].map { UInt8($0) } + [255] }
            guard kind == 1, alpha > 0, alpha < 255 else { return values.map { UInt8($0) } }
            return values[..<3].map { UInt8(min(255, $0 * 255 / alpha)) } + [UInt8(alpha)]
          })
    }
    var gray = TIFFSample(samples: 2, photometric: 1)
    gray.others = [.init(338, 2, type: 3)]
    #expect(
      Self.bytes(try Self.decode(gray.data))
        == Self.expected(gray) { values in
          [UInt8](repeating: UInt8(values[0]), count: 3) + [UInt8(values[1])]
        })
    gray.others = [.init(338, 1, type: 3)]
    gray.value = { x, _, sample in sample == 1 ? 40 * x : 19 * x }
    gray.isPlanar = true
    #expect(
      Self.bytes(try Self.decode(gray.data))
        == Self.expected(gray) { values in
          let alpha = values[1]
          let shown = alpha == 0 ? values[0] : (values[0] * 255 + alpha / 2) / alpha
          return [UInt8](repeating: UInt8(shown), count: 3) + [UInt8(alpha)]
        })
  }

  @Test("palettes", arguments: [1, 2, 4, 8], [false, true])
  func palettes(bits: Int, ofBytes: Bool) throws {
    let count = 1 << bits
    var sample = TIFFSample(width: 9, height: 3, bits: bits, samples: 1, photometric: 3)
    let colors = (0..<3 * count).map { $0 * 97 % 256 }
    sample.others = [.init(320, colors.map { ofBytes ? $0 : $0 * 257 }, type: 3)]
    #expect(
      Self.bytes(try Self.decode(sample.data))
        == Self.expected(sample) { values in
          (0..<3).map { UInt8(colors[$0 * count + values[0]]) } + [255]
        })
    sample.others = [.init(320, Array(colors.dropLast()), type: 3)]
    #expect(throws: ImagingError.self) { try Self.decode(sample.data) }
  }

  @Test("inks", arguments: [8, 16])
  func inks(bits: Int) throws {
    let sample = TIFFSample(bits: bits, samples: 4, photometric: 5)
    let shift = bits - 8
    #expect(
      Self.bytes(try Self.decode(sample.data))
        == Self.expected(sample) { values in
          let inks = values.map { $0 >> shift }
          return (0..<3).map { UInt8(((255 - inks[$0]) * (255 - inks[3]) + 127) / 255) } + [255]
        })
  }

  @Test("what is refused, by name")
  func refusals() {
    func reason(_ sample: TIFFSample) -> String? {
      do throws(ImagingError) {
        _ = try Self.decode(sample.data)
        return nil
      } catch {
        guard case .unsupportedFormat(.tiff, let reason) = error else { return error.code }
        return reason
      }
    }
    #expect(reason(TIFFSample(compression: 34_887)) == "its compression is LERC (34887)")
    #expect(reason(TIFFSample(compression: 34_925)) == "its compression is LZMA (34925)")
    #expect(reason(TIFFSample(compression: 34_661)) == "its compression is JBIG (34661)")
    #expect(reason(TIFFSample(compression: 777)) == "its compression is 777")
    #expect(reason(TIFFSample(photometric: 32_845)) == "its colours are LogLuv (32845)")
    #expect(reason(TIFFSample(bits: 32)) == "its samples have 32 bits")
    var float = TIFFSample(bits: 16)
    float.others = [.init(339, [3, 3, 3], type: 3)]
    #expect(reason(float) == "its samples are no integers")
    #expect(reason(TIFFSample(bits: 4, samples: 4, photometric: 5)) == "its inks are not CMYK")
  }

  @Test("rows that are streamed make the same thumbnail")
  func streaming() throws {
    for (compression, pack) in [(1, { raw, _, _ in raw }), (8, TIFFSample.deflate)]
      as [(Int, ([UInt8], Int, Int) -> [UInt8])]
    {
      for isTiled in [false, true] {
        var sample = TIFFSample(width: 300, height: 200, compression: compression, rows: 7, pack: pack)
        if isTiled { sample.tile = (64, 48) }
        let data = sample.data
        let whole = try Self.decode(data)
        let thumbnail = Thumbnail.fit(width: 40, height: 40)
        let streamed = try Self.decode(data) { $0.thumbnail = thumbnail }
        #expect(
          streamed.bitmap
            == (try whole.bitmap.shrunk(to: thumbnail, sourceSize: whole.size, orientation: .topLeft)))
      }
    }
  }

  @Test("orientation, profile and XMP")
  func tags() throws {
    var sample = TIFFSample()
    let packet = Array("<x:xmpmeta/>".utf8).map { Int($0) }
    sample.others = [.init(274, 6, type: 3), .init(700, packet, type: 7)]
    let image = try Self.decode(sample.data) { $0.readsMetadata = true }
    #expect(image.size == PixelSize(width: 5, height: 7) && image.orientation == .topLeft)
    #expect(image.metadata.xmp == Data("<x:xmpmeta/>".utf8))
    #expect(try Self.decode(sample.data).metadata.xmp == nil)
    let stored = try Self.decode(sample.data) { $0.appliesOrientation = false }
    #expect(stored.orientation == .rightTop && stored.size == PixelSize(width: 7, height: 5))
  }
}
#endif
