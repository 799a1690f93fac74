import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// PNG that arrives in pieces.
@Suite struct PNGStreamTests {
  static let names = [
    "basi0g01.png", "basi2c08.png", "basi2c16.png", "basi3p02.png", "basi6a08.png", "basn0g02.png", "basn2c08.png",
    "basn3p08.png", "basn4a08.png", "s07i3p02.png", "tm3n3p02.png", "split_fdat.png", "apng-skip-idat.png",
    "f-orientation-6-after-idat.png", "dispose-background-blend-source.png",
  ]

  private enum Outcome: Equatable {
    case image(Bitmap, ImageInfo?, isPartial: Bool)
    case failure(ImagingError)

    init(_ decode: () throws(ImagingError) -> Image) {
      do throws(ImagingError) {
        let image = try decode()
        self = .image(image.bitmap, image.info, isPartial: image.isPartial)
      } catch {
        self = .failure(error)
      }
    }
  }

  private func whole(_ data: Data, _ options: DecodeOptions) -> Outcome {
    Outcome { () throws(ImagingError) in
      try PNGDecoder().decode(data, minimumSize: nil, options: options)
    }
  }

  private func dripped(_ data: Data, _ options: DecodeOptions, chunk: Int, looks: Bool) -> Outcome {
    let decoder = PNGIncrementalDecoder(options: options)
    return Outcome { () throws(ImagingError) in
      for start in stride(from: data.startIndex, to: data.endIndex, by: chunk) {
        try decoder.append(data[start..<min(start + chunk, data.endIndex)])
        if looks { _ = try decoder.snapshot() }
      }
      return try decoder.finish()
    }
  }

  @Test(arguments: names) func theEndIsTheWholeDecode(_ name: String) throws {
    let data = try Fixture.data("png/\(name)")
    for pixels in [DecodeOptions.Pixels.rgba8, .native] {
      let options = DecodeOptions(pixels: pixels)
      let expected = whole(data, options)
      for chunk in [1, 7, 997, 65536] {
        #expect(dripped(data, options, chunk: chunk, looks: false) == expected, "\(chunk), \(pixels)")
        #expect(dripped(data, options, chunk: chunk, looks: true) == expected, "\(chunk), \(pixels), looked at")
      }
    }
  }

  @Test(arguments: ["basi3p02.png", "basn2c08.png", "split_fdat.png", "apng-skip-idat.png"])
  func damageIsJudgedAsInAWholeDecode(_ name: String) throws {
    let data = try Fixture.data("png/\(name)")
    for position in stride(from: 0, to: data.count, by: 3) {
      var damaged = data
      damaged[position] ^= 0x55
      for options in [DecodeOptions(), DecodeOptions(allowsPartial: true)] {
        for (input, what) in [(damaged, "flipped"), (data.prefix(position + 1), "cut")] {
          let expected = whole(input, options)
          #expect(dripped(input, options, chunk: 61, looks: false) == expected, "\(what) at \(position)")
          #expect(dripped(input, options, chunk: 61, looks: true) == expected, "\(what) at \(position), looked at")
        }
      }
    }
  }

  @Test func rowsAreSeenAsTheyCome() throws {
    let file = PNGTestFile(width: 6, height: 5)
    let data = file.file(
      PNGTestFile.chunk("IDAT", file.compressed { PNGDecoderTests.sample($0, $1, $2, depth: 8) }))
    let reference = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap.bytes
    let decoder = PNGIncrementalDecoder(options: DecodeOptions())
    var shown = 0
    for byte in data {
      try decoder.append(Data([byte]))
      guard let image = try decoder.snapshot() else { continue }
      shown += 1
      #expect(image.isPartial)
      let bytes = image.bitmap.bytes
      #expect(bytes.prefix(shown * 24) == reference.prefix(shown * 24))
      #expect(bytes.dropFirst(shown * 24).allSatisfy { $0 == 0 })
    }
    #expect(shown == 5)
    #expect(try decoder.finish().bitmap.bytes == reference)
  }

