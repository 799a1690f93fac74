import CalotypeImaging
import FoundationEssentials
import Testing

/// Metadata of which nothing is kept but who made the picture, and who may use it.
@Suite("Metadata: copyright alone")
struct CopyrightTests {
  /// An Exif block, least significant byte first, of texts of directory 0.
  private static func exif(_ texts: [(tag: UInt16, text: String)]) -> Data {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    var directory = bytes(UInt16(texts.count))
    var values: [UInt8] = []
    let behind = 8 + 2 + 12 * texts.count + 4
    for (tag, text) in texts {
      let value = Array(text.utf8) + [0]
      directory += bytes(tag) + bytes(UInt16(2)) + bytes(UInt32(value.count))
      if value.count <= 4 {
        directory += value + [UInt8](repeating: 0, count: 4 - value.count)
      } else {
        directory += bytes(UInt32(behind + values.count))
        values += value + [UInt8](repeating: 0, count: value.count % 2)
      }
    }
    return Data(
      Array("II".utf8) + bytes(UInt16(42)) + bytes(UInt32(8)) + directory + bytes(UInt32(0)) + values)
  }

  @Test("Exif keeps author and copyright")
  func exif() throws {
    let author: [(tag: UInt16, text: String)] = [(0x013B, "Ann Author"), (0x8298, "© 2026")]
    let all = Self.exif([(0x010F, "Maker")] + author + [(0x9C9B, "Title")])
    let kept = try #require(ImageMetadata(exif: all).kept([.copyright]).exif)
    #expect(kept == ImageMetadata(exif: Self.exif(author)).kept([.exif]).exif)
    #expect(ImageMetadata(exif: kept).kept([.copyright]).exif == kept)
    #expect(
      ImageMetadata(exif: all).kept([.copyright, .exif]).exif == ImageMetadata(exif: all).kept([.exif]).exif)
    #expect(ImageMetadata(exif: Self.exif([(0x010F, "Maker")])).kept([.copyright]).exif == nil)
    #expect(ImageMetadata(exif: all).kept([]).exif == nil)
  }

  private static func packet(_ attributes: String, _ properties: String) -> String {
    """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""\(attributes)>\
    \(properties)</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """
  }

  private static let rights =
    "<dc:rights xmlns:dc=\"d\"><rdf:Alt><rdf:li xml:lang=\"x-default\">© A &amp; B</rdf:li></rdf:Alt></dc:rights>"

  @Test(
    "XMP keeps what is said of authors and rights",
    arguments: [
      (packet("", rights), packet("", rights)),
      // Attributes are properties too; bindings stay.
      (
        packet(" xmlns:xmpRights=\"r\" xmpRights:Marked=\"True\" tiff:Make=\"M\" exif:GPSLatitude=\"1\"", ""),
        packet(" xmlns:xmpRights=\"r\" xmpRights:Marked=\"True\"", "")
      ),
      (
        packet(
          " xmlns:cc=\"c\"",
          "text<!-- secret --><xmp:CreatorTool>T</xmp:CreatorTool><cc:license rdf:resource=\"u\"/>"
            + "<xmpMM:History><dc:creator>hidden</dc:creator></xmpMM:History>\(rights)<exif:GPSLatitude/>"),
        packet(" xmlns:cc=\"c\"", "<cc:license rdf:resource=\"u\"/>\(rights)")
      ),
      // Places stay out, also of what is kept.
      (
        packet(
          "",
          "<dc:creator><a>A</a><Iptc4xmpCore:City>Bern</Iptc4xmpCore:City><b x:GPSx='1' y='2'/></dc:creator>"),
        packet("", "<dc:creator><a>A</a><b y='2'/></dc:creator>")
      ),
    ])
  func xmp(_ packet: String, _ expected: String) throws {
    let kept = try #require(ImageMetadata(xmp: Data(packet.utf8)).kept([.copyright]).xmp)
    #expect(String(decoding: kept, as: UTF8.self) == expected)
    #expect(ImageMetadata(xmp: kept).kept([.copyright]).xmp == kept)
  }

  @Test(
    "XMP without authors, or damaged, is left out",
    arguments: [
      packet(" tiff:Make=\"M\"", "<dc:title>T</dc:title>"), "<a/>", "", "<dc:rights>A",
      "<!DOCTYPE a><dc:rights/>",
      packet("", "<xmpMM:History><dc:creator>hidden</dc:creator></xmpMM:History>"),
      packet(" xmlns:rights=\"r\"", ""),
    ])
  func nothing(_ packet: String) {
    #expect(ImageMetadata(xmp: Data(packet.utf8)).kept([.copyright]).xmp == nil)
  }

  @Test("formats write it", arguments: [EncodeOptions.jpeg(), .png, .webp()])
  func formats(_ options: EncodeOptions) throws {
    let metadata = ImageMetadata(
      exif: Self.exif([(0x010F, "Maker"), (0x8298, "© 2026")]),
      xmp: Data(Self.packet(" a:b='1'", Self.rights).utf8))
    let bitmap = try ResamplePictures.noise(8, 8)
    var options = options
    options.keeps = [.copyright]
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap, metadata: metadata), as: options)
    let read = try CoderRegistry.standard.decode(data, options: DecodeOptions(readsMetadata: true))
    #expect(read.metadata == metadata.kept([.copyright]))
    #expect(read.metadata.exif != nil && read.metadata.xmp != nil)
  }
}
