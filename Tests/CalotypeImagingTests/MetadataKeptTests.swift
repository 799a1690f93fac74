import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// What travels with a picture, and what must not.
@Suite("Metadata kept")
struct MetadataKeptTests {
  /// A TIFF writer that can be told to lie.
  struct Directory {
    var entries: [(tag: UInt16, type: UInt16, count: UInt32, field: [UInt8])] = []
    var next: UInt32 = 0

    func bytes(bigEndian: Bool) -> [UInt8] {
      entries.reduce(number(UInt16(entries.count), bigEndian)) {
        $0 + number($1.tag, bigEndian) + number($1.type, bigEndian) + number($1.count, bigEndian) + $1.field
      } + number(next, bigEndian)
    }
  }

  static func number<Number: FixedWidthInteger>(_ value: Number, _ bigEndian: Bool) -> [UInt8] {
    withUnsafeBytes(of: bigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
  }

  /// Directory 0 at 8 with seven entries; texts, Exif directory, GPS directory and thumbnail directory behind it.
  static func block(bigEndian: Bool) -> Data {
    func n16(_ v: UInt16) -> [UInt8] { number(v, bigEndian) + [0, 0] }
    func n32(_ v: UInt32) -> [UInt8] { number(v, bigEndian) }
    let main = Directory(
      entries: [
        (0x010F, 2, 10, n32(200)), (0x0112, 3, 1, n16(6)), (0x011A, 5, 1, n32(216)), (0x02BC, 1, 6, n32(400)),
        (0x8769, 4, 1, n32(232)), (0x8825, 4, 1, n32(320)), (0x9C9B, 1, 4, [65, 0, 0, 0]),
      ], next: 360)
    let exif = Directory(entries: [
      (0x829A, 5, 1, n32(224)), (0x9286, 7, 5, n32(400)), (0xA002, 4, 1, n32(4000)), (0xA005, 4, 1, n32(380)),
    ])
    let gps = Directory(entries: [(0x0001, 2, 2, [0x4E, 0, 0, 0]), (0x0002, 5, 1, n32(216))])
    let thumbnail = Directory(entries: [(0x0201, 4, 1, n32(400))])
    let interoperability = Directory(entries: [(0x0001, 2, 4, Array("R98\0".utf8))])
    var bytes = [UInt8](repeating: 0xEE, count: 410)
    func put(_ data: [UInt8], at offset: Int) {
      bytes.replaceSubrange(offset..<(offset + data.count), with: data)
    }
    put(Array((bigEndian ? "MM" : "II").utf8) + number(UInt16(42), bigEndian) + n32(8), at: 0)
    put(main.bytes(bigEndian: bigEndian), at: 8)
    put(Array("Calotype\0\0".utf8), at: 200)
    put(n32(72) + n32(1), at: 216)
    put(n32(1) + n32(250), at: 224)
    put(exif.bytes(bigEndian: bigEndian), at: 232)
    put(gps.bytes(bigEndian: bigEndian), at: 320)
    put(thumbnail.bytes(bigEndian: bigEndian), at: 360)
    put(interoperability.bytes(bigEndian: bigEndian), at: 380)
    put(Array("COMMENTS!!".utf8), at: 400)
    return Data(bytes)
  }

  /// Entries of a sound block by directory, with their value bytes: an independent reader that trusts.
  static func read(_ data: Data, at start: Int? = nil) throws -> [UInt16: [UInt8]] {
    let bytes = [UInt8](data)
    let bigEndian = bytes[0] == 0x4D
    func value(_ offset: Int, _ count: Int) throws -> Int {
      try #require(offset + count <= bytes.count)
      let part = bytes[offset..<(offset + count)]
      return (bigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = try start ?? value(4, 4)
    #expect(directory % 2 == 0)
    let count = try value(directory, 2)
    var entries: [UInt16: [UInt8]] = [:]
    var last = -1
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      let tag = try value(entry, 2)
      #expect(tag > last, "tags ascend")
      last = tag
      let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 10: 8]
      let size = try #require(sizes[try value(entry + 2, 2)]) * (try value(entry + 4, 4))
      let place = try size <= 4 ? entry + 8 : value(entry + 8, 4)
      try #require(place + size <= bytes.count)
      entries[UInt16(tag)] = Array(bytes[place..<(place + size)])
      if [0x8769, 0xA005].contains(tag) {
        let below = try read(data, at: try value(entry + 8, 4))
        for (tag, value) in below { entries[start == nil ? tag : tag ^ 0xF000] = value }
      }
    }
    #expect(try value(directory + 2 + 12 * count, 4) == 0, "no directory follows")
    return entries
  }

  @Test(
    "Exif keeps its fields, and neither position, orientation, size nor thumbnail", arguments: [true, false])
  func exif(bigEndian: Bool) throws {
    let block = Self.block(bigEndian: bigEndian)
    #expect(Exif.orientation(in: block) == .rightTop)
    let kept = try #require(ImageMetadata(exif: block).kept([.exif]).exif)
    #expect(kept.prefix(2) == block.prefix(2))
    #expect(kept.count <= block.count)
    #expect(Exif.orientation(in: kept) == nil)
    let entries = try Self.read(kept)
    #expect(entries[0x010F] == Array("Calotype\0\0".utf8))
    #expect(entries[0x011A] == Self.number(UInt32(72), bigEndian) + Self.number(UInt32(1), bigEndian))
    #expect(entries[0x829A] == Self.number(UInt32(1), bigEndian) + Self.number(UInt32(250), bigEndian))
    #expect(entries[0x9286] == Array("COMME".utf8))
    #expect(entries[0x9C9B] == [65, 0, 0, 0])
    #expect(entries[0x0001 ^ 0xF000] == Array("R98\0".utf8))
    let tags: Set<UInt16> = [0x010F, 0x011A, 0x8769, 0x9C9B, 0x829A, 0x9286, 0xA005, 0x0001 ^ 0xF000]
    #expect(Set(entries.keys) == tags)
    #expect(ImageMetadata(exif: kept).kept([.exif]).exif == kept, "once is enough")
    #expect(ImageMetadata(exif: Data("Exif\0\0".utf8) + block).kept([.exif]).exif == kept)
  }

  @Test(
    "every format leaves positions, orientation and foreign profiles out", arguments: ["jpeg", "png", "webp"])
  func formats(format: String) throws {
    let pixels = try ColorTests.bitmap(ColorTests.colors)
    let gray = Data(repeating: 0, count: 128).replacing(0..<4, with: [0, 0, 0, 132])
      .replacing(16..<20, with: Array("GRAY".utf8)).replacing(36..<40, with: Array("acsp".utf8))
    let image = Image(
      bitmap: pixels, profile: .icc(gray + Data(count: 4)),
      metadata: ImageMetadata(exif: Self.block(bigEndian: true), xmp: Data("<a GPSLatitude='1' b='2'/>".utf8))
    )
    var options = EncodeOptions(format: ImageFormat(rawValue: format))
    options.keeps = Set(ImageMetadata.Kind.allCases)
    let data = try CoderRegistry.standard.encode(image, as: options)
    let read = try CoderRegistry.standard.decode(
      data, options: DecodeOptions(colors: .asStored, readsMetadata: true))
    #expect(read.metadata == image.metadata.kept([.exif, .xmp]))
    #expect(read.metadata.exif != nil && read.metadata.exif != image.metadata.exif)
    #expect(read.info?.orientation == .topLeft)
    // A JPEG becomes grey with it; the others have colours that it does not explain.
    #expect((read.profile != nil) == (format == "jpeg"))
  }

  @Test("only what was asked for")
  func kinds() {
    let metadata = ImageMetadata(exif: Self.block(bigEndian: true), xmp: Data("<a/>".utf8))
    #expect(metadata.kept([]) == ImageMetadata())
    #expect(metadata.kept([.icc]) == ImageMetadata())
    #expect(metadata.kept([.exif]).xmp == nil)
    #expect(metadata.kept([.xmp]).exif == nil)
    #expect(metadata.kept([.xmp]).xmp == metadata.xmp)
  }

  @Test("Exif damaged or cut anywhere: small and sound, or nothing", arguments: [true, false])
  func hostileExif(bigEndian: Bool) throws {
    let sound = Self.block(bigEndian: bigEndian)
    func check(_ block: Data) {
      guard let kept = ImageMetadata(exif: block).kept([.exif]).exif else { return }
      #expect(kept.count <= 2 * block.count + 64)
      #expect(Exif.orientation(in: kept) == nil)
      #expect(ImageMetadata(exif: kept).kept([.exif]).exif == kept)
    }
    for count in 0..<sound.count { check(sound.prefix(count)) }
    for index in sound.indices {
      for value in [0, 8, 0x7F, 0xFF] as [UInt8] {
        var damaged = sound
        damaged[index] = value
        check(damaged)
      }
    }
  }

  @Test("directories that contain themselves, and values that overlap, do not grow")
  func bombs() throws {
    var loop = Directory(entries: [(0x8769, 4, 1, [8, 0, 0, 0])], next: 8)
    loop.entries.append((0x010F, 2, 4, Array("abc\0".utf8)))
    let header = Array("II".utf8) + [42, 0, 8, 0, 0, 0]
    let kept = try #require(
      ImageMetadata(exif: Data(header + loop.bytes(bigEndian: false))).kept([.exif]).exif)
    #expect(kept.count < 100)
    // A thousand entries that all mean the same 60,000 bytes.
    var many = Directory()
    for tag in 0x0300..<0x0700 { many.entries.append((UInt16(tag), 7, 60_000, [16, 0, 0, 0])) }
    let block = Data(header + many.bytes(bigEndian: false)) + Data(count: 60_000)
    let small = try #require(ImageMetadata(exif: block).kept([.exif]).exif)
    #expect(small.count <= block.count)
  }

