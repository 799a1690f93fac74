import FoundationEssentials

/// Writes ISO base media boxes, sound or not.
enum BoxBuilder {
  static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap { $0 }
    return number(content.count + 8, 4) + Array(type.utf8) + content
  }

  static func full(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]...) -> [UInt8] {
    box(type, [UInt8(version)] + number(flags, 3) + content.flatMap { $0 })
  }

  static func brands(_ major: String, _ compatible: String...) -> [UInt8] {
    box("ftyp", Array(major.utf8), number(0, 4), compatible.flatMap { Array($0.utf8) })
  }

  static func size(_ width: Int, _ height: Int) -> [UInt8] {
    full("ispe", number(width, 4), number(height, 4))
  }

  /// `av1C` with a depth of 8, 10 or 12 bits.
  static func av1(depth: Int = 8) -> [UInt8] {
    box("av1C", [0x81, 0, depth == 8 ? 0x0C : depth == 10 ? 0x4C : 0x6C, 0])
  }
}

/// A still picture of items.
struct ItemFile {
  struct Item {
    var id: Int
    var type = "av01"
    /// Properties by their number, from 1; negative ones are essential.
    var properties: [Int] = []
    /// The place of the data in `mdat`, or in `idat` if that is asked for.
    var extent: (offset: Int, length: Int)? = (0, 4)
    var isInItemData = false
  }

  var brand = "avif"
  var primary = 1
  var items: [Item] = []
  var properties: [[UInt8]] = []
  var references: [(type: String, from: Int, to: [Int])] = []
  var itemData: [UInt8] = []
  var media: [UInt8] = [1, 2, 3, 4]
  var handler = "pict"

  /// A single picture.
  static func still(_ width: Int = 32, _ height: Int = 24, _ more: [[UInt8]] = []) -> ItemFile {
    let properties = [BoxBuilder.size(width, height), BoxBuilder.av1()] + more
    return ItemFile(
      items: [Item(id: 1, properties: Array(1...properties.count))], properties: properties)
  }

  /// A grid of equal tiles: item 1 is the grid, the tiles follow.
  static func grid(columns: Int, rows: Int, tile: (Int, Int), size: (Int, Int)) -> ItemFile {
    let tiles = (0..<columns * rows).map { Item(id: 2 + $0, properties: [2, 3]) }
    let layout =
      [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + BoxBuilder.number(size.0, 2)
      + BoxBuilder.number(size.1, 2)
    let grid = Item(id: 1, type: "grid", properties: [1], extent: (0, 8), isInItemData: true)
    return ItemFile(
      items: [grid] + tiles,
      properties: [
        BoxBuilder.size(size.0, size.1), BoxBuilder.size(tile.0, tile.1), BoxBuilder.av1(depth: 10),
      ], references: [("dimg", 1, tiles.map(\.id))], itemData: layout)
  }

  var data: Data {
    let fileType = BoxBuilder.brands(brand, "mif1", "miaf")
    let length = fileType.count + meta(mediaOffset: 0).count
    return Data(fileType + meta(mediaOffset: length + 8) + BoxBuilder.box("mdat", media))
  }

  func meta(mediaOffset: Int) -> [UInt8] {
    typealias B = BoxBuilder
    let entries = items.flatMap {
      B.full("infe", version: 2, B.number($0.id, 2), B.number(0, 2), Array($0.type.utf8), [0])
    }
    let places = items.flatMap { item -> [UInt8] in
      guard let extent = item.extent else { return [] }
      let offset = item.isInItemData ? extent.offset : extent.offset + mediaOffset
      return B.number(item.id, 2) + B.number(item.isInItemData ? 1 : 0, 2) + B.number(0, 2) + B.number(1, 2)
        + B.number(offset, 4) + B.number(extent.length, 4)
    }
    let placeCount = items.count { $0.extent != nil }
    let links = references.flatMap { link in
      B.box(
        link.type, B.number(link.from, 2), B.number(link.to.count, 2), link.to.flatMap { B.number($0, 2) })
    }
    let associations = items.flatMap { item in
      B.number(item.id, 2) + [UInt8(item.properties.count)]
        + item.properties.map { UInt8(abs($0)) | ($0 < 0 ? 0x80 : 0) }
    }
    return B.full(
      "meta", B.full("hdlr", B.number(0, 4), Array(handler.utf8), B.number(0, 13)),
      B.full("pitm", B.number(primary, 2)),
      B.full("iinf", B.number(items.count, 2), entries),
      B.full("iloc", version: 1, [0x44, 0], B.number(placeCount, 2), places),
      references.isEmpty ? [] : B.full("iref", links),
      B.box(
        "iprp", B.box("ipco", properties.flatMap { $0 }),
        B.full("ipma", B.number(items.count, 4), associations)),
      itemData.isEmpty ? [] : B.box("idat", itemData))
  }
}
