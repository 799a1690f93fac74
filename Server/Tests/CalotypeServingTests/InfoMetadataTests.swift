import FoundationEssentials
import Testing

@testable import CalotypeServing

/// Exif, IPTC, XMP and JSON, out of sound and of hostile bytes.
@Suite("Metadata as JSON")
struct InfoMetadataTests {
  /// A TIFF structure of directories with entries of a tag, a type, a count and a value of at most 4 bytes, or more.
  private static func exif(_ main: [(Int, Int, Int, [UInt8])], _ exif: [(Int, Int, Int, [UInt8])] = [])
    -> [UInt8]
  {
    func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    func four(_ value: Int) -> [UInt8] { two(value >> 16) + two(value) }
    func directory(_ entries: [(Int, Int, Int, [UInt8])], at start: Int) -> [UInt8] {
      var (fields, values) = ([UInt8](), [UInt8]())
      let end = start + 2 + 12 * entries.count + 4
      for (tag, type, count, value) in entries {
        fields += two(tag) + two(type) + four(count)
        if value.count <= 4 {
          fields += value + [UInt8](repeating: 0, count: 4 - value.count)
        } else {
          fields += four(end + values.count)
          values += value
        }
      }
      return two(entries.count) + fields + four(0) + values
    }
    let link = exif.isEmpty ? [] : [(0x8769, 4, 1, four(1000))]
    var bytes = Array("MM".utf8) + two(42) + four(8) + directory(main + link, at: 8)
    if !exif.isEmpty {
      bytes += [UInt8](repeating: 0, count: 1000 - bytes.count)
      bytes += directory(exif, at: 1000)
    }
    return bytes
  }

  private static let sample = exif(
    [
      (0x010F, 2, 6, Array("Nikon\0".utf8)), (0x0112, 3, 1, [0, 6]),
      (0x011A, 5, 1, [0, 0, 0, 240, 0, 0, 0, 1]), (0x9999, 2, 2, [65, 0]),
    ],
    [
      (0x829A, 5, 1, [0, 0, 0, 1, 0, 0, 0, 250]), (0x829D, 5, 1, [0, 0, 0, 28, 0, 0, 0, 10]),
      (0x9000, 7, 4, Array("0230".utf8)), (0x9202, 5, 1, [0, 0, 0, 8, 0, 0, 0, 1]),
      (0xA408, 3, 1, [0, 0]), (0x927C, 7, 4, [1, 2, 3, 4]),
      (0x9204, 10, 1, [255, 255, 255, 255, 0, 0, 0, 3]),
    ])

