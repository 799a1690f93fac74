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

  private static func file(_ text: String, _ samples: [UInt8] = []) -> Data {
    Data(Array(text.utf8) + samples)
  }

  private static let sound: [(Data, String)] = [
    (file("P1\n# bits\n3 1\n101"), "KWK"), (file("P2 3 1 15\n0 15 15\n"), "KWW"),
    (file("P3 3 1 1\n1 0 0  0 1 0  0 0 1\n"), "RGB"), (file("P4 3 1\n", [0xA0]), "KWK"),
    (file("P5 3 1 255\n", [0, 255, 255]), "KWW"), (file("P5 2 1 65535\n", [0, 0, 255, 255]), "KW"),
    (file("P6\n2 1\n255\n", [255, 0, 0, 0, 0, 255]), "RB"),
  ]

  @Test("all kinds", arguments: sound)
  func kinds(data: Data, letters: String) throws {
    let image = try Image(data: data, coders: Self.coders)
    #expect(image.bitmap.letters == letters)
    #expect(image.info?.format == .pnm && image.bitmap.isOpaque)
  }

  private static let unsound: [(Data, String)] = [
    (file("P6\n0 1\n255\n"), "corrupt"), (file("P2 1 1 0\n0\n"), "corrupt"),
    (file("P2 1 1 9\n10\n"), "corrupt"), (file("P1 1 1\n2\n"), "corrupt"),
    (file("P6 99999 99999 255\n"), "limitExceeded"), (file("P6 2 1 255\n123"), "truncated"),
    (file("P2 1 1 255\n25"), "truncated"), (file("P6 99999999999999999999 1 255\n"), "corrupt"),
    (file("P7\nWIDTH 1\n"), "unrecognizedFormat"),
  ]

  @Test("what is wrong", arguments: unsound)
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