  static let packet = """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:t="http://ns.adobe.com/tiff/1.0/" t:Orientation = '6' t:Make="Calo > type"
     xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22.5N"><!-- exif:GPS? -->
    <exif:GPSLongitude>8,32.5E</exif:GPSLongitude><t:Orientation>6</t:Orientation><exif:GPSAltitude/>
    <exif:GPSx rdf:parseType="Resource"><exif:GPSx><a/>deep</exif:GPSx></exif:GPSx >
    <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Alt><rdf:li xml:lang="de">Bücher &amp; mehr</rdf:li></rdf:Alt></dc:title>
    </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """

  static let keptPacket = """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:t="http://ns.adobe.com/tiff/1.0/" t:Make="Calo > type"
     xmlns:exif="http://ns.adobe.com/exif/1.0/"><!-- exif:GPS? -->
    \("")
    \("")
    <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Alt><rdf:li xml:lang="de">Bücher &amp; mehr</rdf:li></rdf:Alt></dc:title>
    </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """

  @Test("XMP loses orientation and positions, and nothing else changes by a byte")
  func xmp() throws {
    let kept = try #require(ImageMetadata(xmp: Data(Self.packet.utf8)).kept([.xmp]).xmp)
    #expect(String(decoding: kept, as: UTF8.self) == Self.keptPacket)
    #expect(ImageMetadata(xmp: kept).kept([.xmp]).xmp == kept)
  }

