import CalotypeImaging
import CalotypeLibraryCoders
import FoundationEssentials
import Testing

/// The libraries decode what the decoders of this package decode, to the same pixels.
@Suite("Decoders against libraries")
struct LibraryComparisonTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  /// `CALOTYPE_CORPUS`, or `shared/corpus` beside the checkout.
  private static let corpus: URL = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CORPUS"] { return URL(filePath: path) }
    return fixtures.appending(path: "../../../shared/corpus").standardized
  }()

  private static let formats = [
    "jpg": "jpeg", "jpeg": "jpeg", "png": "png", "apng": "png", "gif": "gif",
  ]

  private struct Sample {
    let path: String
    let comparison: LibraryComparison
    let data: Data
  }

  private static func samples(in folder: URL, upTo limit: Int = .max) throws -> [Sample] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.sorted().compactMap { path in
      guard !path.hasPrefix("Crashers"), let dot = path.lastIndex(of: "."),
        let format = formats[String(path[path.index(after: dot)...])],
        let comparison = LibraryComparison.all[format]
      else { return nil }
      let data = try Data(contentsOf: folder.appending(path: path))
      return data.count <= limit ? Sample(path: path, comparison: comparison, data: data) : nil
    }
  }

  private static let options = DecodeOptions(
    limits: DecodeLimits(maxPixels: 4 << 20, maxTotalPixels: 16 << 20), colors: .asStored)

  @Test("the fixtures") func fixtures() throws {
    let samples = try Self.samples(in: Self.fixtures)
    #expect(samples.count > 300)
    compare(samples)
  }

  @Test(
    "the whole corpus",
    .enabled(
      if: FileManager.default.fileExists(atPath: corpus.path),
      "skipped: there is no corpus beside the checkout"))
  func wholeCorpus() throws { compare(try Self.samples(in: Self.corpus)) }

  private func compare(_ samples: [Sample]) {
    for sample in samples {
      for pixels in [DecodeOptions.Pixels.rgba8, .native] {
        var options = Self.options
        options.pixels = pixels
        if let finding = sample.comparison.finding(in: sample.data, options) {
          Issue.record("\(sample.path), \(pixels): \(finding)")
        }
      }
    }
  }

  /// The short version of what libFuzzer does for longer.
  @Test("mutated fixtures", arguments: ["jpeg", "png", "gif"]) func mutated(_ format: String) throws {
    let samples = try Self.samples(in: Self.fixtures, upTo: 8 << 10).filter {
      Self.formats[URL(filePath: $0.path).pathExtension] == format
    }
    #expect(samples.count > 20)
    var random = SeededBytes(seed: 0xCA107)
    var decoded = 0
    for _ in 0..<1500 {
      let sample = samples[Int(random.next() % UInt64(samples.count))]
      var bytes = random.mutated([UInt8](sample.data))
      if format == "png", random.next() & 3 != 0 { bytes = PNGChecksums.repaired(bytes) }
      let data = Data(bytes)
      let options = DecodeOptions(limits: DecoderTargets.limits, damage: .strict, colors: .asStored)
      if (try? sample.comparison.ours.decode(data, minimumSize: nil, options: options)) != nil {
        decoded += 1
      }
      if let finding = sample.comparison.finding(in: data, options) {
        Issue.record("\(sample.path), mutated: \(finding)")
      }
    }
    // Mutations that break everything would compare nothing.
    #expect(decoded > 150)
  }

  @Test("a difference is found") func differences() throws {
    let picture = try Data(contentsOf: Self.fixtures.appending(path: "png/basn6a08.png"))
    let same = try #require(LibraryComparison.all["png"])
    #expect(same.finding(in: picture, Self.options) == nil)
    let other = LibraryComparison(ours: PNGDecoder(), library: Shifted())
    let found = other.finding(in: picture, Self.options)
    guard case .pixels? = found?.difference else {
      Issue.record("\(found as Any)")
      return
    }
    let refusing = LibraryComparison(ours: PNGDecoder(), library: GIFLibDecoder())
    guard
      case .refusedByLibrary? = refusing.finding(in: picture, Self.options, where: { _ in true })?.difference
    else {
      Issue.record("what only one decodes goes unseen")
      return
    }
  }
}

/// Decodes PNG with one sample changed.
private struct Shifted: ImageDecoding {
  var formats: [ImageFormat] { [.png] }
  func format(of prefix: Data) -> ImageFormat? { .png }
  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try PNGDecoder().probe(data, limits: limits)
  }
  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
    let image = try PNGDecoder().decode(data, minimumSize: minimumSize, options: options)
    let bitmap = try Bitmap(size: image.bitmap.size) { pixels in
      image.bitmap.withUnsafeBytes { pixels.copyMemory(from: $0) }
      pixels[pixels.count / 2] ^= 1
      return false
    }
    return Image(
      bitmap: bitmap, info: image.info, orientation: image.orientation, profile: image.profile,
      metadata: image.metadata)
  }
}

/// Pseudo-random numbers and mutations that are the same in each run (SplitMix64).
private struct SeededBytes {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// One to three bytes changed, left out, doubled or cut off.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...(next() % 3) where !bytes.isEmpty {
      let index = Int(next() % UInt64(bytes.count))
      switch next() % 8 {
      case 0: bytes.removeSubrange(index..<min(bytes.count, index + 1 + Int(next() % 4)))
      case 1:
        bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 1 + Int(next() % 4))], at: index)
      case 2: bytes.removeSubrange(max(index, bytes.count - bytes.count / 4)...)
      case 3: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF][Int(next() % 5)]
      case 4, 5: bytes[index] ^= 1 << UInt8(next() % 8)
      default: bytes[index] = UInt8(truncatingIfNeeded: next())
      }
    }
    return bytes
  }
}
