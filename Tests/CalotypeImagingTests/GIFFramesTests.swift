import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFFramesTests {
  /// Frames that keep, clear and restore, some of which cover the canvas.
  static func mixture(_ count: Int, seed: UInt64) -> Data {
    var random = RepeatableNumbers(state: seed)
    var gif = GIFBuilder(width: 5, height: 4)
    gif.loop(2)
    for index in 0..<count {
      let isFull = random.next() % 3 == 0
      let (x, y) =
        isFull
        ? (0, 0) : (Int(random.next() % (index == 0 ? 3 : 4)), Int(random.next() % (index == 0 ? 2 : 3)))
      let (width, height) = isFull ? (5, 4) : (Int(random.next() % 3) + 1, Int(random.next() % 3) + 1)
      gif.control(
        delay: 7, disposal: UInt8(random.next() % 4), transparent: random.next() % 2 == 0 ? 1 : nil)
      gif.frame(
        x: x, y: y, width: width, height: height,
        pixels: (0..<width * height).map { _ in UInt8(random.next() % 4) },
        interlaced: random.next() % 2 == 0)
    }
    return gif.data
  }

  private func frames(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> any FrameDecoding {
    try #require(try GIFDecoder().makeFrameDecoder(data, options: options))
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [false, true])
  func showsFramesInAnyOrder(seed: UInt64, partial: Bool) throws {
    let data = Self.mixture(24, seed: seed)
    let options = DecodeOptions(allowsPartial: partial)
    let decoder = try frames(data, options)
    var sequential: [Bitmap] = []
    for index in 0..<24 { sequential.append(try decoder.frame(at: index)) }
    #expect(sequential[0] == (try GIFDecoder().decode(data, minimumSize: nil, options: options)).bitmap)
    var random = RepeatableNumbers(state: seed)
    for _ in 0..<200 {
      let index = Int(random.next() % 24)
      let frame = try decoder.frame(at: index)
      #expect(frame == sequential[index], "frame \(index)")
      #expect(frame.isOpaque == sequential[index].isOpaque)
      #expect(!frame.isOpaque || !frame.letters.contains("."))
    }
  }

  @Test func hasNoFramesForAStill() throws {
    let still = try Fixture.data("gif/still-96x64.gif")
    #expect(try GIFDecoder().makeFrameDecoder(still, options: DecodeOptions()) == nil)
  }

  @Test func refusesFramesThatAreNotThere() throws {
    let decoder = try frames(Self.mixture(3, seed: 1))
    for index in [-1, 3] {
      let error = #expect(throws: ImagingError.self) { try decoder.frame(at: index) }
      #expect(error?.code == "invalidParameter")
    }
    #expect(try decoder.frame(at: 2).size == PixelSize(width: 5, height: 4))
  }

  @Test func refusesTooManyPixelsOfAllFramesTogether() throws {
    var gif = GIFBuilder(width: 2, height: 2)
    for _ in 0..<3 { gif.frame(width: 2, height: 2, pixels: [0, 1, 2, 3]) }
    #expect(throws: ImagingError.limitExceeded(.totalPixels, value: 12, limit: 11)) {
      try frames(gif.data, DecodeOptions(limits: DecodeLimits(maxTotalPixels: 11)))
    }
    #expect(
      try frames(gif.data, DecodeOptions(limits: DecodeLimits(maxTotalPixels: 12))).info.frameCount == 3)
  }

  @Test func goesOnBehindADamagedFrame() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 0])
    gif.frame(width: 2, height: 1, codes: [(7, 3)])
    gif.frame(width: 2, height: 1, pixels: [2, 2])
    let decoder = try frames(gif.data)
    // A frame without a single pixel shows the one before.
    for (index, letters, isDamaged) in [(0, "RR", false), (1, "RR", true), (2, "BB", false), (1, "RR", true)]
    {
      #expect(try decoder.frame(at: index).letters == letters, "frame \(index)")
      #expect(decoder.isFrameDamaged == isDamaged && !decoder.isFramePartial, "frame \(index)")
    }
    let strict = try frames(gif.data, DecodeOptions(damage: .strict))
    #expect(try strict.frame(at: 0).letters == "RR")
    #expect(throws: ImagingError.self) { try strict.frame(at: 1) }
    #expect(try strict.frame(at: 2).letters == "BB")
    #expect(try strict.frame(at: 0).letters == "RR")
  }

  @Test func showsDamagedFramesTheSameInAnyOrder() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 1])
    gif.frame(width: 2, height: 1, codes: [(2, 3), (7, 3)])
    gif.frame(width: 2, height: 1, codes: [(3, 3), (7, 3)])
    gif.frame(width: 2, height: 1, pixels: [0, 0])
    let expected = [("RG", false), ("BG", true), ("WG", true), ("RR", false)]
    for order in [[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 2, 1, 0], [1, 3, 0, 2]] {
      let decoder = try frames(gif.data)
      for index in order {
        #expect(try decoder.frame(at: index).letters == expected[index].0, "frame \(index)")
        #expect(decoder.isFrameDamaged == expected[index].1 && !decoder.isFramePartial, "frame \(index)")
      }
    }
    let strict = try frames(gif.data, DecodeOptions(allowsPartial: true, damage: .strict))
    #expect(try strict.frame(at: 0).letters == "RG")
    #expect(throws: ImagingError.self) { try strict.frame(at: 1) }
  }
}
