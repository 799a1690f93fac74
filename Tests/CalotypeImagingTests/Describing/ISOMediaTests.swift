import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("AVIF and HEIF: headers")
struct ISOMediaTests {
  private func info(_ file: ItemFile) throws -> ImageInfo { try CoderRegistry.standard.probe(file.data) }

  private func code(_ data: Data, limits: DecodeLimits = .default) -> String? {
    do throws(ImagingError) {
      _ = try CoderRegistry.standard.probe(data, limits: limits)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a picture, its depth, alpha, colours and gain map")
  func still() throws {
    #expect(try info(.still()) == ImageInfo(format: .avif, size: PixelSize(width: 32, height: 24)))
    let colors = BoxBuilder.box("colr", Array("nclx".utf8), [0, 9, 0, 16, 0, 9, 0x80])
    var file = ItemFile.still(32, 24, [colors, BoxBuilder.av1(depth: 12)])
    file.items[0].properties = [1, 3, 4]
    file.properties += [
      BoxBuilder.full("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8), [0]),
      BoxBuilder.full("auxC", Array("urn:com:apple:photo:2020:aux:hdrgainmap".utf8), [0]),
    ]
    file.items += [.init(id: 2, properties: [1, 2, 5]), .init(id: 3, properties: [1, 2, 6])]
    file.references = [("auxl", 2, [1]), ("auxl", 3, [1])]
    let info = try info(file)
    #expect(info.bitDepth == 12 && info.hasAlpha && info.hasGainMap && info.dynamicRange == .pq)
    file.references = [("dimg", 4, [1, 3])]
    file.items.append(.init(id: 4, type: "tmap", properties: [1]))
    #expect(try self.info(file).hasGainMap)
    #expect(try !self.info(file).hasAlpha)
    file.brand = "heic"
    #expect(try self.info(file).format == .heif)
  }

  /// Each combination as the Exif number of the transformation that follows from the order of the properties.
  @Test(
    "rotation and mirroring are one orientation",
    arguments: [
      (1, nil, Orientation.leftBottom), (2, nil, .bottomRight), (3, nil, .rightTop), (0, 0, .bottomLeft),
      (0, 1, .topRight), (1, 0, .leftTop), (1, 1, .rightBottom), (2, 0, .topRight), (3, 0, .rightBottom),
      (3, 1, .leftTop),
    ] as [(UInt8, UInt8?, Orientation)])
  func orientation(quarters: UInt8, axis: UInt8?, expected: Orientation) throws {
    let turns = [BoxBuilder.box("irot", [quarters])] + (axis.map { [BoxBuilder.box("imir", [$0])] } ?? [])
    let info = try info(.still(32, 24, turns))
    #expect(info.orientation == expected && info.size == PixelSize(width: 32, height: 24))
  }

  @Test("the order of transformations counts")
  func order() throws {
    let mirrored = [BoxBuilder.box("imir", [1]), BoxBuilder.box("irot", [1])]
    #expect(try info(.still(32, 24, mirrored)).orientation == .leftTop)
    #expect(try info(.still(32, 24, mirrored.reversed())).orientation == .rightBottom)
  }

  @Test("the clean aperture is applied in HEIF alone")
  func aperture() throws {
    let clap = BoxBuilder.box("clap", [20, 1, 10, 1, 0, 1, 0, 1].flatMap { BoxBuilder.number($0, 4) })
    var file = ItemFile.still(32, 24, [clap])
    #expect(try info(file).size == PixelSize(width: 32, height: 24))
    file.brand = "heic"
    #expect(try info(file).size == PixelSize(width: 20, height: 10))
    // One that is larger than the picture is ignored.
    file.properties[2] = BoxBuilder.box(
      "clap", [33, 1, 10, 1, 0, 1, 0, 1].flatMap { BoxBuilder.number($0, 4) })
    #expect(try info(file).size == PixelSize(width: 32, height: 24))
  }

  @Test("a grid has the size of its layout and the depth of its tiles")
  func grid() throws {
    let file = ItemFile.grid(columns: 3, rows: 2, tile: (64, 64), size: (150, 100))
    let info = try info(file)
    #expect(info.size == PixelSize(width: 150, height: 100) && info.bitDepth == 10)
  }

  @Test("grids that make no sense")
  func badGrids() throws {
    let sound = ItemFile.grid(columns: 2, rows: 2, tile: (64, 64), size: (100, 100))
    #expect(code(sound.data) == nil)
    var file = sound
    file.references = [("dimg", 1, [2, 3, 4])]
    #expect(code(file.data) == "corrupt", "a tile is missing")
    file.references = []
    #expect(code(file.data) == "corrupt", "there are no tiles")
    file.references = [("dimg", 1, [1, 1, 1, 1])]
    #expect(code(file.data) == "corrupt", "a grid of itself")
    file.references = [("dimg", 1, [2, 3, 4, 9])]
    #expect(code(file.data) == "corrupt", "a tile that does not exist")
    file = sound
    file.properties[0] = BoxBuilder.size(101, 100)
    #expect(code(file.data) == "corrupt", "the property disagrees")
    file = sound
    file.properties[1] = BoxBuilder.size(40, 64)
    #expect(code(file.data) == "corrupt", "the tiles do not cover the picture")
    file.properties[1] = BoxBuilder.size(100, 64)
    #expect(code(file.data) == "corrupt", "a column is superfluous")
    file = sound
    file.items[2].type = "grid"
    #expect(code(file.data) == "corrupt", "a grid of grids")
    file = sound
    file.itemData = Array(sound.itemData.prefix(6))
    file.items[0].extent = (0, 6)
    #expect(code(file.data) == "corrupt", "the layout is too short")
    file = .grid(columns: 100, rows: 100, tile: (64, 64), size: (6400, 6400))
    #expect(code(file.data) == "limitExceeded", "10,000 tiles")
  }

  @Test("a tile that is shown many times is checked once, and references are limited")
  func references() {
    var file = ItemFile.grid(columns: 64, rows: 64, tile: (64, 64), size: (4096, 4096))
    file.items = Array(file.items.prefix(2))
    file.references = [("dimg", 1, [Int](repeating: 2, count: 4096))]
    #expect(code(file.data) == nil)
    file.references = [("dimg", 1, [Int](repeating: 2, count: 4096)), ("thmb", 2, [1])]
    #expect(code(file.data) == "limitExceeded")
    #expect(code(ItemFile.still().data, limits: DecodeLimits(maxItems: 0)) == "limitExceeded")
  }

  @Test("items that are missing, outside of the file, or not understood")
  func badItems() {
    var file = ItemFile.still()
    file.primary = 7
    #expect(code(file.data) == "corrupt", "no primary item")
    file = .still()
    file.items[0].extent = nil
    #expect(code(file.data) == "corrupt", "no data")
    file.items[0].extent = (0, 5)
    #expect(code(file.data) == "corrupt", "data behind the end")
    file.items[0].extent = (0xFFFF_0000, 4)
    #expect(code(file.data) == "corrupt", "data far behind the end")
    file = .still()
    file.items.append(file.items[0])
    #expect(code(file.data) == "corrupt", "an item twice")
    file = .still()
    file.items[0].properties = [1, 9]
    #expect(code(file.data) == "corrupt", "a property that does not exist")
    file.items[0].properties = [2]
    #expect(code(file.data) == "corrupt", "no size")
    file.properties.append(BoxBuilder.box("xyzw", [1]))
    file.items[0].properties = [1, 2, 3]
    #expect(code(file.data) == nil, "an unknown property")
    file.items[0].properties = [1, 2, -3]
    #expect(code(file.data) == "unsupportedFormat", "an unknown property that is essential")
    file = .still()
    file.handler = "vide"
    #expect(code(file.data) == "corrupt", "no pictures")
    #expect(code(ItemFile.still(0, 5).data) == "corrupt")
    #expect(code(ItemFile.still(65_000, 65_000).data) == "limitExceeded")
    #expect(code(ItemFile.still(0xFFFF_FFFF, 0xFFFF_FFFF).data) == "limitExceeded")
    file = .still()
    file.references = [("auxl", 1, [1])]
    #expect(code(file.data) == "corrupt", "auxiliary to itself")
  }

  @Test("alpha and picture that are auxiliary to each other")
  func auxiliaryCycle() {
    var file = ItemFile.still()
    file.properties.append(BoxBuilder.full("auxC", Array("urn:mpeg:hevc:2015:auxid:1".utf8), [0]))
    file.items.append(.init(id: 2, properties: [1, 2, 3]))
    file.references = [("auxl", 2, [1])]
    #expect(code(file.data) == nil)
    file.references.append(("auxl", 1, [2]))
    #expect(code(file.data) == "corrupt")
  }

  @Test("boxes of impossible lengths, and deep nesting")
  func boxes() {
    let fileType = BoxBuilder.brands("avif")
    #expect(code(Data(fileType)) == "corrupt", "nothing behind the brands")
    let huge = BoxBuilder.number(1, 4) + Array("meta".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7)
    #expect(code(Data(fileType + huge + [0, 0, 0, 0])) != nil)
    let negative = BoxBuilder.number(1, 4) + Array("meta".utf8) + [UInt8](repeating: 0xFF, count: 8)
    #expect(code(Data(fileType + negative)) != nil)
    #expect(code(Data(fileType + BoxBuilder.number(4, 4) + Array("meta".utf8))) == "corrupt")
    var nested = BoxBuilder.box("ipco", [])
    for _ in 0..<5000 { nested = BoxBuilder.box("ipco", nested) }
    let deep = BoxBuilder.full("meta", BoxBuilder.box("iprp", nested))
    #expect(code(Data(fileType + deep)) == "corrupt", "no items")
    let compact = BoxBuilder.brands("mif3", "avif") + BoxBuilder.box("mini", [0, 1, 2])
    #expect(code(Data(compact)) == "unsupportedFormat")
    // Compact headers need no list of brands: the minor version names the codec.
    for (codec, format) in [("avif", ImageFormat.avif), ("heic", .heif)] {
      let bare =
        BoxBuilder.box("ftyp", Array("mif3".utf8) + Array(codec.utf8)) + BoxBuilder.box("mini", [0, 1, 2])
      #expect(ImageFormat.sniff(Data(bare)) == format && code(Data(bare)) == "unsupportedFormat")
    }
  }

  @Test("counts that are far larger than the boxes")
  func counts() throws {
    let data = ItemFile.still().data
    for name in ["iinf", "iloc", "ipma", "pixi"] {
      guard let at = data.firstRange(of: Data(name.utf8)) else { continue }
      for offset in 4..<12 {
        var broken = data
        for index in 0..<4 where at.upperBound + offset + index < broken.count {
          broken[at.upperBound + offset + index] = 0xFF
        }
        _ = code(broken)
      }
    }
  }

  @Test("every prefix of a file has its header, or too few bytes; none of them traps")
  func prefixes() throws {
    for file in [
      ItemFile.still().data, ItemFile.grid(columns: 2, rows: 2, tile: (64, 64), size: (100, 90)).data,
    ] {
      let whole = try CoderRegistry.standard.probe(file)
      for count in 0...file.count {
        let prefix = Data([9, 9]) + file.prefix(count)
        if let header = try CoderRegistry.standard.header(of: prefix.dropFirst(2)) {
          #expect(header.info == whole)
        }
        _ = code(prefix.dropFirst(2))
      }
      #expect(try CoderRegistry.standard.header(of: file) != nil)
    }
  }

  @Test("each byte of a file, changed")
  func changes() {
    let data = ItemFile.grid(columns: 2, rows: 1, tile: (64, 64), size: (100, 60)).data
    for index in data.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var changed = data
        changed[index] = value
        _ = code(changed)
      }
    }
  }
}
