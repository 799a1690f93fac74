import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// How many passes over the picture have arrived, told while the bytes arrive.
@Suite("Completed passes")
struct CompletedPassesTests {
  /// What is counted after each piece of `size` bytes, and at the end, where it must not have fallen in between.
  static func counts(
    _ data: Data, size: Int, looking: Bool = false, options: DecodeOptions = DecodeOptions()
  ) throws -> (during: [Int], end: Int, image: Image) {
    let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
    var during: [Int] = []
    for start in stride(from: 0, to: data.count, by: size) {
      try decoder.append(data.dropFirst(start).prefix(size))
      if looking { _ = try decoder.snapshot() }
      during.append(decoder.completedPasses)
      // Asking changes nothing.
      #expect(decoder.completedPasses == during.last)
    }
    let image = try decoder.finish()
    let end = decoder.completedPasses
    #expect(zip(during, during.dropFirst() + [end]).allSatisfy { $0 <= $1 })
    return (during, end, image)
  }

  // MARK: JPEG

  /// Where scans begin and what they hold, found by their markers alone.
  private struct Scan {
    /// Behind the header.
    let start: Int
    let components: [UInt8]
    let isOfMeans: Bool
  }

  private static func scans(_ data: Data) -> [Scan] {
    let bytes = [UInt8](data)
    var scans: [Scan] = []
    var offset = 2
    while offset + 4 < bytes.count {
      guard bytes[offset] == 0xFF, bytes[offset + 1] != 0, !(0xD0...0xD7).contains(bytes[offset + 1]) else {
        offset += 1
        continue
      }
      let end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      if bytes[offset + 1] == 0xDA {
        let count = Int(bytes[offset + 4])
        scans.append(
          Scan(
            start: end, components: (0..<count).map { bytes[offset + 5 + 2 * $0] },
            isOfMeans: bytes[offset + 5 + 2 * count] == 0))
      }
      offset = end
    }
    return scans
  }

  /// What is counted once the first of `count` scans are complete.
  private static func passes(_ scans: ArraySlice<Scan>, components: Int) -> Int {
    var seen = Set<UInt8>()
    var passes = 0
    for scan in scans {
      if scan.isOfMeans { seen.formUnion(scan.components) }
      if seen.count == components { passes += 1 }
    }
    return passes
  }

