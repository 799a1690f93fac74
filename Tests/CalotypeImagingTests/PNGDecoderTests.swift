import FoundationEssentials
import Testing

@testable import CalotypeImaging
import CalotypeSupport

@Suite struct PNGDecoderTests {
  struct Variant: CustomStringConvertible, Sendable {
    var colorType: Int
    var depth: Int
    var isInterlaced: Bool
    var hasTransparency: Bool
    var description: String {
      "type \(colorType), \(depth) bits, Adam7 \(isInterlaced), tRNS \(hasTransparency)"
    }
  }

  static let variants: [Variant] = [
    0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
  ]
  .sorted { $0.key < $1.key }.flatMap { colorType, depths in
    depths.flatMap { depth in
      [false, true].flatMap { isInterlaced in
        (colorType < 4 ? [false, true] : [false]).map {
          Variant(colorType: colorType, depth: depth, isInterlaced: isInterlaced, hasTransparency: $0)
        }
      }
    }
  }

  /// Samples that differ in every direction and use all bits.
  static func sample(_ x: Int, _ y: Int, _ channel: Int, depth: Int) -> Int {
    ((x &* 40503 &+ y &* 30011 &+ channel &* 17389 &+ x &* y) & 0xffff) >> (16 - depth)
  }

  static func paletteColor(_ index: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: index * 37 + 5), UInt8(truncatingIfNeeded: 255 - index * 11), UInt8(index)]
  }

  @Test(arguments: variants) func everyKindOfPixel(_ variant: Variant) throws {
    for (width, height) in [(1, 1), (3, 2), (5, 9), (33, 17)] {
      let depth = variant.depth
      let file = PNGTestFile(
        width: width, height: height, depth: depth, colorType: variant.colorType,
        isInterlaced: variant.isInterlaced)
      let sample = { (x: Int, y: Int, c: Int) in Self.sample(x, y, c, depth: depth) }
      let key = (0..<file.channels).map { sample(0, 0, $0) }
      var chunks: [UInt8] = []
      if variant.colorType == 3 {
        chunks += PNGTestFile.chunk("PLTE", (0..<1 << depth).flatMap(Self.paletteColor))
        if variant.hasTransparency { chunks += PNGTestFile.chunk("tRNS", [0, 128]) }
      } else if variant.hasTransparency {
        chunks += PNGTestFile.chunk("tRNS", key.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
      }
      var expected: [UInt8] = []
      for y in 0..<height {
        for x in 0..<width {
          let samples = (0..<file.channels).map { sample(x, y, $0) }
          let bytes = samples.map {
            depth == 16 ? UInt8(($0 * 255 + 32895) >> 16) : UInt8($0 * 255 / (1 << depth - 1))
          }
          let keyed: UInt8 = variant.hasTransparency && samples == key ? 0 : 255
          switch variant.colorType {
          case 0: expected += [bytes[0], bytes[0], bytes[0], keyed]
          case 2: expected += bytes + [keyed]
          case 3:
            let alpha: UInt8 = variant.hasTransparency ? [0, 128][safe: samples[0]] ?? 255 : 255
            expected += Self.paletteColor(samples[0]) + [alpha]
          case 4: expected += [bytes[0], bytes[0], bytes[0], bytes[1]]
          default: expected += bytes
          }
        }
      }
      let data = file.file(chunks, PNGTestFile.chunk("IDAT", file.compressed(sample)))
      let image = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      #expect(image.bitmap.bytes == expected, "\(width)×\(height)")
      let hasAlpha = variant.hasTransparency || variant.colorType >= 4
      #expect(image.bitmap.isOpaque == !hasAlpha)
      let info = try #require(image.info)
      #expect(info.hasAlpha == hasAlpha)
      #expect(info.bitDepth == depth)
      #expect(info.size == PixelSize(width: width, height: height))
      #expect(!image.isPartial)
    }
  }

  @Test func realFiles() throws {
    let table = try #require(String(data: try Fixture.data("png/SOURCES.tsv"), encoding: .utf8))
    let rows = table.split(separator: "\n").dropFirst().map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.count >= 27)
    for row in rows {
      let image = try PNGDecoder().decode(
        try Fixture.data("png/\(row[0])"), minimumSize: nil, options: DecodeOptions())
      var bytes = image.bitmap.bytes
      for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] == 0 {
        bytes.replaceSubrange(pixel..<pixel + 4, with: [0, 0, 0, 0])
      }
      #expect(Hex.encode(bytes.withUnsafeBytes { MessageDigest.sha256($0) }).hasSuffix(row[3]), "\(row[0])")
    }
  }

  @Test func imageDataMayBeCutAnywhere() throws {
    let file = PNGTestFile(width: 5, height: 4)
    let stream = file.compressed { Self.sample($0, $1, $2, depth: 8) }
    let whole = file.file(PNGTestFile.chunk("IDAT", stream))
    let crumbs = file.file(stream.flatMap { PNGTestFile.chunk("IDAT", [$0]) + PNGTestFile.chunk("IDAT", []) })
    let options = DecodeOptions()
    let a = try PNGDecoder().decode(whole, minimumSize: nil, options: options)
    let b = try PNGDecoder().decode(crumbs, minimumSize: nil, options: options)
    #expect(a.bitmap == b.bitmap)
  }

  @Test func aSliceOfDataIsRead() throws {
    let file = PNGTestFile(width: 2, height: 2)
    let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { x, y, c in x + y + c }))
    let slice = (Data([1, 2, 3]) + data).dropFirst(3)
    let image = try PNGDecoder().decode(slice, minimumSize: nil, options: DecodeOptions())
    #expect(image.bitmap.bytes == [0, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 2, 3, 4, 5])
  }

  @Test func headerIsDescribed() throws {
    let data = try Fixture.data("png/f-orientation-6-after-idat.png")
    let info = try PNGDecoder().probe(data, limits: .default)
    #expect(info.orientation == .rightTop)
    #expect(info.format == .png)
    #expect(info.frameCount == 1 && info.loopCount == 1 && info.durations.isEmpty)
    let file = PNGTestFile(width: 1, height: 1)
    let pixels = PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 0 })
    let tagged = file.file(PNGTestFile.chunk("sRGB", [0]), pixels)
    #expect(try PNGDecoder().probe(tagged, limits: .default).colorProfile == "sRGB")
    #expect(try PNGDecoder().probe(file.file(pixels), limits: .default).colorProfile == nil)
  }

  @Test func formatIsKnownByItsSignature() throws {
    let decoder = PNGDecoder()
    #expect(decoder.format(of: Data(PNGTestFile.signature)) == .png)
    #expect(decoder.format(of: Data(PNGTestFile.signature.dropLast())) == nil)
    #expect(decoder.format(of: Data()) == nil)
    #expect(decoder.format(of: try Fixture.data("png/split_fdat.png")) == .apng)
    #expect(throws: ImagingError.emptyInput) { try decoder.probe(Data(), limits: .default) }
  }

  @Test func limitsAreCheckedBeforeMemoryIsTaken() throws {
    let file = PNGTestFile(width: 100_000, height: 100_000)
    let data = file.file(PNGTestFile.chunk("IDAT", PNGTestFile.stored([0])))
    let expected = ImagingError.limitExceeded(.pixels, value: 10_000_000_000, limit: 100_000_000)
    #expect(throws: expected) { try PNGDecoder().probe(data, limits: .default) }
    #expect(throws: expected) { try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()) }
    let limits = DecodeLimits(maxBytes: data.count - 1)
    #expect(throws: ImagingError.limitExceeded(.bytes, value: data.count, limit: data.count - 1)) {
      try PNGDecoder().probe(data, limits: limits)
    }
  }

  @Test func cancellationIsSeen() async throws {
    let file = PNGTestFile(width: 64, height: 64)
    let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 7 }))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}

extension Bitmap {
  /// All bytes, for comparisons.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
