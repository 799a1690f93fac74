import CalotypeImaging
import FoundationEssentials
import Testing

/// Metadata and colours from the first bytes of images.
@Suite("Parts of images")
struct ImagePartsTests {
  private static let exif = Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  private static let xmp = Array("<x:xmpmeta/>".utf8)
  private static let iptc: [UInt8] = [0x1C, 2, 5, 0, 3] + Array("cat".utf8)

  private static func picture(_ format: ImageFormat, gray: Bool = false) throws -> Data {
    var pixels: [UInt8] = []
    for index in 0..<1200 {
      pixels += [UInt8(index % 251), UInt8(index % 13 * 9), UInt8(index % 7 * 30)]
    }
    var bitmap = try Bitmap(rgb: pixels, width: 40, height: 30)
    if gray { bitmap = try bitmap.converted(to: PixelFormat.gray8) }
    return try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: EncodeOptions(format: format))
  }

  private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let length = bytes.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + bytes
  }

  private static func resource(_ id: UInt16, _ bytes: [UInt8]) -> [UInt8] {
    var block = Array("8BIM".utf8)
    block += [UInt8(id >> 8), UInt8(id & 255), 0, 0, 0, 0, 0, UInt8(bytes.count)]
    block += bytes
    if bytes.count % 2 == 1 { block.append(0) }
    return block
  }

  private static func jpeg() throws -> Data {
    var data = try picture(.jpeg)
    let resources = resource(0x03ED, [1, 2, 3]) + resource(0x0404, iptc)
    var blocks = segment(0xE1, Array("Exif\0\0".utf8) + exif)
    blocks += segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
    blocks += segment(0xED, Array("Photoshop 3.0\0".utf8) + resources)
    data.insert(contentsOf: blocks, at: 2)
    return data
  }

  @Test func jpegHasAllBlocks() throws {
    let data = try Self.jpeg()
    let parts = try #require(try ImageParts(of: data))
    #expect(parts.metadata.exif == Data(Self.exif) && parts.metadata.xmp == Data(Self.xmp))
    #expect(parts.iptc == Data(Self.iptc) && parts.photoshopResource(0x03ED) == Data([1, 2, 3]))
    #expect(parts.photoshopResource(0x0400) == nil && parts.colorModel == .rgb)
    #expect(try ImageParts(of: Self.picture(.jpeg, gray: true))?.colorModel == .gray)
  }

  @Test func firstBytesSuffice() throws {
    let data = try Self.jpeg()
    let whole = try #require(try ImageParts(of: data))
    let needed = try #require((0...data.count).first { (try? ImageParts(of: data.prefix($0))) != nil })
    #expect(needed < data.count / 2)
    for count in stride(from: needed, to: data.count, by: 7) {
      #expect(try ImageParts(of: data.prefix(count)) == whole, "\(count) bytes")
    }
    for count in stride(from: 0, to: needed, by: 5) {
      #expect(try ImageParts(of: data.prefix(count)) == nil, "\(count) bytes")
    }
  }

  private static let packet = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)

  private static func described(_ format: ImageFormat) throws -> Data {
    var options = EncodeOptions(format: format)
    options.keeps = [.xmp]
    let bitmap = try Bitmap(rgb: [UInt8](repeating: 9, count: 3072), width: 32, height: 32)
    return try CoderRegistry.standard.encode(
      Image(bitmap: bitmap, metadata: ImageMetadata(xmp: packet)), as: options)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif])
  func xmpOfEachFormat(_ format: ImageFormat) throws {
    guard CoderRegistry.standard.encodableFormats.contains(format) else { return }
    let data = try Self.described(format)
    #expect(try ImageParts(of: data)?.metadata.xmp == Self.packet)
    #expect(try ImageParts(of: data, isWhole: true)?.metadata.xmp == Self.packet)
  }

  @Test func metadataBehindThePixelsOfAWebPIsWaitedFor() throws {
    let data = try Self.described(.webp)
    let cut = data.dropLast(Self.packet.count + 8)
    #expect(try ImageParts(of: cut) == nil)
    #expect(try ImageParts(of: cut, isWhole: true)?.metadata.xmp == nil)
  }

  /// The directory of a TIFF is its Exif, and has the other blocks.
  @Test func tiffIsReadAsAWhole() throws {
    func two(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    func four(_ value: Int) -> [UInt8] { two(value) + two(value >> 16) }
    let end = 8 + 2 + 12 * 9 + 4
    let entries: [(Int, Int, Int, Int)] = [
      (256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, end),
      (279, 4, 1, 4), (700, 1, Self.xmp.count, end + 4),
      (33723, 7, Self.iptc.count, end + 4 + Self.xmp.count),
    ]
    var bytes = Array("II".utf8) + two(42) + four(8) + two(entries.count)
    for (tag, type, count, value) in entries { bytes += two(tag) + two(type) + four(count) + four(value) }
    bytes += four(0) + [1, 2, 3, 4]
    bytes += Self.xmp
    bytes += Self.iptc
    let data = Data(bytes)
    #expect(try ImageParts(of: data) == nil)
    let parts = try #require(try ImageParts(of: data, isWhole: true))
    #expect(parts.metadata == ImageMetadata(exif: data, xmp: Data(Self.xmp)))
    #expect(parts.iptc == Data(Self.iptc) && parts.colorModel == .gray)
  }

  @Test func colorsOfPNG() throws {
    #expect(try ImageParts(of: Self.picture(.png, gray: true))?.colorModel == .gray)
    #expect(try ImageParts(of: Self.picture(.png))?.colorModel == .rgb)
    #expect(ImageParts.ColorModel.allCases.map(\.channelCount) == [1, 3, 4])
  }

  @Test func longBlocksAreLeftOut() throws {
    var limits = DecodeLimits.default
    limits.maxChunkBytes = 13
    let parts = try #require(try ImageParts(of: Self.jpeg(), limits: limits))
    #expect(parts.metadata.exif == nil && parts.metadata.xmp != nil && parts.photoshop == nil)
  }

  @Test func hostileBytesAreRefusedOrIgnored() throws {
    let data = try Self.jpeg()
    for index in 0..<min(400, data.count) {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = data
        damaged[index] = value
        _ = try? ImageParts(of: damaged)
        _ = try? ImageParts(of: damaged.prefix(200), isWhole: true)
      }
    }
    #expect(try ImageParts(of: Data("no image".utf8), isWhole: true) == ImageParts())
    #expect(try ImageParts(of: Data("no image".utf8)) == nil)
  }
}
