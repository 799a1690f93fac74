import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// What a JPEG says about its colours, and what travels beside them.
@Suite("JPEG colours and metadata")
struct JPEGColorTests {
  static let profile = "Metadata/DisplayP3-v4.icc"

  private func decode(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try JPEGDecoder().decode(data, minimumSize: nil, options: options)
  }

  private func encoded(
    _ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> Data {
    var options = EncodeOptions.jpeg(quality: 90)
    change(&options)
    return try JPEGEncoder().encode(image, options: options)
  }

  /// The profile with another colour space in its header.
  private func profile(space: String) throws -> Data {
    var data = try Fixture.data(Self.profile)
    data.replaceSubrange(16..<20, with: Data(space.utf8))
    return data
  }

  /// A JPEG with these segments behind its start marker.
  private func inserting(_ segments: [(UInt8, Data)], into jpeg: Data) -> Data {
    var result = jpeg.prefix(2)
    for (marker, payload) in segments {
      let length = payload.count + 2
      result += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }
    return Data(result + jpeg.dropFirst(2))
  }

  private func iccSegment(_ profile: Data) -> (UInt8, Data) {
    (0xE2, Data("ICC_PROFILE\0".utf8) + [1, 1] + profile)
  }

  @Test("a profile is handed over if it fits the components")
  func profiles() throws {
    let color = try encoded(Image(bitmap: try JPEGEncoderTests.gradient(16, 16)))
    let gray = try Fixture.data("Corpus/jpeg/conformance/grayscale_16x24_sampling2x2.jpg")
    let inks = try Fixture.data("Corpus/jpeg/cmyk/jpg-cmyk-1.jpg")
    #expect(try decode(color).profile == nil)
    for (jpeg, space, fits) in [
      (color, "RGB ", true), (color, "GRAY", false), (color, "CMYK", false), (gray, "GRAY", true),
      (gray, "RGB ", true), (gray, "CMYK", false), (inks, "CMYK", true), (inks, "RGB ", false),
      (color, "Lab ", false),
    ] {
      let profile = try profile(space: space)
      let image = try decode(inserting([iccSegment(profile)], into: jpeg))
      #expect(image.profile == (fits ? .icc(profile) : nil), "\(space)")
    }
    let cut = try profile(space: "RGB ").dropLast(1)
    #expect(try decode(inserting([iccSegment(Data(cut))], into: color)).profile == nil)
  }

  @Test("inks stay inks for conversion, and are mixed otherwise")
  func inks() throws {
    let plain = try Fixture.data("Corpus/jpeg/cmyk/jpg-cmyk-1.jpg")
    let profile = try profile(space: "CMYK")
    let data = inserting([iccSegment(profile)], into: plain)
    let mixed = try decode(plain)
    #expect(mixed.bitmap.format == .rgba8 && mixed.profile == nil)
    let stored = try decode(data) { $0.colors = .asStored }
    #expect(stored.bitmap == mixed.bitmap && stored.profile == nil)
    let separate = try decode(data)
    #expect(separate.bitmap.format == .cmyk8 && separate.profile == .icc(profile))
    separate.bitmap.withUnsafeBytes { inks in
      mixed.bitmap.withUnsafeBytes { light in
        for offset in stride(from: 0, to: inks.count, by: 4) {
          for channel in 0..<3 {
            let product = (255 - Int(inks[offset + channel])) * (255 - Int(inks[offset + 3]))
            #expect(Int(light[offset + channel]) == (product + 127) / 255)
          }
        }
      }
    }
  }

  @Test("grey stays grey on demand")
  func gray() throws {
    let data = try Fixture.data("Corpus/jpeg/icc/gen-gray.jpg")
    let color = try decode(data)
    let gray = try decode(data) { $0.pixels = .native }
    #expect(color.bitmap.format == .rgba8 && gray.bitmap.format == .gray8)
    gray.bitmap.withUnsafeBytes { one in
      color.bitmap.withUnsafeBytes { four in
        #expect(one.indices.allSatisfy { one[$0] == four[4 * $0] && one[$0] == four[4 * $0 + 2] })
      }
    }
    let other = try encoded(Image(bitmap: color.bitmap))
    #expect(try decode(other) { $0.pixels = .native }.bitmap.format == .rgba8)
  }

  @Test("Exif and XMP are handed over when they are asked for")
  func metadata() throws {
    let jpeg = try encoded(Image(bitmap: try JPEGEncoderTests.gradient(16, 16)))
    let plain = Data("MM\0\u{2A}\0\0\0\u{8}\0\0".utf8)
    let turned = Data([
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
    ])
    let xmp = Data("<x:xmpmeta/>".utf8)
    let exifName = Data("Exif\0\0".utf8)
    let xmpName = Data("http://ns.adobe.com/xap/1.0/\0".utf8)
    let data = inserting(
      [(0xE1, exifName + plain), (0xE1, xmpName + xmp), (0xE1, exifName + turned)], into: jpeg)
    #expect(try decode(data).metadata == ImageMetadata())
    let image = try decode(data) { $0.readsMetadata = true }
    #expect(image.metadata == ImageMetadata(exif: turned, xmp: xmp))
    #expect(image.orientation == .rightTop)
    let first = inserting([(0xE1, exifName + plain), (0xE1, exifName + plain.dropLast(1))], into: jpeg)
    #expect(try decode(first) { $0.readsMetadata = true }.metadata.exif == plain)
  }

  @Test("what is kept comes back")
  func kept() throws {
    // More than one segment can hold.
    let profile = try self.profile(space: "RGB ") + Data(repeating: 7, count: 100_000)
    let metadata = ImageMetadata(exif: MetadataKeptTests.block(bigEndian: false), xmp: Data("<x/>".utf8))
    let image = Image(
      bitmap: try JPEGEncoderTests.gradient(16, 16), profile: .icc(profile),
      metadata: metadata.kept([.exif, .xmp]))
    let bare = try decode(try encoded(image)) { $0.readsMetadata = true }
    #expect(bare.profile == nil && bare.metadata == ImageMetadata())
    let all = try decode(try encoded(image) { $0.keeps = [.icc, .exif, .xmp] }) { $0.readsMetadata = true }
    #expect(all.profile == image.profile)
    #expect(all.metadata == image.metadata)
    let one = try decode(try encoded(image) { $0.keeps = [.xmp] }) { $0.readsMetadata = true }
    #expect(one.profile == nil && one.metadata == ImageMetadata(xmp: image.metadata.xmp))
  }

  @Test("what no segment can hold, and profiles for other pixels, are not written")
  func unkept() throws {
    let bitmap = try JPEGEncoderTests.gradient(16, 16)
    let large = Image(bitmap: bitmap, metadata: ImageMetadata(xmp: Data(count: 65_505)))
    #expect(throws: ImagingError.self) { try encoded(large) { $0.keeps = [.xmp] } }
    _ = try encoded(large)
    let fitting = Image(bitmap: bitmap, metadata: ImageMetadata(xmp: Data(count: 65_504)))
    #expect(
      try decode(try encoded(fitting) { $0.keeps = [.xmp] }) { $0.readsMetadata = true }.metadata.xmp?.count
        == 65_504)
    let inks = Image(bitmap: bitmap, profile: .icc(try profile(space: "CMYK")))
    #expect(try decode(try encoded(inks) { $0.keeps = [.icc] }).profile == nil)
  }

  @Test("pixels that a profile calls grey are written as grey")
  func grayProfile() throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 16, height: 16)) { x, _ in
      UInt32(x * 16) * 0x10101 | 255 << 24
    }
    let profile = ColorProfile.icc(try profile(space: "GRAY"))
    let data = try encoded(Image(bitmap: bitmap, profile: profile)) { $0.keeps = [.icc] }
    #expect(try JPEGHeader(data).components.count == 1)
    #expect(try decode(data).profile == profile)
  }
}
