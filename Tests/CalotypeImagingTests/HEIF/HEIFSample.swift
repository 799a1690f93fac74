import FoundationEssentials

@testable import CalotypeImaging

/// Files that are made of the coded tiles of a fixture.
struct HEIFSample {
  /// The configuration, as a box.
  let configuration: [UInt8]
  /// The data of four tiles of 64 by 64 pixels: two rows of two.
  let tiles: [[UInt8]]

  /// Takes a grid of two by two tiles apart.
  init(_ name: String = "heif/gen-grid-thumbnail-irot3.heic") throws {
    let data = try Fixture.data(name)
    let bytes = [UInt8](data)
    let file = try ISOMediaFile(data.bytes, isWhole: true, format: .heif, limits: .default)
    guard let graph = file?.graph, case .grid(_, let ids) = graph.primary.composition else {
      throw ImagingError.emptyInput
    }
    var tiles: [[UInt8]] = []
    var configuration: [UInt8] = []
    for id in ids {
      guard let item = graph.table.items[id], let extent = item.location?.extents.first else { continue }
      tiles.append(Array(bytes[Int(extent.offset)..<Int(extent.offset + extent.length)]))
      for case .codec(let codec) in graph.table.properties(of: item) {
        configuration = BoxBuilder.box("hvcC", Array(bytes[codec.content]))
      }
    }
    (self.tiles, self.configuration) = (tiles, configuration)
  }

  /// Returns a file of one tile, with more properties; `size` is that which the file states.
  func still(_ size: (Int, Int) = (64, 64), _ more: [[UInt8]] = [], data: [UInt8]? = nil) -> ItemFile {
    let media = data ?? tiles[0]
    let properties = [BoxBuilder.size(size.0, size.1), configuration] + more
    var file = ItemFile(
      items: [
        ItemFile.Item(
          id: 1, type: "hvc1", properties: Array(1...properties.count), extent: (0, media.count))
      ], properties: properties)
    (file.brand, file.media) = ("heic", media)
    return file
  }

  /// Returns a file of a grid of these tiles, of which the whole is shown.
  func grid(_ indices: [Int], columns: Int) -> ItemFile {
    let rows = indices.count / columns
    var file = ItemFile.grid(columns: columns, rows: rows, tile: (64, 64), size: (64 * columns, 64 * rows))
    file.brand = "heic"
    file.properties[2] = configuration
    file.media = []
    for (position, index) in indices.enumerated() {
      file.items[position + 1].type = "hvc1"
      file.items[position + 1].extent = (file.media.count, tiles[index].count)
      file.media += tiles[index]
    }
    return file
  }
}
