import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFHostileTests {
  private let decoder = GIFDecoder()

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try decoder.decode(
      data, minimumSize: nil,
      options: DecodeOptions(allowsPartial: partial, damage: partial ? .tolerate : .strict))
  }

  @Test(arguments: ["still-96x64", "loop-2", "interlaced"])
  func failsCleanlyWhereverTheFileEnds(name: String) throws {
    let whole = try Fixture.data("gif/\(name).gif")
    for length in 6..<whole.count - 2 {
      let result = Result { () throws(ImagingError) in try decode(whole.prefix(length)) }
      switch result {
      case .failure(let error):
        #expect(error.code == "truncated" || error.code == "corrupt")
      case .success(let image):
        // Between two blocks nothing is missing but the second frame.
        #expect(name == "loop-2" && image.info?.frameCount == 1 && !image.isPartial)
      }
    }
    // Only the trailer is missing.
    #expect(try decode(whole.dropLast()).bitmap == decode(whole).bitmap)
  }

  @Test func deliversMoreOfALongerPrefix() throws {
    let whole = try Fixture.data("gif/still-96x64.gif")
    var before = 0
    for length in stride(from: 900, to: whole.count - 1, by: 200) {
      let image = try decode(whole.prefix(length), partial: true)
      #expect(image.isPartial)
      #expect(!image.bitmap.isOpaque)
      let known = image.bitmap.withUnsafeBytes { bytes in
        stride(from: 3, to: bytes.count, by: 4).count { bytes[$0] == 255 }
      }
      #expect(known > before)
      before = known
    }
  }

  @Test func survivesFlippedBits() throws {
    var random = RepeatableNumbers(state: 7)
    for name in ["loop-2", "interlaced", "still-96x64"] {
      let whole = try Fixture.data("gif/\(name).gif")
      for _ in 0..<400 {
        var broken = whole
        for _ in 0..<random.next() % 4 + 1 {
          broken[Int(random.next() % UInt64(whole.count))] ^= UInt8(1 << (random.next() % 8))
        }
        let limits = DecodeLimits(maxPixels: 1 << 20)
        for partial in [false, true] {
          let options = DecodeOptions(limits: limits, allowsPartial: partial)
          let image = Result { () throws(ImagingError) in
            try decoder.decode(broken, minimumSize: nil, options: options)
          }
          if case .success(let image) = image {
            #expect(image.bitmap.size == (try decoder.probe(broken, limits: limits)).size)
          }
        }
      }
    }
  }

  @Test func refusesCanvasesAndFramesAboveTheLimitBeforeTakingMemory() {
    var canvas = GIFBuilder(width: 65535, height: 65535)
    canvas.frame(width: 1, height: 1, pixels: [0])
    var frame = GIFBuilder(width: 1, height: 1)
    frame.frame(width: 65535, height: 65535, pixels: [0])
    for data in [canvas.data, frame.data] {
      #expect(throws: ImagingError.limitExceeded(.pixels, value: 65535 * 65535, limit: 100_000_000)) {
        try decode(data)
      }
      #expect(throws: ImagingError.limitExceeded(.pixels, value: 65535 * 65535, limit: 100_000_000)) {
        try decoder.probe(data, limits: .default)
      }
    }
  }

  @Test func refusesLargeLaterFramesOnASmallCanvas() {
    var gif = GIFBuilder(width: 1, height: 1)
    gif.frame(width: 1, height: 1, pixels: [0])
    gif.frame(width: 65535, height: 65535, pixels: [0])
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 65535 * 65535, limit: 100_000_000)) {
      try decode(gif.data)
    }
  }

  @Test func refusesTooManyFrames() throws {
    var gif = GIFBuilder(width: 1, height: 1)
    for _ in 0..<5 { gif.frame(width: 1, height: 1, pixels: [0]) }
    #expect(throws: ImagingError.limitExceeded(.frames, value: 4, limit: 3)) {
      try decoder.probe(gif.data, limits: DecodeLimits(maxFrames: 3))
    }
    #expect(try decoder.probe(gif.data, limits: DecodeLimits(maxFrames: 5)).frameCount == 5)
  }

  @Test func refusesFilesWithoutAnImage() {
    for gif in [GIFBuilder(width: 1, height: 1), GIFBuilder(width: 0, height: 0)] {
      for data in [gif.data, gif.openData] {
        let error = #expect(throws: ImagingError.self) { try decode(data) }
        #expect(error?.code == "corrupt")
      }
    }
    #expect(throws: ImagingError.unrecognizedFormat(hint: nil)) { try decode(Data("GIF90a....".utf8)) }
    #expect(throws: ImagingError.truncated(.gif, byteCount: 6)) { try decode(Data("GIF89a".utf8)) }
  }

  @Test func marksATruncatedAnimationAsPartialEvenIfTheFirstFrameIsWhole() throws {
    let whole = try Fixture.data("gif/loop-2.gif")
    let cut = whole.prefix(whole.count - 30)
    #expect(throws: ImagingError.truncated(.gif, byteCount: cut.count)) { try decode(cut) }
    let image = try decode(cut, partial: true)
    #expect(image.isPartial)
    #expect(image.bitmap == (try decode(whole)).bitmap)
  }

  @Test func stopsWhenItsTaskIsCancelled() async throws {
    let data = try Fixture.data("gif/still-96x64.gif")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}

/// A small generator of repeatable numbers (Steele, Lea, Flood 2014).
struct RepeatableNumbers {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
