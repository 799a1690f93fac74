import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Every image of a corpus does what its row says: pixels, sizes and orientations, or an error.
@Suite("Corpus")
struct CorpusTests {
  static let carried = Corpus(folder: Fixture.folder.appending(path: "Corpus"))
  static let beside = Corpus(folder: folderBeside)

  /// `CALOTYPE_CORPUS`, or `shared/corpus` beside the checkout.
  static let folderBeside: URL = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CORPUS"] { return URL(filePath: path) }
    return Fixture.folder.appending(path: "../../../shared/corpus").standardized
  }()

  @Test("the fixtures")
  func fixtures() throws {
    let corpus = try #require(Self.carried)
    #expect(corpus.entries.count > 300)
    try check(corpus)
  }

  @Test("the whole corpus", .enabled(if: beside != nil, "skipped: there is no corpus beside the checkout"))
  func whole() throws {
    try check(try #require(Self.beside))
  }

  private func check(_ corpus: Corpus) throws {
    for entry in corpus.entries {
      let data = try entry.data()
      guard let complaint = Self.judge(entry, data) else { continue }
      // What an older library cannot do is still a complaint of the kind that is known.
      if let known = Self.known.first(where: { entry.path.contains($0.key) }),
        complaint.hasPrefix(known.value)
      {
        continue
      }
      Issue.record("\(entry): \(complaint)")
    }
  }

  private static func judge(_ entry: Corpus.Entry, _ data: Data) -> String? {
    let coders = CoderRegistry.standard
    let expected = entry["expected"]
    let image: Image
    let info: ImageInfo
    do {
      info = try coders.probe(data)
      image = try coders.decode(data, options: DecodeOptions(appliesOrientation: false, colors: .asStored))
    } catch .unsupportedFormat(let format, _) where !core.contains(format) {
      return core.contains(ImageFormat(rawValue: entry["format"])) ? "taken for \(format)" : nil
    } catch {
      return expected == "decode" ? "\(error.code): \(error)" : nil
    }
    guard expected != "reject", expected != "limit" else { return "decoded, but should be refused" }
    let alternatives = Dictionary(
      entry["ref_alt"].split(separator: ";").compactMap { pair -> (Substring, Substring)? in
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        return (pair[..<equals], pair[pair.index(after: equals)...])
      }, uniquingKeysWith: { first, _ in first })
    // References of lossy formats beyond the core are not exact, and orientations of TIFF are applied in them.
    let isStrict = expected == "decode" && core.contains(info.format)
    let size = "\(image.width)x\(image.height)"
    let sizes = ["\(entry["width"])x\(entry["height"])", alternatives["clipped_size"].map(String.init) ?? ""]
    guard sizes.contains(size) else { return isStrict ? "is \(size), not \(sizes[0])" : nil }
    if isStrict {
      let stored = Int(entry["orientation"]).flatMap(Orientation.init(rawValue:)) ?? .topLeft
      if info.orientation != stored { return "orientation \(info.orientation), not \(stored)" }
    }
    guard isStrict, !entry["ref_rgba_sha256"].isEmpty else { return nil }
    let hashes = [
      entry["ref_rgba_sha256"], alternatives["scaled16"].map(String.init),
      alternatives["clipped"].map(String.init),
    ]
    return hashes.contains(PixelHash.sha256(of: image.bitmap)) ? nil : "other pixels than the reference"
  }

  /// Files that Debian's libjpeg-turbo 2.1.5 decodes in another way than the 3.2 of the references: its smoothing of
  /// unfinished progressive files, and lossless JPEG. Pixels that run lengths leave out are transparent here, and of the
  /// first colour in the references. Of two pictures of a size in an icon, the references took the first. libjxl 0.7
  /// refuses splines that cover the picture many times, and libtiff a file with broken coefficients.
  private static let known = [
    "peacock.progressive.scan0": "other pixels", "jpeg/conformance/testimgl.jpg": "unsupportedFormat",
    "rletrns.bmp": "other pixels", "multiple_entries_with_different_bit_depth.ico": "other pixels",
    "jxl/splines.jxl": "corrupt", "ycbcr_lzw_broken.tif": "corrupt",
  ]

  private static let core: Set<ImageFormat> = [.jpeg, .png, .apng, .webp, .gif, .bmp, .ico, .cur, .qoi]
}
