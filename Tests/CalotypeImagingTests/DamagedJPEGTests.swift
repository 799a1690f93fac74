import FoundationEssentials
import Testing

@testable import CalotypeImaging

#if canImport(Glibc)
import Glibc
#endif

/// Damaged JPEGs are shown with the pixels of libjpeg-turbo.
///
/// `CALOTYPE_DAMAGED_FILES` is the number of files that are damaged for it, `CALOTYPE_DAMAGED_FOLDER` a folder with
/// JPEGs to damage beside those of the tests.
@Suite("Damaged JPEG")
struct DamagedJPEGTests {
  private static let limits = DecodeLimits(maxPixels: 1 << 20, maxScans: 100)
  private static let options = DecodeOptions(limits: limits, colors: .asStored)

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static func sources() throws -> [(name: String, data: Data)] {
    var names =
      JPEGIncrementalTests.names + [
        "Corpus/jpeg/generated/size-33x17-444.jpg", "Corpus/jpeg/conformance/jpg-size-9x9.jpg",
        "Corpus/jpeg/exif/hopper_orientation_2.jpg",
      ]
    names.removeAll { (try? Fixture.data($0)) == nil }
    var sources = try names.map { ($0, try Fixture.data($0)) }
    for isProgressive in [false, true] {
      sources.append(("a photograph", try JPEGIncrementalTests.picture(progressive: isProgressive)))
    }
    if let folder = environment("CALOTYPE_DAMAGED_FOLDER") {
      for path in try Self.files(in: folder) {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.count < 200_000, (try? JPEGDecoder().probe(data, limits: limits)) != nil else { continue }
        sources.append((path, data))
      }
    }
    return sources
  }

