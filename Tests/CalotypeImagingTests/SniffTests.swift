import CalotypeImaging
import FoundationEssentials
import Testing

/// Formats are told by full signatures, and what is no image says what it looks like.
@Suite("Sniffing")
struct SniffTests {
  static let signatures: [(ImageFormat, [UInt8])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8)),
    (.jxl, [0xFF, 0x0A]), (.jxl, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
    (.avif, ftyp("avif", [])), (.avif, ftyp("mif1", ["miaf", "avif"])), (.avif, ftyp("avis", ["msf1"])),
    (.heif, ftyp("heic", ["mif1"])), (.heif, ftyp("mif1", ["heic"])),
    (.tiff, [0x49, 0x49, 42, 0, 8, 0, 0, 0]), (.tiff, [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]),
    (.tiff, [0x49, 0x49, 43, 0, 8, 0, 0, 0]), (.tiff, [0x4D, 0x4D, 0, 43, 0, 8, 0, 0]),
    (.bmp, bmp(header: 40)), (.bmp, bmp(header: 12)), (.bmp, bmp(header: 124)),
    (.ico, [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 100, 0, 0, 0, 22, 0, 0, 0]),
    (.cur, [0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 100, 0, 0, 0, 22, 0, 0, 0]),
    (.qoi, Array("qoif".utf8)),
  ]

  static func ftyp(_ major: String, _ compatible: [String]) -> [UInt8] {
    [0, 0, 0, UInt8(16 + 4 * compatible.count)] + Array("ftyp".utf8) + Array(major.utf8) + [0, 0, 0, 0]
      + compatible.flatMap { Array($0.utf8) }
  }

  static func bmp(header: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 14 + Int(header))
    bytes.replaceSubrange(0..<2, with: Array("BM".utf8))
    bytes[10] = 14 + header
    bytes[14] = header
    bytes[header == 12 ? 22 : 26] = 1
    return bytes
  }

  @Test("each signature", arguments: signatures)
  func signature(_ format: ImageFormat, _ bytes: [UInt8]) {
    #expect(ImageFormat.sniff(Data(bytes)) == format)
    // A slice whose indices do not start at 0.
    #expect(ImageFormat.sniff(Data([1, 2, 3] + bytes).dropFirst(3)) == format)
  }

  @Test("one wrong byte in a signature is another file")
  func wrongByte() {
    for (bytes, index) in [
      (Self.signatures[0].1, 2), (Self.signatures[1].1, 4), (Self.signatures[2].1, 4),
      (Self.signatures[4].1, 8),
    ] {
      var wrong = bytes
      wrong[index] ^= 0x20
      #expect(ImageFormat.sniff(Data(wrong)) == nil, "\(wrong)")
    }
  }

  @Test("too few bytes are no format, and never a trap")
  func prefixes() {
    for (format, bytes) in Self.signatures {
      for count in 0..<bytes.count {
        let found = ImageFormat.sniff(Data(bytes.prefix(count)))
        #expect(found == nil || found == format)
      }
    }
    #expect(ImageFormat.sniff(Data([0xFF, 0xD8])) == nil)
  }

  @Test("two letters do not make a bitmap, films are no pictures")
  func implausible() {
    #expect(ImageFormat.sniff(Data("BMW is a company, not a bitmap file".utf8)) == nil)
    #expect(ImageFormat.sniff(Data(Self.ftyp("isom", ["mp42"]))) == nil)
    #expect(ImageFormat.sniff(Data("RIFF....WAVEfmt ".utf8)) == nil)
    #expect(ImageFormat.sniff(Data([0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 40))) == nil)
  }

  @Test(
    "hints",
    arguments: [
      ("<html><body>404 Not Found", "an HTML page"), ("\u{FEFF}\n <!DOCTYPE html>", "an HTML page"),
      ("<?xml version=\"1.0\"?><g><svg/></g>", "an SVG drawing"),
      ("<?xml version=\"1.0\"?><rss/>", "an XML document"),
      ("{\"error\": 1}", "JSON"), ("%PDF-1.7", "a PDF document"), ("PK\u{3}\u{4}....", "a ZIP archive"),
      ("Not found", "text"), ("Übergröße", "text"), ("\u{0}\u{0}\u{0}\u{0}\u{0}", "nothing but zero bytes"),
      ("RIFF....WAVE", "a RIFF file without a picture"), ("GIF8", "a GIF file with a damaged signature"),
    ])
  func hints(_ text: String, _ hint: String) {
    #expect(throws: ImagingError.unrecognizedFormat(hint: hint)) {
      _ = try CoderRegistry.standard.probe(Data(text.utf8))
    }
  }

  @Test("binary without a name has no hint")
  func noHint() {
    #expect(throws: ImagingError.unrecognizedFormat(hint: nil)) {
      _ = try CoderRegistry.standard.decode(Data([0x80, 0x01, 0x02, 0xFE, 0x99, 0x00]))
    }
  }
}
