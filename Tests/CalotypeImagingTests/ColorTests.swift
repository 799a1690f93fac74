import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeImaging

/// Colours to sRGB: against formulas written down here, and against broken and hostile profiles.
@Suite("Color conversion")
struct ColorTests {
  static func bitmap(_ pixels: [[UInt8]], format: PixelFormat = .rgba8, opaque: Bool = false) throws -> Bitmap
  {
    try Bitmap(size: PixelSize(width: pixels.count, height: 1), format: format) { target in
      target.copyBytes(from: pixels.flatMap { $0 as [UInt8] })
      return opaque
    }
  }

  static func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }
  static func samples(_ bitmap: Bitmap) -> [UInt16] {
    bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
  }

  static func profile(_ name: String) throws -> ColorProfile {
    .icc(try Fixture.data("Metadata/\(name).icc"))
  }

  static func encode(_ light: Double) -> Double {
    let v = min(max(light, 0), 1)
    return v <= 0.003_130_8 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055
  }

  static func decode(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }

  /// Display P3 to sRGB: both have the curve of sRGB and white D65 (CSS Color 4).
  static func fromP3(_ rgb: [Double]) -> [Double] {
    let l = rgb.map(decode)
    return [
      1.224_940_1 * l[0] - 0.224_940_1 * l[1], -0.042_056_9 * l[0] + 1.042_056_9 * l[1],
      -0.019_637_6 * l[0] - 0.078_636_1 * l[1] + 1.098_273_5 * l[2],
    ].map(encode)
  }

  static let colors: [[UInt8]] = {
    var colors: [[UInt8]] = []
    let steps: [UInt8] = [0, 1, 17, 64, 128, 200, 254, 255]
    for r in steps { for g in steps { for b in steps { colors.append([r, g, b, r ^ b ^ 0x5A]) } } }
    return colors
  }()

  @Test("Display P3 by the formula, 8 bits; alpha is copied exactly")
  func p3() throws {
    let converted = try Self.bitmap(Self.colors).converted(from: Self.profile("DisplayP3-v4"))
    let bytes = Self.bytes(converted)
    #expect(!converted.isOpaque)
    for (index, color) in Self.colors.enumerated() {
      let expected = Self.fromP3(color.prefix(3).map { Double($0) / 255 })
      for channel in 0..<3 {
        #expect(abs(Double(bytes[4 * index + channel]) - 255 * expected[channel]) <= 1.6, "\(color)")
      }
      #expect(bytes[4 * index + 3] == color[3])
    }
  }

  @Test("Display P3 by the formula, 16 bits, to a thousandth")
  func p3Wide() throws {
    let stored = try Self.bitmap(Self.colors).converted(to: .rgba16)
    let samples = Self.samples(try stored.converted(from: Self.profile("DisplayP3-v4")))
    for (index, color) in Self.colors.enumerated() {
      let expected = Self.fromP3(color.prefix(3).map { Double($0) / 255 })
      for channel in 0..<3 {
        #expect(abs(Double(samples[4 * index + channel]) / 65535 - expected[channel]) <= 0.0015, "\(color)")
      }
      #expect(samples[4 * index + 3] == UInt16(color[3]) * 257)
    }
  }

  @Test("gamma and primaries of a PNG: Display P3 by numbers; gamma 1 by numbers")
  func calibrated() throws {
    typealias Point = ColorProfile.Calibration.Point
    let p3 = ColorProfile.Calibration(
      gamma: 0.45455, white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.68, y: 0.32),
      green: Point(x: 0.265, y: 0.69), blue: Point(x: 0.15, y: 0.06))
    let stored = try Self.bitmap(Self.colors)
    let bytes = Self.bytes(try stored.converted(from: .calibrated(p3)))
    let linear = Self.bytes(try stored.converted(from: .calibrated(.init(gamma: 1))))
    for (index, color) in Self.colors.enumerated() {
      let expected = Self.fromP3(color.prefix(3).map { Double($0) / 255 })
      for channel in 0..<3 {
        #expect(abs(Double(bytes[4 * index + channel]) - 255 * expected[channel]) <= 1.6, "\(color)")
        let light = Self.encode(Double(color[channel]) / 255)
        #expect(abs(Double(linear[4 * index + channel]) - 255 * light) <= 1.6, "\(color)")
      }
    }
  }

  @Test("what means sRGB is left alone without memory for pixels")
  func sRGB() throws {
    typealias Point = ColorProfile.Calibration.Point
    let said = ColorProfile.Calibration(
      gamma: 0.45455, white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33),
      green: Point(x: 0.3, y: 0.6), blue: Point(x: 0.15, y: 0.06))
    let stored = try Self.bitmap(Self.colors)
    let pool = PixelPool(byteLimit: 0)
    let profiles: [ColorProfile?] = [
      nil, .sRGB, .calibrated(said), .calibrated(.init(gamma: 0.45455)), .calibrated(.init()),
    ]
    for profile in profiles {
      #expect(try stored.converted(from: profile, pool: pool) == stored)
      let wide = try stored.converted(to: .rgba16)
      #expect(try wide.converted(from: profile, pool: pool) == wide)
    }
    #expect(pool.statistics.misses == 0)
    let image = Image(bitmap: stored, profile: .sRGB)
    #expect(try image.convertedToSRGB().profile == nil)
  }

  @Test("nonsense in gamma and primaries is ignored")
  func nonsense() throws {
    typealias Point = ColorProfile.Calibration.Point
    let stored = try Self.bitmap(Self.colors)
    let point = Point(x: 0.3, y: 0.3)
    for gamma in [0, -1, .nan, .infinity, 1e9, 1e-9] as [Double] {
      #expect(try stored.converted(from: .calibrated(.init(gamma: gamma))) == stored)
    }
    for bad in [
      Point(x: 0, y: 0), point, Point(x: .nan, y: 0.3), Point(x: 0.9, y: 0.9), Point(x: 1e300, y: 1),
    ] {
      let calibration = ColorProfile.Calibration(gamma: 1, white: point, red: bad, green: point, blue: point)
      #expect(try stored.converted(from: .calibrated(calibration)) == stored)
    }
    let noWhite = ColorProfile.Calibration(
      white: Point(x: 0.3, y: 0), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6),
      blue: Point(x: 0.15, y: 0.06))
    #expect(try stored.converted(from: .calibrated(noWhite)) == stored)
  }

  @Test("broken profiles, and profiles of another space or class, are ignored")
  func ignored() throws {
    let stored = try Self.bitmap(Self.colors)
    let sound = [UInt8](try Fixture.data("Metadata/DisplayP3-v4.icc"))
    func changed(_ offset: Int, to text: String) -> ColorProfile {
      var bytes = sound
      bytes.replaceSubrange(offset..<(offset + 4), with: text.utf8)
      return .icc(Data(bytes))
    }
    let profiles: [ColorProfile] = [
      .icc(Data()), .icc(Data(repeating: 0xFF, count: 4096)), .icc(Data(sound.prefix(200))),
      changed(16, to: "CMYK"), changed(12, to: "link"), changed(12, to: "nmcl"), changed(20, to: "RGB "),
      changed(36, to: "abcd"),
    ]
    for profile in profiles { #expect(try stored.converted(from: profile) == stored) }
    // CMYK pixels under a profile for RGB: the plain product.
    let inks = try Self.bitmap(Self.colors, format: .cmyk8)
    #expect(try inks.converted(from: Self.profile("DisplayP3-v4")) == inks.converted(to: .rgba8))
    #expect(try Image(bitmap: inks).convertedToSRGB().bitmap == inks.converted(to: .rgba8))
  }

  @Test("a profile cut or damaged anywhere never traps", arguments: ["DisplayP3-v4", "AdobeCompat-v2"])
  func hostile(name: String) throws {
    let sound = [UInt8](try Fixture.data("Metadata/\(name).icc"))
    let stored = try Self.bitmap(Array(Self.colors.prefix(8)))
    let cache = ColorCache(capacity: 2)
    let watch = DecodeLimits.DeadlineChecker(.default)
    func convert(_ bytes: [UInt8]) throws {
      let result = try stored.converted(
        from: .icc(Data(bytes)), keepsGray: true, watch: watch, pool: .shared, cache: cache)
      #expect(result.size == stored.size)
    }
    for count in stride(from: 0, to: sound.count, by: 3) { try convert(Array(sound.prefix(count))) }
    for index in sound.indices {
      var damaged = sound
      damaged[index] = index.isMultiple(of: 2) ? 0xFF : sound[index] ^ 0x10
      try convert(damaged)
    }
    #expect(cache.count <= 2)
  }

  @Test("grey stays grey or becomes colour; profiles for grey and RGB both apply")
  func gray() throws {
    let grays = (0...255).map { [UInt8($0)] }
    let stored = try Self.bitmap(grays, format: .gray8, opaque: true)
    let adobe = try Self.profile("AdobeCompat-v2")
    let kept = try stored.converted(from: adobe)
    let colored = try stored.converted(from: adobe, keepsGray: false)
    #expect(kept.format == .gray8)
    #expect(colored.format == .rgba8)
    #expect(colored.isOpaque)
    for value in 0...255 {
      let expected = 255 * Self.encode(pow(Double(value) / 255, 563.0 / 256))
      #expect(abs(Double(Self.bytes(kept)[value]) - expected) <= 2)
      #expect(abs(Double(Self.bytes(colored)[4 * value]) - expected) <= 2)
    }
    #expect(try stored.converted(from: .icc(Data([1, 2, 3]))) == stored)
  }

  @Test("layouts: 16 to 8 bits rounds, greys are exact, CMYK is a product and no target")
  func layouts() throws {
    let every = try Bitmap(size: PixelSize(width: 128, height: 128), format: .rgba16) { target in
      for value in 0..<65536 {
        target.storeBytes(of: UInt16(value), toByteOffset: 2 * value, as: UInt16.self)
      }
      return false
    }
    let bytes = Self.bytes(try every.converted(to: .rgba8))
    for value in 0..<65536 where Int(bytes[value]) != (value * 255 + 32895) >> 16 {
      Issue.record("\(value) became \(bytes[value])")
    }
    let small = try Self.bitmap(Self.colors)
    #expect(try small.converted(to: .rgba16).converted(to: .rgba8) == small)
    let gray = try Self.bitmap((0...255).map { [UInt8($0)] }, format: .gray8)
    #expect(try gray.converted(to: .rgba8).converted(to: .gray8) == gray)
    #expect(try gray.converted(to: .rgba16).converted(to: .gray8) == gray)
    let inks = try Self.bitmap([[255, 0, 0, 0], [0, 0, 0, 255], [51, 102, 0, 128]], format: .cmyk8)
    #expect(
      Self.bytes(try inks.converted(to: .rgba8)) == [0, 255, 255, 255, 0, 0, 0, 255, 102, 76, 127, 255])
    #expect(throws: ImagingError.self) { try small.converted(to: .cmyk8) }
  }

  @Test("CMYK, grey and 16 bits are resampled")
  func resampling() throws {
    let size = PixelSize(width: 64, height: 64)
    let inks = try Bitmap(size: size, format: .cmyk8) { target in
      for index in 0..<(64 * 64) {
        for (offset, ink) in ([10, 200, 30, 0] as [UInt8]).enumerated() { target[4 * index + offset] = ink }
      }
      return false
    }
    for side in [7, 1] {
      let small = try inks.resampled(to: PixelSize(width: side, height: side))
      #expect(small.format == .cmyk8)
      #expect(Self.bytes(small).prefix(4) == [10, 200, 30, 0])
    }
    let gray = try Bitmap(size: size, format: .gray8) { target in
      for index in target.indices { target[index] = 77 }
      return true
    }
    let small = try gray.resampled(to: PixelSize(width: 5, height: 3))
    #expect(small.format == .gray8)
    #expect(Self.bytes(small) == Array(repeating: 77, count: 15))
    let wide = try gray.converted(to: .rgba16).resampled(to: PixelSize(width: 2, height: 2))
    #expect(wide.format == .rgba16)
    let samples = wide.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    #expect(
      samples == [
        19789, 19789, 19789, 65535, 19789, 19789, 19789, 65535, 19789, 19789, 19789, 65535, 19789, 19789,
        19789, 65535,
      ])
  }

  @Test("a cancelled task and a passed deadline stop it")
  func stops() async throws {
    let stored = try Bitmap(size: PixelSize(width: 512, height: 512)) { target in
      for index in target.indices { target[index] = UInt8(truncatingIfNeeded: index &* 31) }
      return false
    }
    let profile = try Self.profile("DisplayP3-v4")
    #expect(throws: ImagingError.self) {
      try stored.converted(from: profile, limits: DecodeLimits(maxDuration: .zero))
    }
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try stored.converted(from: profile)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