  @Test(
    "XMP loses all that says where a picture was taken, however it is spelled",
    arguments: [
      "drone-dji:GpsLatitude", "drone-dji:GpsLongtitude", "drone-dji:RelativeAltitude", "exif:gpsLongitude",
      "Iptc4xmpExt:Sublocation", "Iptc4xmpExt:LocationCreated", "Iptc4xmpExt:LocationShown",
      "Iptc4xmpExt:LocationId",
      "Iptc4xmpExt:ProvinceState", "Iptc4xmpExt:CountryName", "Iptc4xmpExt:WorldRegion",
      "Iptc4xmpCore:Location",
      "Iptc4xmpCore:CountryCode", "photoshop:City", "photoshop:State", "photoshop:Country", "geo:lat",
      "geo:long",
      "dc:coverage", "x:CITY", "Camera:GPSXYAccuracy", "GCamera:HdrPlusMakernote", "exif:MakerNote",
    ])
  func places(name: String) throws {
    let around = ("<r:D a:b='1'", "><a:b>here</a:b><dc:title>Bern</dc:title></r:D>")
    let bag = "<\(name)><r:Bag><r:li q:City='47.1'>47.1</r:li></r:Bag></\(name)><dc:title>"
    let packets = [
      "\(around.0) \(name)='47.1'\(around.1)",
      "\(around.0)\(around.1.replacing("<dc:title>", with: "<\(name)>47.1</\(name)><dc:title>"))",
      "\(around.0)\(around.1.replacing("<dc:title>", with: bag))",
    ]
    for packet in packets {
      let kept = try #require(ImageMetadata(xmp: Data(packet.utf8)).kept([.xmp]).xmp)
      #expect(String(decoding: kept, as: UTF8.self) == around.0 + around.1)
    }
  }

