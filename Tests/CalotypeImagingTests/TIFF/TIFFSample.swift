import FoundationEssentials

@testable import CalotypeImaging

/// Writes TIFF files with pixels, of any kind of samples.
struct TIFFSample {
  var width = 7
  var height = 5
  var bits = 8
  var samples = 3
  var photometric = 2
  var compression = 1
  var isPlanar = false
  var isBigEndian = false
  var isBig = false
  /// The rows of a strip; the height for one strip.
  var rows: Int?
  /// The size of a tile; `nil` for strips.
  var tile: (width: Int, height: Int)?
  /// Fields in place of the default ones, or beside them.
  var others: [TIFFBuilder.Entry] = []
  /// The value of a sample.
  var value: (_ x: Int, _ y: Int, _ sample: Int) -> Int = { x, y, sample in x * 37 + y * 59 + sample * 101 }
  /// Compresses the samples of a strip or tile.
  var pack: (_ raw: [UInt8], _ width: Int, _ height: Int) -> [UInt8] = { raw, _, _ in raw }

  private var builder: TIFFBuilder { TIFFBuilder(isBigEndian: isBigEndian, isBig: isBig) }

  /// The samples of a rectangle, packed as they are stored.
  private func raw(x: Int, y: Int, width: Int, height: Int, samples: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    for row in y..<y + height {
      var word = 0
      var have = 0
      for column in x..<x + width {
        for sample in samples {
          let isInside = column < self.width && row < self.height
          let most = (1 << bits) - 1
          let value = isInside ? value(column, row, sample) & most : 0
          if bits == 16 || bits == 32 {
            bytes += builder.number(value, bits / 8)
            continue
          }
          word = word << bits | value
          have += bits
          while have >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: word >> (have - 8)))
            have -= 8
          }
        }
      }
      if have > 0 { bytes.append(UInt8(truncatingIfNeeded: word << (8 - have))) }
    }
    return bytes
  }

  /// The compressed strips or tiles.
  private var pieces: [[UInt8]] {
    let planes = isPlanar ? (0..<samples).map { $0..<$0 + 1 } : [0..<samples]
    let size = tile ?? (width, rows ?? height)
    var pieces: [[UInt8]] = []
    for plane in planes {
      for y in stride(from: 0, to: height, by: size.height) {
        let count = tile == nil ? min(size.height, height - y) : size.height
        for x in stride(from: 0, to: width, by: size.width) {
          let raw = raw(x: x, y: y, width: size.width, height: count, samples: plane)
          pieces.append(pack(raw, size.width, count))
        }
      }
    }
    return pieces
  }

  /// The directory of the picture, whose pieces begin at `start`.
  private func entries(_ pieces: [[UInt8]], at start: Int) -> [TIFFBuilder.Entry] {
    var offset = start
    let offsets = pieces.map { piece in
      defer { offset += piece.count }
      return offset
    }
    let isTiled = tile != nil
    var entries: [TIFFBuilder.Entry] = [
      .init(256, width), .init(257, height),
      .init(258, [Int](repeating: bits, count: samples), type: 3), .init(259, compression, type: 3),
      .init(262, photometric, type: 3), .init(isTiled ? 324 : 273, offsets),
      .init(277, samples, type: 3), .init(isTiled ? 325 : 279, pieces.map(\.count)),
      .init(284, isPlanar ? 2 : 1, type: 3),
    ]
    if let tile {
      entries += [.init(322, tile.width), .init(323, tile.height)]
    } else {
      entries.append(.init(278, rows ?? height))
    }
    entries.removeAll { entry in others.contains { $0.tag == entry.tag } }
    return (entries + others).sorted { $0.tag < $1.tag }
  }

  /// The file.
  var data: Data { Self.file([self]) }

  /// A file of several pages with the same byte order; the pixels follow the directories.
  static func file(_ pages: [TIFFSample]) -> Data {
    guard let first = pages.first else { return Data() }
    let pieces = pages.map(\.pieces)
    func directories(at start: Int) -> Data {
      var start = start
      let all = zip(pages, pieces).map { page, pieces in
        defer { start += pieces.reduce(0) { $0 + $1.count } }
        return page.entries(pieces, at: start)
      }
      return first.builder.file(all)
    }
    // The length of the directories does not depend on the places in them.
    let length = directories(at: 0).count
    return directories(at: length) + Data(pieces.joined().joined())
  }
}
