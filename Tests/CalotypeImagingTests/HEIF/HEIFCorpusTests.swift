#if HEIF
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Every HEIF of a corpus does what its row says. The references are those of libheif, whose rounding differs by a level
/// here and there.
@Suite("HEIF: corpus")
struct HEIFCorpusTests {
  /// `CALOTYPE_CORPUS_EXT`, or `shared/corpus-ext` beside the checkout.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CORPUS_EXT"] { return URL(filePath: path) }
    return Fixture.folder.appending(path: "../../../shared/corpus-ext").standardized
  }()
  static let corpus = Corpus(folder: folder)

  @Test(
    "references",
    .enabled(if: corpus != nil, "skipped: there is no corpus of more formats beside the checkout"),
    .enabled(if: HEIFDecoder().refusal(of: .heif) == nil))
  func references() throws {
    let entries = try #require(Self.corpus).entries.filter { $0.path.hasPrefix("heif/") }
    #expect(entries.count > 20)
    let grids = try Self.grids()
    var coders = CoderRegistry.standard
    coders.register(HEIFDecoder())
    for entry in entries {
      let data = try entry.data()
      do throws(ImagingError) {
        let image = try coders.decode(
          data, options: DecodeOptions(appliesOrientation: false, colors: .asStored))
        #expect(entry["expected"] == "decode", "\(entry) is \(entry["expected"])")
        #expect("\(image.width)x\(image.height)" == "\(entry["width"])x\(entry["height"])", "\(entry)")
        let stored = Int(entry["orientation"]).flatMap(Orientation.init(rawValue:)) ?? .topLeft
        #expect(image.info?.orientation == stored, "\(entry)")
        guard let grid = grids[entry.path] else { continue }
        let cells = ColorGridTests.grid(of: image.bitmap, columns: grid.columns, rows: grid.rows)
        let worst = zip(cells, grid.values).map { abs($0 - $1) }.max() ?? .max
        #expect(worst <= 2, "\(entry): a cell is \(worst) off")
      } catch {
        #expect(entry["expected"] != "decode", "\(entry): \(error)")
      }
    }
  }

  private static func grids() throws -> [String: ColorGridTests.Row] {
    let text = try String(contentsOf: folder.appending(path: "GRIDS.tsv"), encoding: .utf8)
    var grids: [String: ColorGridTests.Row] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let cells = line.split(separator: "\t")
      guard cells.count == 4, cells[0].hasPrefix("heif/"), cells[1] == "stored" else { continue }
      let sides = cells[2].split(separator: "x").compactMap { Int($0) }
      let digits = Array(cells[3])
      let values = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        Int(String(digits[$0...$0 + 1]), radix: 16)
      }
      guard sides.count == 2, values.count == 4 * sides[0] * sides[1] else { continue }
      grids[String(cells[0])] = ColorGridTests.Row(
        path: String(cells[0]), columns: sides[0], rows: sides[1], values: values)
    }
    return grids
  }
}
#endif