  @Test("XMP of the same letters, but about something else, stays")
  func otherProperties() throws {
    let packet =
      "<a xmp:CreatorTool='x' tiff:Make='y' aux:Lens='z'><exif:Flash/><photoshop:Headline/><x:Estate/><x:Longest/></a>"
    #expect(ImageMetadata(xmp: Data(packet.utf8)).kept([.xmp]).xmp == Data(packet.utf8))
  }

  @Test("Exif loses maker notes, in which positions may stand", arguments: [true, false])
  func makerNotes(bigEndian: Bool) throws {
    func n32(_ value: UInt32) -> [UInt8] { Self.number(value, bigEndian) }
    let note = Array("Lat 47.1 Lon 8.5".utf8)
    let main = Directory(entries: [
      (0x010F, 2, 4, Array("abc\0".utf8)), (0x8769, 4, 1, n32(100)), (0xC634, 7, 16, n32(200)),
    ])
    let exif = Directory(entries: [
      (0x8827, 3, 1, Self.number(UInt16(400), bigEndian) + [0, 0]), (0x927C, 7, 16, n32(200)),
    ])
    var bytes = [UInt8](repeating: 0, count: 216)
    bytes.replaceSubrange(
      0..<8, with: Array((bigEndian ? "MM" : "II").utf8) + Self.number(UInt16(42), bigEndian) + n32(8))
    let (first, second) = (main.bytes(bigEndian: bigEndian), exif.bytes(bigEndian: bigEndian))
    bytes.replaceSubrange(8..<(8 + first.count), with: first)
    bytes.replaceSubrange(100..<(100 + second.count), with: second)
    bytes.replaceSubrange(200..<216, with: note)
    let kept = try #require(ImageMetadata(exif: Data(bytes)).kept([.exif]).exif)
    #expect(Set(try Self.read(kept).keys) == [0x010F, 0x8769, 0x8827])
    #expect(kept.firstRange(of: Data(note)) == nil)
  }

  @Test(
    "XMP that is not well-formed is dropped",
    arguments: [
      "<a", "<a>", "</a>", "<a></b>", "<a b></a>", "<a b=c/>", "<a b='<'/>", "<!DOCTYPE a><a/>",
      "<a><!--</a>",
      "<a b='1'c='2'/>", "< a/>", "<a><![CDATA[</a>", "<?a",
    ])
  func badXMP(text: String) {
    #expect(ImageMetadata(xmp: Data(text.utf8)).kept([.xmp]).xmp == nil)
  }

  @Test("XMP of other encodings, too deep, or cut anywhere is dropped")
  func hostileXMP() {
    func kept(_ bytes: [UInt8]) -> Data? { ImageMetadata(xmp: Data(bytes)).kept([.xmp]).xmp }
    #expect(kept(Self.packet.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) == nil)
    #expect(kept([0xFF] + Array("<a/>".utf8)) == nil)
    #expect(kept(Array(String(repeating: "<a>", count: 100_000).utf8)) == nil)
    let bytes = Array(Self.packet.utf8)
    let root = Self.packet.utf8.count - "</x:xmpmeta><?xpacket end=\"w\"?>".utf8.count
    for count in 60..<root { #expect(kept(Array(bytes.prefix(count))) == nil) }
  }

  @Test("eight orientations: three formats, one upright picture", arguments: 1...8)
  func orientations(value: Int) throws {
    func decode(_ folder: String, _ suffix: String, upright: Bool) throws -> Bitmap {
      let data = try Fixture.data("Corpus/\(folder)/exif/f-orientation-\(value).\(suffix)")
      return try CoderRegistry.standard.decode(data, options: DecodeOptions(appliesOrientation: upright))
        .bitmap
    }
    let orientation = try #require(Orientation(rawValue: value))
    let png = try decode("png", "png", upright: true)
    #expect(try png == decode("png", "png", upright: false).oriented(orientation))
    for (folder, suffix) in [("jpeg", "jpg"), ("webp", "webp")] {
      let bitmap = try decode(folder, suffix, upright: true)
      #expect(bitmap.size == png.size)
      let pairs = zip(ColorTests.bytes(bitmap), ColorTests.bytes(png))
      // Mean, because lossy formats ring along the edges of the letter.
      let sum = pairs.reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(Double(sum) / Double(png.byteCount) < 3)
    }
  }
}

extension Data {
  fileprivate func replacing(_ range: Range<Int>, with bytes: [UInt8]) -> Data {
    var copy = self
    copy.replaceSubrange(range, with: bytes)
    return copy
  }
}
