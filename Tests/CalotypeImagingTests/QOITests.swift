import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("QOI")
struct QOITests {
  private static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

  private static func file(
    _ width: UInt8, _ height: UInt8, channels: UInt8 = 4, space: UInt8 = 0, _ chunks: [UInt8],
    end: [UInt8] = end
  ) -> Data {
    Data(Array("qoif".utf8) + [0, 0, 0, width, 0, 0, 0, height, channels, space] + chunks + end)
  }

  private static func decode(
    _ data: Data, partial: Bool = false, strict: Bool = false
  ) throws(ImagingError) -> Image {
    try CoderRegistry.standard.decode(
      data, options: DecodeOptions(allowsPartial: partial, damage: strict ? .strict : .tolerate))
  }

  private static let picture: [UInt8] = [
    0xFE, 255, 0, 0, 0xFE, 0, 255, 0, 0xFE, 0, 0, 255, 0xFF, 255, 255, 255, 0, 0xC0, 0x35,
  ]

  @Test("all chunks")
  func chunks() throws {
    // Colours, with and without alpha; a run; the index, whose place 53 holds nothing yet.
    let image = try Self.decode(Self.file(3, 2, Self.picture))
    #expect(image.bitmap.letters == "RGB/...")
    // Differences of one and of two bytes, modulo 256; red is 255 + 1, blue is 0 - 2.
    let steps = try Self.decode(Self.file(3, 1, channels: 3, [0x6A, 0x48, 0xA1, 0x97]))
    let bytes = steps.bitmap.withUnsafeBytes { Array($0) }
    #expect(bytes == [0, 0, 0, 255, 254, 0, 254, 255, 0, 1, 254, 255])
    #expect(steps.bitmap.isOpaque && steps.info?.hasAlpha == false)
    // A run at the beginning enters the index.
    #expect(try Self.decode(Self.file(3, 1, [0xC0, 0xFE, 255, 0, 0, 0x35])).bitmap.letters == "KRK")
  }

  @Test("a run beyond the picture is cut; bytes behind the end are ignored; a broken end is damage")
  func ends() throws {
    #expect(try Self.decode(Self.file(2, 1, [0xFE, 255, 0, 0, 0xFD])).bitmap.letters == "RR")
    #expect(try Self.decode(Self.file(1, 1, [0xC0]) + [7]).bitmap.letters == "K")
    let broken = Self.file(1, 1, [0xC0], end: [0, 0, 9, 0, 0, 0, 0, 1])
    #expect(try Self.decode(broken).isDamaged)
    #expect(throws: ImagingError.corrupt(.qoi, reason: "the end marker is broken", offset: 17)) {
      try Self.decode(broken, strict: true)
    }
  }

  @Test("files that end early")
  func truncated() throws {
    let data = Self.file(3, 2, Self.picture, end: [])
    #expect(throws: ImagingError.truncated(.qoi, byteCount: data.count)) { try Self.decode(data) }
    let image = try Self.decode(data.prefix(22), partial: true)
    #expect(image.isPartial && image.bitmap.letters == "RG./...")
    #expect(throws: ImagingError.self) { try Self.decode(data.prefix(16), partial: true) }
  }

  private static let unsound: [(Data, String)] = [
    (file(0, 1, [0xC0]), "corrupt"), (file(1, 0, [0xC0]), "corrupt"),
    (file(1, 1, channels: 7, [0xC0]), "corrupt"), (file(1, 1, space: 2, [0xC0]), "corrupt"),
    (Data(Array("qoif".utf8) + [255, 255, 255, 255, 255, 255, 255, 255, 4, 0]), "limitExceeded"),
    (Data("qoif".utf8), "truncated"),
  ]

  @Test("headers", arguments: unsound)
  func headers(data: Data, code: String) {
    let error = #expect(throws: ImagingError.self) { try Self.decode(data) }
    #expect(error?.code == code)
  }

  @Test("a linear picture has a profile")
  func linear() throws {
    let options = DecodeOptions(colors: .asStored)
    let image = try CoderRegistry.standard.decode(Self.file(1, 1, space: 1, [0xC0]), options: options)
    #expect(image.profile == .calibrated(.init(gamma: 1)))
  }

  @Test("whole, cut and damaged, in pieces as at once; resampled while decoding as afterwards")
  func pieces() throws {
    let data = try SampleImages.still(.qoi, width: 61, height: 40)
    for allowsPartial in [false, true] {
      var decodes = IncrementalDecodes(decoder: QOIDecoder())
      decodes.options.allowsPartial = allowsPartial
      decodes.expectSameWhateverHappens(to: data, seed: 3)
      decodes.expectSameWhateverHappens(to: Self.file(3, 2, Self.picture), seed: 4)
    }
    let thumbnail = Thumbnail.fit(width: 17, height: 17)
    let options = DecodeOptions(thumbnail: thumbnail)
    let info = try CoderRegistry.standard.probe(data)
    let shrinker = RowShrinker([thumbnail], of: info, options: options)
    _ = try QOIDecoder().decode(data, minimumSize: nil, options: options, shrinkingBy: shrinker)
    #expect(shrinker.isUsed)
    #expect(
      try CoderRegistry.standard.decode(data, options: options).bitmap
        == ThumbnailStreamTests.whole(data, options).bitmap)
  }

  @Test("16 bits and greys are written as 8 bits, and channels on request")
  func encoding() throws {
    let bitmap = try SampleImages.bitmap(width: 20, height: 10)
    for format in [PixelFormat.rgba16, .gray8] {
      let image = Image(bitmap: try bitmap.converted(to: format))
      let expected = try image.bitmap.converted(to: .rgba8)
      #expect(try Image(data: image.encoded(as: .qoi)).bitmap == expected)
    }
    var options = EncodeOptions.qoi
    options.extras["channels"] = "4"
    #expect(try CoderRegistry.standard.probe(Image(bitmap: bitmap).encoded(as: options)).hasAlpha)
    options.extras["channels"] = "5"
    #expect(throws: ImagingError.self) { try Image(bitmap: bitmap).encoded(as: options) }
  }
}
