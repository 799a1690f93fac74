import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct WebPHostileTests {
  private let decoder = WebPDecoder()

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try decoder.decode(data, minimumSize: nil, options: DecodeOptions(allowsPartial: partial))
  }

  @Test(arguments: [
    "size-15x17-lossless", "size-16x16-lossy", "alpha-ramp-lossy", "gen-mixed-lossy-lossless",
  ])
  func failsCleanlyWhereverTheFileEnds(name: String) throws {
    let whole = try Fixture.data("webp/\(name).webp")
    for length in 12..<whole.count {
      let cut = whole.prefix(length)
      #expect(throws: ImagingError.truncated(.webp, byteCount: length)) { try decode(cut) }
      let partial = Result { () throws(ImagingError) in try decode(cut, partial: true) }
      if case .success(let image) = partial { #expect(image.isPartial) }
    }
  }

  @Test func deliversTheRowsOfATruncatedFile() throws {
    let source = try WebPEncoderTests.gradient(width: 64, height: 256)
    for options in [EncodeOptions.webp(quality: 90), .webpLossless] {
      let whole = try WebPEncoder().encode(Image(bitmap: source), options: options)
      let complete = try decode(whole).bitmap
      let image = try decode(whole.prefix(whole.count * 3 / 4), partial: true)
      #expect(image.isPartial)
      #expect(image.bitmap.size == source.size)
      // The top row is whole; the bottom row is missing and transparent.
      image.bitmap.withUnsafeBytes { got in
        complete.withUnsafeBytes { wanted in
          #expect(got[..<256].elementsEqual(wanted[..<256]))
        }
        #expect(got.suffix(256).allSatisfy { $0 == 0 })
      }
    }
  }

  @Test func deliversTheFirstFrameOfATruncatedAnimation() throws {
    let whole = try Fixture.data("webp/gen-mixed-lossy-lossless.webp")
    let image = try decode(whole.prefix(whole.count - 100), partial: true)
    #expect(image.isPartial)
    #expect(image.bitmap == (try decode(whole)).bitmap)
  }

  @Test func survivesFlippedBits() throws {
    var random = RepeatableNumbers(state: 11)
    for name in ["size-15x17-lossless", "size-16x16-lossy", "alpha-ramp-lossy", "gen-delays"] {
      let whole = try Fixture.data("webp/\(name).webp")
      for _ in 0..<400 {
        var broken = whole
        for _ in 0..<random.next() % 4 + 1 {
          broken[Int(random.next() % UInt64(whole.count))] ^= UInt8(1 << (random.next() % 8))
        }
        let limits = DecodeLimits(maxPixels: 1 << 20)
        for partial in [false, true] {
          let options = DecodeOptions(limits: limits, allowsPartial: partial)
          let result = Result { () throws(ImagingError) in
            try decoder.decode(broken, minimumSize: nil, options: options)
          }
          if case .success(let image) = result {
            #expect(image.bitmap.size == (try decoder.probe(broken, limits: limits)).size)
          }
        }
      }
    }
  }

  @Test func refusesCanvasesAboveTheLimit() throws {
    var file = WebPBuilder(width: 16384, height: 16384)
    file.picture(of: try Fixture.data("webp/size-15x17-lossless.webp"))
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 1 << 28, limit: 100_000_000)) {
      try decode(file.data)
    }
    let plain = try Fixture.data("webp/size-15x17-lossless.webp")
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 255, limit: 254)) {
      try decoder.probe(plain, limits: DecodeLimits(maxPixels: 254))
    }
  }

  @Test func refusesTooManyFrames() throws {
    #expect(throws: ImagingError.limitExceeded(.frames, value: 4, limit: 3)) {
      try decoder.probe(Fixture.data("webp/gen-delays.webp"), limits: DecodeLimits(maxFrames: 3))
    }
  }

  @Test func refusesPicturesThatDoNotFitTheirCanvas() throws {
    let picture = try Fixture.data("webp/size-15x17-lossless.webp")
    var other = WebPBuilder(width: 16, height: 17)
    other.picture(of: picture)
    var outside = WebPBuilder(width: 15, height: 17, flags: 0x02)
    outside.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    outside.chunk(
      "ANMF", [1, 0, 0, 0, 0, 0, 14, 0, 0, 16, 0, 0, 9, 0, 0, 0] + WebPBuilder.pictureChunk(of: picture))
    var empty = WebPBuilder(width: 15, height: 17)
    empty.chunk("EXIF", [])
    var noHeader = WebPBuilder(width: 15, height: 17, flags: 0x02)
    noHeader.chunk(
      "ANMF", [0, 0, 0, 0, 0, 0, 14, 0, 0, 16, 0, 0, 9, 0, 0, 0] + WebPBuilder.pictureChunk(of: picture))
    for file in [other, outside, empty, noHeader] {
      for partial in [false, true] {
        let error = #expect(throws: ImagingError.self) { try decode(file.data, partial: partial) }
        #expect(error?.code == "corrupt")
      }
    }
  }

  @Test func stopsWhenItsTaskIsCancelled() async throws {
    let data = try Fixture.data("webp/alpha-ramp-lossy.webp")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try WebPDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
