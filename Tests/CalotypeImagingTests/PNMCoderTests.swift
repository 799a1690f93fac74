@testable import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import PNMCoder
import Testing

/// The example of a coder that a program brings along.
@Suite("PNM")
struct PNMCoderTests {
  private static let coders: CoderRegistry = {
    var coders = CoderRegistry.standard
    coders.register(PNMDecoder())
    coders.register(PNMEncoder())
    return coders
  }()

  @Test(
    "all kinds",
    arguments: [
      (Data("P1\n# bits\n3 1\n101".utf8), "KWK"), (Data("P2 3 1 15\n0 15 15\n".utf8), "KWW"),
      (Data("P3 3 1 1\n1 0 0  0 1 0  0 0 1\n".utf8), "RGB"), (Data("P4 3 1\n".utf8) + [0xA0], "KWK"),
      (Data("P5 3 1 255\n".utf8) + [0, 255, 255], "KWW"),
      (Data("P5 2 1 65535\n".utf8) + [0, 0, 255, 255], "KW"),
      (Data("P6\n2 1\n255\n".utf8) + [255, 0, 0, 0, 0, 255], "RB"),
    ])
  func kinds(data: Data, letters: String) throws {
    let image = try Image(data: data, coders: Self.coders)
    #expect(image.bitmap.letters == letters)
    #expect(image.info?.format == .pnm && image.bitmap.isOpaque)
  }

  @Test(
    "what is wrong",
    arguments: [
      (Data("P6\n0 1\n255\n".utf8), "corrupt"), (Data("P2 1 1 0\n0\n".utf8), "corrupt"),
      (Data("P2 1 1 9\n10\n".utf8), "corrupt"), (Data("P1 1 1\n2\n".utf8), "corrupt"),
      (Data("P6 99999 99999 255\n".utf8), "limitExceeded"), (Data("P6 2 1 255\n123".utf8), "truncated"),
      (Data("P2 1 1 255\n25".utf8), "truncated"), (Data("P6 99999999999999999999 1 255\n".utf8), "corrupt"),
      (Data("P7\nWIDTH 1\n".utf8), "unrecognizedFormat"),
    ])
  func refused(data: Data, code: String) {
    let error = #expect(throws: ImagingError.self) { try Image(data: data, coders: Self.coders) }
    #expect(error?.code == code)
  }

  @Test("pictures come back, transparent ones on the background")
  func encoding() throws {
    let bitmap = try SampleImages.bitmap(width: 20, height: 10)
    for bitmap in [bitmap, try bitmap.converted(to: .gray8)] {
      let data = try Image(bitmap: bitmap).encoded(as: EncodeOptions(format: .pnm), coders: Self.coders)
      #expect(try Image(data: data, coders: Self.coders).bitmap == bitmap.converted(to: .rgba8))
    }
    let clear = Image(bitmap: try SampleImages.bitmap(width: 1, height: 1, color: .clear))
    let data = try clear.encoded(as: EncodeOptions(format: .pnm), coders: Self.coders)
    #expect(try Image(data: data, coders: Self.coders).bitmap.letters == "W")
  }
}