  @Test func passesFillBlocks() throws {
    let file = PNGTestFile(width: 19, height: 11, isInterlaced: true)
    let data = file.file(
      PNGTestFile.chunk("IDAT", file.compressed { x, y, c in [x * 9, y * 17, x + y, 255][c] }))
    let decoder = PNGIncrementalDecoder(options: DecodeOptions())
    var seen: [[UInt8]] = []
    for byte in data {
      try decoder.append(Data([byte]))
      if let image = try decoder.snapshot() { seen.append(image.bitmap.bytes) }
    }
    let pixel = { (bytes: [UInt8], x: Int, y: Int) in Array(bytes[(y * 19 + x) * 4..<(y * 19 + x) * 4 + 4]) }
    let color = { (x: Int, y: Int) in [UInt8(x * 9), UInt8(y * 17), UInt8(x + y), 255] }
    // 2 rows of pass 1 with pixels 0, 8 and 16: each stands for 8 by 8.
    #expect(pixel(seen[0], 7, 7) == color(0, 0))
    #expect(pixel(seen[0], 18, 7) == color(16, 0))
    #expect(pixel(seen[0], 0, 8) == [0, 0, 0, 0])
    #expect(pixel(seen[1], 15, 10) == color(8, 8))
    // Pass 2 starts at x = 4: 4 by 8, in its first row.
    #expect(pixel(seen[2], 5, 7) == color(4, 0))
    #expect(pixel(seen[2], 3, 7) == color(0, 0))
    #expect(pixel(seen[2], 5, 8) == color(0, 8))
    // Every pixel is somebody's block from the end of pass 1 on, and the last snapshot is the image.
    for bytes in seen.dropFirst() {
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }
    #expect(try decoder.finish().bitmap.bytes == seen.last)
  }

  @Test(arguments: ["split_fdat.png", "apng-skip-idat.png", "dispose-background-blend-source.png"])
  func framesAreCompleteOneAfterTheOther(_ name: String) throws {
    let data = try Fixture.data("png/\(name)")
    let whole = try #require(try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions()))
    let decoder = PNGIncrementalDecoder(options: DecodeOptions())
    var counts: [Int] = []
    for byte in data {
      try decoder.append(Data([byte]))
      let count = decoder.completeFrameCount
      if count != counts.last ?? 0 {
        counts.append(count)
        #expect(try decoder.frame(at: count - 1) == whole.frame(at: count - 1))
        #expect(decoder.info?.frameCount == count)
      }
    }
    #expect(counts == Array(1...whole.info.frameCount))
    #expect(try decoder.finish().bitmap == whole.frame(at: 0))
    #expect(decoder.completeFrameCount == whole.info.frameCount)
    #expect(try decoder.frame(at: whole.info.frameCount - 1) == whole.frame(at: whole.info.frameCount - 1))
    #expect(throws: ImagingError.self) { try decoder.frame(at: whole.info.frameCount) }
    #expect(throws: ImagingError.self) { try decoder.frame(at: -1) }
  }

  @Test func headersAreKnownBeforePixels() throws {
    let file = PNGTestFile(width: 3, height: 2, colorType: 0)
    let head = PNGTestFile.signature + file.header + PNGTestFile.chunk("sRGB", [0])
    let decoder = PNGIncrementalDecoder(options: DecodeOptions())
    #expect(decoder.info == nil)
    try decoder.append(Data(head))
    #expect(decoder.info == nil)
    try decoder.append(Data([0, 0, 0, 99] + Array("IDAT".utf8)))
    #expect(decoder.info?.size == PixelSize(width: 3, height: 2))
    #expect(decoder.info?.colorProfile == "sRGB")
    #expect(decoder.profile == .sRGB)
    #expect(try decoder.snapshot() == nil)
  }

  @Test func limitsHoldWhileBytesArrive() throws {
    let big = PNGTestFile(width: 100_000, height: 100_000)
    let decoder = PNGIncrementalDecoder(options: DecodeOptions())
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 10_000_000_000, limit: 100_000_000)) {
      try decoder.append(Data(PNGTestFile.signature + big.header))
    }
    let small = PNGIncrementalDecoder(options: DecodeOptions(limits: DecodeLimits(maxBytes: 10)))
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 33, limit: 10)) {
      try small.append(Data(PNGTestFile.signature + big.header))
    }
    #expect(throws: ImagingError.emptyInput) { try PNGIncrementalDecoder(options: DecodeOptions()).finish() }
  }
}

