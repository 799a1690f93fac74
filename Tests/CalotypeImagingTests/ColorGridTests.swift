import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Real pictures with real profiles look as another program shows them.
@Suite("Color grids")
struct ColorGridTests {
  struct Row: Sendable, CustomStringConvertible {
    let path: String
    let columns: Int
    let rows: Int
    let values: [Int]
    var description: String { path }
  }

  static let table: [Row] = {
    guard let text = try? String(decoding: Fixture.data("Corpus/GRIDS.tsv"), as: UTF8.self) else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: "\t")
      let sides = cells[2].split(separator: "x").compactMap { Int($0) }
      let digits = Array(cells[3])
      let values = stride(from: 0, to: digits.count, by: 2).compactMap {
        Int(String(digits[$0...($0 + 1)]), radix: 16)
      }
      guard cells[1] == "srgb", sides.count == 2, values.count == 4 * sides[0] * sides[1] else { return nil }
      return Row(path: String(cells[0]), columns: sides[0], rows: sides[1], values: values)
    }
  }()

  static func grid(of bitmap: Bitmap, columns: Int, rows: Int) -> [Int] {
    let bytes = ColorTests.bytes(bitmap)
    var grid: [Int] = []
    for row in 0..<rows {
      for column in 0..<columns {
        var sums = [0, 0, 0, 0]
        var count = 0
        for y in (row * bitmap.height / rows)..<((row + 1) * bitmap.height / rows) {
          for x in (column * bitmap.width / columns)..<((column + 1) * bitmap.width / columns) {
            let pixel = 4 * (y * bitmap.width + x)
            let alpha = Int(bytes[pixel + 3])
            for channel in 0..<3 { sums[channel] += (Int(bytes[pixel + channel]) * alpha + 127) / 255 }
            sums[3] += alpha
            count += 1
          }
        }
        grid += sums.map { ($0 + count / 2) / max(1, count) }
      }
    }
    return grid
  }

  /// The profile in a JPEG (one or more APP2) or a WebP (ICCP), as the file has it.
  static func profile(in file: [UInt8]) -> Data? {
    var profile = Data()
    if file.starts(with: [0xFF, 0xD8]) {
      var index = 2
      while index + 4 <= file.count, file[index] == 0xFF, file[index + 1] != 0xDA {
        let length = Int(file[index + 2]) << 8 | Int(file[index + 3])
        let body = file[(index + 4)..<min(file.count, index + 2 + length)]
        if file[index + 1] == 0xE2, body.starts(with: "ICC_PROFILE\0".utf8) { profile += body.dropFirst(14) }
        index += 2 + length
      }
    } else if file.starts(with: "RIFF".utf8) {
      var index = 12
      while index + 8 <= file.count {
        let length = (0..<4).reduce(0) { $0 | Int(file[index + 4 + $1]) << (8 * $1) }
        if file[index..<(index + 4)].elementsEqual("ICCP".utf8) {
          profile += file[(index + 8)..<min(file.count, index + 8 + length)]
        }
        index += 8 + length + length % 2
      }
    }
    return profile.isEmpty ? nil : profile
  }

  @Test("within 3 units, CMYK within 8", arguments: table)
  func matches(row: Row) throws {
    let data = try Fixture.data("Corpus/\(row.path)")
    let options = DecodeOptions(appliesOrientation: false, allowsPartial: true, colors: .asStored)
    let image = try CoderRegistry.standard.decode(data, options: options)
    let found = image.profile ?? Self.profile(in: [UInt8](data)).map { .icc($0) }
    // A CMYK picture as stored was made RGB; the conversion of its inks is tested where they are decoded.
    guard let found, !row.path.contains("cmyk") else { return }
    let converted = try image.bitmap.converted(from: found)
    let grid = Self.grid(of: converted, columns: row.columns, rows: row.rows)
    let difference = zip(grid, row.values).map { abs($0 - $1) }.max()
    #expect(difference.map { $0 <= 3 } ?? false, "off by \(difference ?? -1)")
  }

  @Test("there are rows to test")
  func complete() {
    #expect(Self.table.count >= 10)
  }

  @Test("the ink profile of a picture gives the colours of print, not the plain product")
  func cmyk() throws {
    let data = try Fixture.data("Corpus/jpeg/icc/gen-cmyk.jpg")
    let profile = try #require(Self.profile(in: [UInt8](data)))
    let inks = try ColorTests.bitmap(
      [[0, 0, 0, 0], [255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0], [0, 0, 0, 255]], format: .cmyk8)
    let converted = try inks.converted(from: .icc(profile))
    #expect(converted.format == .rgba8)
    #expect(converted.isOpaque)
    let bytes = ColorTests.bytes(converted)
    // Paper is white; cyan, magenta and yellow of a press; black is not quite.
    for (index, expected) in [
      (0, [255, 255, 255]), (1, [0, 158, 224]), (2, [226, 0, 122]), (3, [255, 237, 0]),
    ] {
      for channel in 0..<3 {
        #expect(abs(Int(bytes[4 * index + channel]) - expected[channel]) <= 24, "\(index) \(bytes)")
      }
    }
    #expect(bytes[16] > 5 && bytes[16] < 70)
    #expect(bytes.indices.allSatisfy { $0 % 4 != 3 || bytes[$0] == 255 })
  }

  @Test("a profile of the wrong space leaves the picture alone")
  func wrongSpace() throws {
    let data = try Fixture.data("Corpus/jpeg/icc/gen-wrong-space.jpg")
    let profile = try #require(Self.profile(in: [UInt8](data)))
    let options = DecodeOptions(colors: .asStored)
    let image = try CoderRegistry.standard.decode(data, options: options)
    #expect(try image.bitmap.converted(from: .icc(profile)) == image.bitmap)
  }
}
