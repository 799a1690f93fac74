import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Images with nothing else in their files")
struct BareImageTests {
  private static let formats: [EncodeOptions] = [
    .jpeg(), .png, .gif, .webp(), .webpLossless, EncodeOptions(format: .jpeg, quality: 20),
  ]

  @Test("plain stills and animations of our encoders are bare", arguments: formats + [.apng])
  func bare(options: EncodeOptions) throws {
    if options.format != .apng {
      #expect(
        BareImage.isBare(try SampleImages.still(options, width: 40, height: 30), format: options.format))
    }
    if [.gif, .webp, .apng].contains(options.format) {
      #expect(BareImage.isBare(try SampleImages.animation(options), format: options.format))
    }
    #expect(BareImage.isBare(try SampleImages.progressiveJPEG(), format: .jpeg))
  }

  @Test("bytes behind the end, and every truncation", arguments: formats)
  func ends(options: EncodeOptions) throws {
    let data = try SampleImages.still(options, width: 40, height: 30)
    #expect(!BareImage.isBare(data + Data("<script>".utf8), format: options.format))
    #expect(!BareImage.isBare(data + Data([0]), format: options.format))
    for count in 0..<data.count {
      #expect(!BareImage.isBare(data.prefix(count), format: options.format), "\(count) bytes")
    }
  }

  /// A file with a block between its parts.
  struct Addition: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let options: EncodeOptions
    let offset: Int
    let bytes: [UInt8]
  }

  @Test(
    "blocks that are not needed to show the image",
    arguments: [
      Addition(
        testDescription: "JPEG comment", options: .jpeg(), offset: 2, bytes: [0xFF, 0xFE, 0, 4, 1, 2]),
      Addition(
        testDescription: "JPEG Exif", options: .jpeg(), offset: 2,
        bytes: [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8)),
      Addition(
        testDescription: "JPEG profile", options: .jpeg(), offset: 2,
        bytes: [0xFF, 0xE2, 0, 14] + Array("ICC_PROFILE\0".utf8)),
      Addition(
        testDescription: "JFIF with a thumbnail", options: .jpeg(), offset: 2,
        bytes: [0xFF, 0xE0, 0, 19] + Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 1, 1, 9, 9, 9]),
      Addition(
        testDescription: "another APP0", options: .jpeg(), offset: 2,
        bytes: [0xFF, 0xE0, 0, 16] + Array("secret text 14".utf8)),
      Addition(
        testDescription: "PNG text", options: .png, offset: 33,
        bytes: [0, 0, 0, 3] + Array("tEXta\0b".utf8) + [0, 0, 0, 0]),
      Addition(
        testDescription: "PNG Exif", options: .png, offset: 33,
        bytes: [0, 0, 0, 1] + Array("eXIf1".utf8) + [0, 0, 0, 0]),
      Addition(
        testDescription: "GIF comment", options: .gif, offset: 13 + 3 * 256,
        bytes: [0x21, 0xFE, 2, 65, 66, 0]),
    ])
  func additions(addition: Addition) throws {
    var data = try SampleImages.still(addition.options, width: 40, height: 30)
    var offset = addition.offset
    if addition.options.format == .gif { offset = 13 + (data[10] & 0x80 == 0 ? 0 : 6 << Int(data[10] & 7)) }
    data.insert(contentsOf: addition.bytes, at: offset)
    #expect(!BareImage.isBare(data, format: addition.options.format))
  }

  @Test("metadata that our encoders write", arguments: [EncodeOptions.jpeg(), .png, .webp()])
  func kept(options: EncodeOptions) throws {
    let xmp = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8)
    let image = Image(
      bitmap: try SampleImages.bitmap(width: 20, height: 20), metadata: ImageMetadata(exif: nil, xmp: xmp))
    var keeping = options
    keeping.keeps = [.xmp]
    let data = try CoderRegistry.standard.encode(image, as: keeping)
    #expect(data.contains(Data("xmpmeta".utf8)))
    #expect(!BareImage.isBare(data, format: options.format))
    #expect(BareImage.isBare(try CoderRegistry.standard.encode(image, as: options), format: options.format))
  }

  @Test("metadata inside the frame of an animation")
  func insideFrame() throws {
    var webp = try SampleImages.animation(.webp())
    func add(_ count: Int, at offset: Int) {
      let length = (0..<4).reduce(0) { $0 | Int(webp[offset + $1]) << (8 * $1) } + count
      for byte in 0..<4 { webp[offset + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
    }
    let frame = try #require((0..<webp.count - 4).first { webp[$0..<$0 + 4] == Data("ANMF".utf8) })
    let length = (0..<4).reduce(0) { $0 | Int(webp[frame + 4 + $1]) << (8 * $1) }
    webp.insert(contentsOf: Array("EXIF".utf8) + [2, 0, 0, 0, 1, 2], at: frame + 8 + length + length % 2)
    add(10, at: frame + 4)
    add(10, at: 4)
    #expect(!BareImage.isBare(webp, format: .webp))
  }

  @Test("drawings have flat areas, photos do not")
  func flatAreas() throws {
    let drawing = try SampleImages.bitmap(width: 64, height: 64, color: .white)
    #expect(drawing.hasFlatAreas)
    let noise = try Bitmap(size: PixelSize(width: 64, height: 64)) { pixels throws(ImagingError) in
      for index in pixels.indices {
        pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 89 >> 2)
      }
      return true
    }
    #expect(!noise.hasFlatAreas)
  }
}
