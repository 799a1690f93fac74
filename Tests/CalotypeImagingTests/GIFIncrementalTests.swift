import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFIncrementalTests {
  @Test(arguments: ["still-96x64", "loop-2", "interlaced"], [false, true])
  func givesWhatAWholeDecodeGives(name: String, partial: Bool) throws {
    var decodes = IncrementalDecodes(decoder: GIFDecoder())
    decodes.options.allowsPartial = partial
    decodes.expectSameWhateverHappens(to: try Fixture.data("gif/\(name).gif"), seed: 3)
  }

  @Test func givesTheFirstFrameOfAMixture() {
    for seed in 1...4 as ClosedRange<UInt64> {
      IncrementalDecodes(decoder: GIFDecoder())
        .expectSameWhateverHappens(to: GIFFramesTests.mixture(9, seed: seed), seed: seed)
    }
  }

  @Test func showsRowsAsTheyCome() throws {
    let data = try Fixture.data("gif/still-96x64.gif")
    let decoder = try #require(GIFDecoder().makeIncrementalDecoder(options: DecodeOptions()))
    var known = 0
    var shots = 0
    for start in stride(from: 0, to: data.count, by: 100) {
      try decoder.append(data.dropFirst(start).prefix(100))
      guard let image = try decoder.snapshot() else { continue }
      #expect(image.isPartial)
      #expect(try decoder.snapshot() == nil)
      let count = image.bitmap.withUnsafeBytes { bytes in
        stride(from: 3, to: bytes.count, by: 4).count { bytes[$0] == 255 }
      }
      #expect(count > known)
      known = count
      shots += 1
    }
    #expect(shots > 10)
    #expect(known == 96 * 64)
  }

  @Test func repeatsRowsOfAnInterlacedFrameUntilTheOthersCome() throws {
    var gif = GIFBuilder(width: 1, height: 16)
    // Rows 0, 8; 4, 12; and so on.
    gif.frame(width: 1, height: 16, pixels: (0..<16).map { UInt8($0 % 4) }, interlaced: true)
    let decoder = try #require(GIFDecoder().makeIncrementalDecoder(options: DecodeOptions()))
    let pixelData = try #require(gif.data.lastIndex(of: 0x2C)) + 12
    // A clear code and a pixel, three bits each: two pixels are in the first two bytes.
    try decoder.append(gif.data.prefix(pixelData + 2))
    let image = try #require(try decoder.snapshot())
    #expect(image.bitmap.letters == "RRRRRRRRGGGGGGGG".map(String.init).joined(separator: "/"))
  }

  @Test func knowsTheHeaderEarly() throws {
    let data = GIFFramesTests.mixture(3, seed: 1)
    let decoder = try #require(GIFDecoder().makeIncrementalDecoder(options: DecodeOptions()))
    let descriptor = try #require(data.firstIndex(of: 0x2C))
    try decoder.append(data.prefix(descriptor + 9))
    #expect(decoder.info == nil)
    try decoder.append(data.dropFirst(descriptor + 9).prefix(1))
    #expect(decoder.info?.size == PixelSize(width: 5, height: 4))
    #expect(decoder.info?.frameCount == 1)
  }

  @Test func showsFramesThatAreComplete() throws {
    let data = GIFFramesTests.mixture(12, seed: 2)
    let all = try #require(try GIFDecoder().makeFrameDecoder(data, options: DecodeOptions()))
    let decoder = try #require(GIFDecoder().makeIncrementalDecoder(options: DecodeOptions()))
    var seen = 0
    for byte in data {
      try decoder.append(Data([byte]))
      while seen < decoder.completeFrameCount {
        #expect(try decoder.frame(at: seen) == all.frame(at: seen))
        #expect(try decoder.frame(at: seen / 2) == all.frame(at: seen / 2))
        seen += 1
      }
      #expect(throws: ImagingError.self) { try decoder.frame(at: seen) }
    }
    #expect(seen == 12)
    #expect(try decoder.finish().bitmap == all.frame(at: 0))
    #expect(decoder.info == all.info)
    #expect(try decoder.frame(at: 11) == all.frame(at: 11))
  }

  @Test func refusesMoreBytesThanAllowed() throws {
    let options = DecodeOptions(limits: DecodeLimits(maxBytes: 20))
    let decoder = try #require(GIFDecoder().makeIncrementalDecoder(options: options))
    let data = try Fixture.data("gif/still-96x64.gif")
    try decoder.append(data.prefix(20))
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 21, limit: 20)) {
      try decoder.append(data.dropFirst(20).prefix(1))
    }
  }
}