  @Test func exifHasNames() throws {
    let text = try #require(ExifFields.object(of: Data(Self.sample), isCanonical: false)).text
    #expect(
      text == """
        {"Manufacturer":"Nikon","Orientation":"Right-top","X-Resolution":"240","Exposure Time":"1/250 sec.",\
        "F-Number":"f/2.8","Exif Version":"0230","Aperture":"8 EV (f/16)","Contrast":"Normal","Exposure Bias":"-0.33 EV"}
        """)
    let canonical = try #require(ExifFields.object(of: Data(Self.sample), isCanonical: true)).text
    #expect(canonical.contains(#""Make":"Nikon""#) && canonical.contains(#""ExposureBiasValue":"-0.33 EV""#))
  }

  @Test func hostileExifEndsQuickly() {
    for index in Self.sample.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = Self.sample
        damaged[index] = value
        _ = ExifFields.object(of: Data(damaged), isCanonical: true)
        _ = ExifFields.object(of: Data(damaged.prefix(index)), isCanonical: true)
      }
    }
    // A directory that leads to itself, and values of a gigabyte.
    let loop = Self.exif([(0x8769, 4, 1, [0, 0, 0, 8]), (0x010F, 2, 1 << 30, [0, 0, 0, 8, 0])])
    #expect(ExifFields.object(of: Data(loop), isCanonical: false) == nil)
    #expect(ExifFields.object(of: Data(), isCanonical: false) == nil)
  }

  @Test func iptcHasNamesAndLists() throws {
    func dataset(_ number: UInt8, _ text: String) -> [UInt8] {
      [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let bytes =
      [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47] + dataset(5, "Löwe") + dataset(25, "cat") + dataset(25, "dog")
      + dataset(116, "me") + dataset(200, "unknown")
    #expect(
      IPTCFields.object(of: Data(bytes))?.text
        == #"{"Name":"Löwe","Keywords":["cat","dog"],"Copyright Notice":"me"}"#)
    for count in bytes.indices { _ = IPTCFields.object(of: Data(bytes.prefix(count))) }
    #expect(IPTCFields.object(of: Data([0x1C, 2, 5, 0xFF, 0xFF])) == nil)
    // Latin 1, where nothing says UTF-8.
    #expect(IPTCFields.object(of: Data([0x1C, 2, 5, 0, 1, 0xE4]))?.text == #"{"Name":"ä"}"#)
  }

  @Test func photoshopHasAResolution() {
    let bytes: [UInt8] = [0, 240, 0, 0, 0, 1, 0, 1, 0, 72, 128, 0, 0, 2, 0, 2]
    #expect(
      PhotoshopResolution.object(of: Data(bytes))?.text == """
        {"XResolution":240,"XResolutionUnit":"inches","WidthUnit":"inches","YResolution":72.5,\
        "YResolutionUnit":"cm","HeightUnit":"cm"}
        """)
    #expect(PhotoshopResolution.object(of: Data(bytes.dropLast())) == nil)
  }

  private static let packet = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- a comment --><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:aux="a" aux:Lens="16.0-35.0 mm" aux:Serial='1 &lt; 2 &#x41;'>
    <dc:creator><rdf:Seq><rdf:li>Peter</rdf:li><rdf:li>Mary &amp; Jane</rdf:li></rdf:Seq></dc:creator>
    <dc:title><rdf:Alt><rdf:li xml:lang="de">Katze</rdf:li><rdf:li xml:lang="x-default">Cat</rdf:li></rdf:Alt></dc:title>
    <photoshop:Note><![CDATA[a <b> & c]]></photoshop:Note>
    <Iptc4xmpCore:Contact rdf:parseType="Resource"><Iptc4xmpCore:City>Rome</Iptc4xmpCore:City></Iptc4xmpCore:Contact>
    </rdf:Description></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """

  @Test func xmpIsByNamespace() throws {
    let text = try #require(XMPFields.object(of: Data(Self.packet.utf8))).text
    #expect(
      text
        == #"{"aux":{"Lens":"16.0-35.0 mm","Serial":"1 \u003c 2 A"},"dc":{"creator":["Peter","Mary \u0026 Jane"],"#
        + #""title":"Cat"},"photoshop":{"Note":"a \u003cb\u003e \u0026 c"},"Iptc4xmpCore":{"Contact":{"City":"Rome"}}}"#
    )
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
  }

  @Test func hostileXMPIsRefused() {
    #expect(XMLTree.root(of: Array(Self.nested(32).utf8)) != nil)
    let bytes = Array(Self.packet.utf8)
    for count in stride(from: 0, to: bytes.count, by: 3) {
      _ = XMPFields.object(of: Data(bytes.prefix(count)))
    }
    for text in [
      "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><b></a></b>", "<a", "<a b=c/>", "<a/><b/>",
      Self.nested(1000), "<a>" + String(repeating: "<b/>", count: 30_000) + "</a>",
      "\u{0}",
    ] {
      #expect(XMLTree.root(of: Array(text.utf8)) == nil, "\(text.prefix(40))")
    }
    #expect(XMLTree.root(of: [0x3C, 0x61, 0x3E, 0xFF]) == nil)
    #expect(XMLTree.root(of: Array("<a>&#x110000;&none;</a>".utf8))?.text == "&#x110000;&none;")
  }

  @Test func jsonIsEscaped() {
    let value = JSONValue.object([
      .init(
        "a\"b",
        .array([.string("\\\n\u{1}\u{2028}</script>é"), .number(.infinity), .number(0.5), .flag(true)]))
    ])
    #expect(value.text == #"{"a\"b":["\\\n\u0001\u2028\u003c/script\u003eé",null,0.5,true]}"#)
  }
}