  /// Each component has scans of its own, as `jpegtran -scans` makes them: the coefficients of a grey picture thrice.
  private static func separateScans() throws -> Data {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 64, height: 48)) { x, y in
      UInt32(x * 4) | UInt32(y * 5) << 8 | UInt32((x * y) & 255) << 16 | 255 << 24
    }
    var options = EncodeOptions.jpeg(quality: 90)
    options.isProgressive = false
    let gray = [UInt8](
      try JPEGEncoder().encode(Image(bitmap: try bitmap.converted(to: .gray8)), options: options))
    let scan = try #require(scans(Data(gray)).first)
    let frame = try #require((0..<gray.count - 1).first { gray[$0] == 0xFF && gray[$0 + 1] == 0xC0 })
    let frameEnd = frame + 2 + Int(gray[frame + 2]) << 8 + Int(gray[frame + 3])
    let header = Array(gray[frame..<frameEnd])
    let components: [UInt8] = (1...3).flatMap { [UInt8($0), 0x11, header[12]] }
    let newFrame = [0xFF, 0xC0, 0, 17] + header[4..<9] + [3] + components
    let scanHeader = Array(gray[(scan.start - 10)..<scan.start])
    let tables = gray[frameEnd..<(scan.start - 10)]
    let entropy = gray[scan.start..<(gray.count - 2)]
    var file = Array(gray[..<frame]) + newFrame + tables
    for component in 1...3 {
      file += scanHeader[0..<5] + [UInt8(component)] + scanHeader[6...] + entropy
    }
    return Data(file + [0xFF, 0xD9])
  }

  @Test func progressiveJPEGCountsScans() throws {
    let data = try JPEGIncrementalTests.picture(progressive: true)
    let scans = Self.scans(data)
    #expect(scans.count > 5)
    for (size, looking) in [(1, false), (97, false), (997, true), (data.count, false)] {
      let (during, end, _) = try Self.counts(data, size: size, looking: looking)
      #expect(end == scans.count)
      for (index, count) in during.enumerated() {
        let there = min(data.count, (index + 1) * size)
        // Not before the next scan begins, and not later than a window behind that.
        let windows = max(1_024, there / 4)
        let begun = scans.count { $0.start <= there }
        #expect(count <= (there < data.count ? max(0, begun - 1) : begun))
        #expect(count >= scans.count { $0.start <= there - windows } - 1)
      }
      if size == 97 { #expect(Set(during).count > 4) }
    }
  }

  @Test func scansOfSomeComponentsCountOnceAllHaveTheirMeans() throws {
    let data = try Self.separateScans()
    let scans = Self.scans(data)
    #expect(scans.map(\.components) == [[1], [2], [3]])
    let (during, end, image) = try Self.counts(data, size: 61)
    #expect(end == 1 && during.dropLast(20).allSatisfy { $0 == 0 })
    #expect(!image.isPartial)
  }

  @Test(arguments: [
    "Corpus/jpeg/conformance/peacock.progressive.scan006.jpeg",
    "Corpus/jpeg/generated/size-31x9-progressive.jpg", "Corpus/jpeg/generated/size-16x16-progressive.jpg",
  ])
  func progressiveFiles(name: String) throws {
    let data = try Fixture.data(name)
    let scans = Self.scans(data)
    let components = Set(scans.flatMap(\.components)).count
    for size in [13, 1_000] {
      let (_, end, _) = try Self.counts(data, size: size)
      #expect(end == Self.passes(scans[...], components: components))
    }
  }

  @Test func damagedScansCountAsFarAsTheyWereRead() throws {
    let data = try JPEGIncrementalTests.picture(progressive: true)
    let scans = Self.scans(data)
    var options = DecodeOptions()
    options.allowsPartial = true
    let cut = data.prefix(scans[3].start + 10)
    let (_, end, image) = try Self.counts(cut, size: 500, options: options)
    #expect(image.isPartial && (3...4).contains(end))
  }

  @Test func baselineJPEGIsOnePass() throws {
    let data = try JPEGIncrementalTests.picture(progressive: false)
    for size in [7, 997] {
      let (during, end, _) = try Self.counts(data, size: size, looking: true)
      #expect(end == 1)
      #expect(during.prefix(during.count * 3 / 4).allSatisfy { $0 == 0 })
    }
  }

  // MARK: PNG

  /// Passes with pixels that are there when so many bytes of the filtered rows are.
  private static func passes(_ file: PNGTestFile, rawBytes: Int) -> Int {
    let grid = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    var (rest, count) = (rawBytes, 0)
    for (x, y, dx, dy) in grid where file.width > x && file.height > y {
      let columns = (file.width - x + dx - 1) / dx
      let rows = (file.height - y + dy - 1) / dy
      rest -= rows * (1 + (columns * file.channels * file.depth + 7) / 8)
      if rest < 0 { break }
      count += 1
    }
    return count
  }

  @Test(arguments: [(1, 1), (5, 3), (2, 9), (33, 40)])
  func interlacedPNGCountsItsPasses(width: Int, height: Int) throws {
    let file = PNGTestFile(width: width, height: height, isInterlaced: true)
    let pixels = file.compressed { x, y, channel in (x * 7 + y * 5 + channel * 60) & 255 }
    let data = file.file(PNGTestFile.chunk("IDAT", pixels))
    let total = Self.passes(file, rawBytes: .max)
    for (size, looking) in [(1, false), (1, true), (13, false), (data.count, false)] {
      let (during, end, _) = try Self.counts(data, size: size, looking: looking)
      #expect(end == total)
      for (index, count) in during.enumerated() {
        // Stored data: signature, IHDR, the head of IDAT, and seven bytes of zlib come before the rows.
        let raw = min(data.count, (index + 1) * size) - 8 - 25 - 8 - 7
        #expect(count == Self.passes(file, rawBytes: max(-1, raw)))
      }
    }
  }

  @Test func interlacedPNGThatIsAskedLate() throws {
    let file = PNGTestFile(width: 40, height: 40, isInterlaced: true)
    let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { x, y, _ in (x + y) & 255 }))
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    try decoder.append(data.prefix(data.count / 2))
    #expect((1...6).contains(decoder.completedPasses))
    try decoder.append(data.dropFirst(data.count / 2))
    #expect(decoder.completedPasses == 7)
    #expect(try decoder.finish().bitmap == CoderRegistry.standard.decode(data).bitmap)
    // And by nobody.
    let unasked = CoderRegistry.standard.makeIncrementalDecoder()
    try unasked.append(data)
    _ = try unasked.finish()
    #expect(unasked.completedPasses == 7)
  }

  @Test(arguments: ["basi0g01", "basi2c16", "basi3p08", "basi6a08", "s34i3p04"])
  func interlacedFiles(name: String) throws {
    let data = try Fixture.data("Corpus/png/pngsuite/\(name).png")
    let (during, end, _) = try Self.counts(data, size: 11)
    #expect(end == 7 && Set(during).count > 1)
  }

  @Test func plainPNGIsOnePass() throws {
    let file = PNGTestFile(width: 30, height: 30)
    let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { x, y, _ in (x + y) & 255 }))
    for looking in [false, true] {
      let (during, end, _) = try Self.counts(data, size: 17, looking: looking)
      #expect(end == 1 && during.allSatisfy { $0 == 0 })
    }
  }

  @Test func cancellationWithinAQuestionIsToldLater() async throws {
    let file = PNGTestFile(width: 40, height: 40, isInterlaced: true)
    let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { x, y, _ in (x + y) & 255 }))
    let error = await Task { () -> ImagingError? in
      do throws(ImagingError) {
        let decoder = PNGIncrementalDecoder(options: DecodeOptions())
        try decoder.append(data.prefix(data.count / 2))
        withUnsafeCurrentTask { $0?.cancel() }
        #expect(decoder.completedPasses == 0)
        _ = try decoder.finish()
        return nil
      } catch {
        return error
      }
    }.value
    #expect(error == .cancelled)
  }

  // MARK: GIF, WebP, animations

  @Test func interlacedGIFCountsItsPasses() throws {
    var builder = GIFBuilder(width: 16, height: 80)
    let start = builder.openData.count
    builder.frame(width: 16, height: 80, pixels: (0..<1_280).map { UInt8($0 % 4) }, interlaced: true)
    let (during, end, _) = try Self.counts(builder.data, size: 1)
    // Blocks of 255 bytes, six bits a pixel: the first has both of the first passes, 120 bytes each.
    #expect(end == 4 && Set(during) == [0, 2, 3, 4])
    #expect(during.prefix(start + 240).allSatisfy { $0 == 0 })
    var low = GIFBuilder(width: 4, height: 3)
    low.frame(width: 4, height: 3, pixels: (0..<12).map { UInt8($0 % 4) }, interlaced: true)
    // No row 4 to begin the second pass with.
    #expect(try Self.counts(low.data, size: 1).end == 3)
  }

  @Test(arguments: [
    "Corpus/apng/animated/animated-red-blue.apng", "Corpus/apng/animated/minimal.apng",
    "Corpus/apng/animated/over_background.apng", "Corpus/gif/animated/beacon.gif",
    "Corpus/gif/animated/2x2.gif", "Corpus/gif/animated/dispose_bgnd_rgba.gif",
    "Corpus/webp/animated/gen-loop-0.webp", "Corpus/webp/animated/TestImageAnimated.webp",
  ])
  func animationsCountTheirFirstFrame(name: String) throws {
    let data = try Fixture.data(name)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    var during: [Int] = []
    for start in stride(from: 0, to: data.count, by: 23) {
      try decoder.append(data.dropFirst(start).prefix(23))
      during.append(decoder.completedPasses)
      #expect(during.last == min(1, decoder.completeFrameCount))
    }
    #expect(during.first == 0)
    _ = try decoder.finish()
    #expect(decoder.completedPasses == 1)
  }

  @Test func stillWebPIsOnePass() throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 64, height: 64)) { x, y in
      UInt32(x * 4) | UInt32(y * 4) << 8 | UInt32((x * y) & 255) << 16 | 255 << 24
    }
    let data = try WebPEncoder().encode(Image(bitmap: bitmap), options: EncodeOptions(format: .webp))
    let (during, end, _) = try Self.counts(data, size: 10, looking: true)
    #expect(end == 1 && during.dropLast(2).allSatisfy { $0 == 0 })
  }

  // MARK: Others

  @Test func nothingAndFailuresHaveNone() throws {
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    #expect(decoder.completedPasses == 0)
    #expect(throws: ImagingError.self) {
      try decoder.append(Data(repeating: 1, count: 100_000))
      _ = try decoder.finish()
    }
    #expect(decoder.completedPasses == 0)
  }
}