  private static func files(in folder: String) throws -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var found: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = folder + "/" + name
      if entry.pointee.d_type == UInt8(DT_DIR) {
        found += try files(in: path)
      } else if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
        found.append(path)
      }
    }
    return found.sorted()
  }

  /// What a decode should end with, told by the library.
  private enum Verdict { case agrees, shown, failed }

  private static func compare(_ data: Data, _ what: @autoclosure () -> String) throws -> Verdict {
    let library = try LibraryDecode(data, maxPixels: limits.maxPixels, maxScans: limits.maxScans)
    let ours = Result { () throws(ImagingError) in
      try JPEGDecoder().decode(data, minimumSize: nil, options: options)
    }
    switch ours {
    case .success(let image):
      guard let pixels = library.bitmap else {
        record("\(what()): shown, and the library refuses it", data)
        return .failed
      }
      if library.isTruncated { record("\(what()): shown, and it is cut off", data) }
      if image.bitmap.bytes != pixels { record("\(what()): other pixels than the library's", data) }
      if !image.isDamaged, !library.isIntact { record("\(what()): not marked", data) }
      if image.isPartial { record("\(what()): partial", data) }
      return image.isDamaged ? .shown : .agrees
    case .failure(let error):
      guard library.bitmap != nil, !library.isTruncated else { return .failed }
      // A picture that lies about its size is refused before memory is taken; limits hold as always.
      let header = try? JPEGHeader(data)
      if let header, let scan = header.scanOffset, data.count < scan + header.minimumScanBytes {
        return .failed
      }
      if error.code == "limitExceeded" || error.code == "unsupportedFormat" { return .failed }
      record("\(what()): \(error), and the library shows it", data)
      return .failed
    }
  }

  /// The file goes to the folder of `--attachments-path`.
  private static func record(_ what: String, _ data: Data) {
    Issue.record(Comment(rawValue: what))
    Attachment.record([UInt8](data), named: "damaged.jpg")
  }

  @Test("files damaged at random: shown with the library's pixels, or refused by both")
  func random() throws {
    let count = Self.environment("CALOTYPE_DAMAGED_FILES").flatMap { Int($0) } ?? 400
    let sources = try Self.sources()
    var damager = Damager(random: RepeatableNumbers(state: 2026))
    var shown = 0
    for round in 0..<count {
      let source = sources[round % sources.count]
      // As a rule in the data, now and then anywhere behind the frame header.
      let scan = (try? JPEGHeader(source.data).scanOffset) ?? 2
      let damaged = damager.damaged(source.data, from: round % 8 == 0 ? 4 : scan)
      let what = "\(source.name), round \(round)"
      if try Self.compare(damaged, what) == .shown { shown += 1 }
      if round % 16 == 0 { try Self.expectSameOtherwise(damaged, what) }
    }
    // Most damage is seen.
    #expect(shown > count / 4)
  }

  /// Dripped and shrunk the same is shown.
  private static func expectSameOtherwise(_ data: Data, _ what: String) throws {
    var decodes = IncrementalDecodes(decoder: JPEGDecoder())
    decodes.options = options
    decodes.expectSame(data, sizes: [997], "\(what)")
    let size = try? JPEGDecoder().probe(data, limits: limits).size
    guard let size, size.width >= 16, size.height >= 16,
      case .success(let whole) = decodes.whole(data)
    else { return }
    let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    let image = try JPEGDecoder().decode(data, minimumSize: half, options: options)
    let library = try LibraryDecode(
      data, denominator: 2, maxPixels: limits.maxPixels, maxScans: limits.maxScans)
    #expect(image.bitmap.bytes == library.bitmap && image.isDamaged == whole.isDamaged, "\(what), halved")
    // A file with something else in front of its first segment is no JPEG to registries, as to browsers.
    guard ImageFormat.sniff(data) == .jpeg else { return }
    let thumbnail = DecodeOptions(limits: limits, thumbnail: .fit(width: 16, height: 16))
    #expect(
      try CoderRegistry.standard.decode(data, options: thumbnail).isDamaged == whole.isDamaged, "\(what)")
  }

  @Test("each kind of damage that libjpeg-turbo conceals is shown and marked", arguments: Kind.allCases)
  func kinds(kind: Kind) throws {
    let data = try kind.data()
    #expect(try Self.compare(data, "\(kind)") == .shown)
    let strict = DecodeOptions(damage: .strict)
    #expect(throws: ImagingError.self) { try JPEGDecoder().decode(data, minimumSize: nil, options: strict) }
    #expect(try CoderRegistry.standard.decode(data).info?.isDamaged == true)
    for size in [1, 500, data.count] {
      let decoder = CoderRegistry.standard.makeIncrementalDecoder()
      for start in stride(from: 0, to: data.count, by: size) {
        try decoder.append(data.dropFirst(start).prefix(size))
      }
      #expect(try decoder.finish().isDamaged && decoder.info?.isDamaged == true)
    }
  }

  /// However far the reader has read ahead, and however few the bytes.
  @Test("bytes that belong to no block before a restart marker are damage", arguments: 1...12)
  func bytesBeforeRestart(count: Int) throws {
    let sound = try Fixture.data("jpeg/restarts.jpg")
    #expect(try Self.compare(sound, "sound") == .agrees)
    let scan = try #require(try JPEGHeader(sound).scanOffset)
    let markers = (scan..<sound.count - 1).filter {
      sound[$0] == 0xFF && (0xD0...0xD7).contains(sound[$0 + 1])
    }
    for marker in [markers.first, markers.last] {
      var data = sound
      data.insert(contentsOf: [UInt8](repeating: 0x12, count: count), at: try #require(marker))
      #expect(try Self.compare(data, "\(count) bytes") == .shown)
      try Self.expectSameOtherwise(data, "\(count) bytes")
    }
  }

  @Test(
    "bytes behind arithmetic codes are damage, unless they are so few that they may be padding",
    arguments: [1, 15, 40, 500])
  func bytesBehindArithmeticCodes(count: Int) throws {
    var data = try Fixture.data("Corpus/jpeg/arithmetic/testimgari.jpg")
    let header = try JPEGHeader(data)
    try #require(data.suffix(2).elementsEqual([0xFF, 0xD9]) && header.isArithmetic)
    data.insert(contentsOf: [UInt8](repeating: 0x12, count: count), at: data.count - 2)
    #expect(try Self.compare(data, "\(count) bytes") == (count > 15 ? .shown : .agrees))
    try Self.expectSameOtherwise(data, "\(count) bytes")
  }

  enum Kind: CaseIterable {
    case badCode, endInside, markerInside, componentWithoutScan, withoutFirstScan, flippedBit

    /// A file with this damage.
    func data() throws -> Data {
      let isProgressive = self == .withoutFirstScan
      var data = try JPEGIncrementalTests.picture(progressive: isProgressive)
      let scan = try #require(try JPEGHeader(data).scanOffset)
      let middle = scan + (data.count - scan) / 2
      switch self {
      case .badCode: data.replaceSubrange(middle..<middle + 8, with: [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0])
      case .endInside: data.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
      case .markerInside: data.replaceSubrange(middle..<middle + 2, with: [0xFF, 0x40])
      case .flippedBit:
        // The first bit behind the middle whose loss is noticed.
        for place in middle..<data.count - 2 {
          var flipped = data
          flipped[place] ^= 0x10
          let library = try LibraryDecode(flipped, maxPixels: 1 << 20, maxScans: 9)
          if !library.isIntact, !library.isTruncated { return flipped }
        }
      case .withoutFirstScan:
        let starts = Kind.segments(data, 0xDA)
        data.removeSubrange(starts[0]..<(try #require(Kind.firstSegment(data, behind: starts[0]))))
      case .componentWithoutScan:
        // The scan of three components becomes one of the first.
        let header = try #require(Kind.segments(data, 0xDA).first)
        data.replaceSubrange(
          header + 2..<scan, with: [0, 8, 1, data[header + 5], data[header + 6], 0, 63, 0])
      }
      return data
    }

    private static func segments(_ data: Data, _ marker: UInt8) -> [Int] {
      (2..<data.count - 1).filter { data[$0] == 0xFF && data[$0 + 1] == marker }
    }

    /// The first marker behind the data of a scan.
    private static func firstSegment(_ data: Data, behind scan: Int) -> Int? {
      (scan + 2..<data.count - 1).first {
        data[$0] == 0xFF && data[$0 + 1] != 0 && !(0xD0...0xD7).contains(data[$0 + 1])
      }
    }
  }
}
