import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct PNGAnimationTests {
  private let file = PNGTestFile(width: 4, height: 3)
  private var red: [UInt8] {
    PNGTestFile.chunk("IDAT", file.compressed { _, _, channel in [200, 0, 0, 255][channel] })
  }
  /// Two columns, one row: green, half transparent blue.
  private var small: [UInt8] {
    file.compressed(size: (2, 1)) { x, _, channel in [[0, 200, 0, 255], [0, 0, 200, 128]][x][channel] }
  }

  /// The default image, and two small frames over it.
  static var threeFrames: Data {
    let tests = PNGAnimationTests()
    return tests.file.file(
      PNGTestFile.animation(frames: 3), PNGTestFile.frame(0, 4, 3), tests.red, PNGTestFile.frame(1, 2, 1),
      PNGTestFile.frameData(2, tests.small), PNGTestFile.frame(3, 2, 1, x: 1, y: 1),
      PNGTestFile.frameData(4, tests.small))
  }

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try PNGDecoder().decode(
      data, minimumSize: nil,
      options: DecodeOptions(allowsPartial: partial, damage: partial ? .tolerate : .strict))
  }

  private func isRed(_ image: Image) -> Bool {
    image.bitmap.bytes == (0..<12).flatMap { _ -> [UInt8] in [200, 0, 0, 255] }
  }

  @Test func theDefaultImageIsTheFirstFrame() throws {
    let data = file.file(
      PNGTestFile.animation(frames: 2, plays: 3), PNGTestFile.frame(0, 4, 3, delay: (1, 2)), red,
      PNGTestFile.frame(1, 2, 1, x: 1, y: 1, delay: (1, 0)), PNGTestFile.frameData(2, small))
    let info = try PNGDecoder().probe(data, limits: .default)
    #expect(info.format == .apng)
    #expect(info.frameCount == 2)
    #expect(info.loopCount == 3)
    #expect(info.durations.map(\.wholeMilliseconds) == [500, 100])
    #expect(isRed(try decode(data)))
  }

  @Test func aFirstFrameWithOffsetLiesOnATransparentCanvas() throws {
    let half = small.count / 2
    let data = file.file(
      PNGTestFile.animation(frames: 1), red, PNGTestFile.frame(0, 2, 1, x: 2, y: 1, blend: 1),
      PNGTestFile.frameData(1, Array(small[..<half])), PNGTestFile.chunk("tEXt", [65, 0, 66]),
      PNGTestFile.frameData(2, Array(small[half...])))
    let image = try decode(data)
    var expected = [UInt8](repeating: 0, count: 48)
    expected.replaceSubrange(24..<32, with: [0, 200, 0, 255, 0, 0, 200, 128])
    #expect(image.bitmap.bytes == expected)
    #expect(!image.bitmap.isOpaque)
    #expect(image.info?.frameCount == 1)
  }

  @Test func anIndexedFrameUsesThePaletteOfTheFile() throws {
    let file = PNGTestFile(width: 9, height: 2, depth: 1, colorType: 3, isInterlaced: true)
    let data = file.file(
      PNGTestFile.animation(frames: 1), PNGTestFile.chunk("PLTE", [1, 2, 3, 4, 5, 6]),
      PNGTestFile.chunk("tRNS", [77]), PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 0 }),
      PNGTestFile.frame(0, 9, 2), PNGTestFile.frameData(1, file.compressed { x, y, _ in (x + y) & 1 }))
    let expected = (0..<2).flatMap { y in
      (0..<9).flatMap { x -> [UInt8] in (x + y) & 1 == 0 ? [1, 2, 3, 77] : [4, 5, 6, 255] }
    }
    #expect(try decode(data).bitmap.bytes == expected)
  }

  @Test(arguments: [
    ("num 10 ms", 1, 100, 100), ("11 ms", 11, 1000, 11), ("0", 0, 100, 100), ("1/60 s", 1, 60, 17),
    ("den 0", 4, 0, 40), ("longest", 65535, 1, 65_535_000),
  ]) func delays(_ name: String, _ numerator: Int, _ denominator: Int, _ milliseconds: Int) throws {
    let data = file.file(
      PNGTestFile.animation(frames: 1), PNGTestFile.frame(0, 4, 3, delay: (numerator, denominator)), red)
    #expect(
      try PNGDecoder().probe(data, limits: .default).durations.map(\.wholeMilliseconds) == [milliseconds],
      "\(name)")
  }

  /// Chunks of an animation that is broken at the first frame: the default image is what remains.
  @Test func brokenAnimationsShowTheDefaultImage() throws {
    let control = PNGTestFile.animation(frames: 1)
    let broken: [[UInt8]] = [
      control + PNGTestFile.frame(1, 4, 3) + red,
      control + PNGTestFile.frame(0, 3, 3) + red,
      control + PNGTestFile.frame(0, 4, 3, disposal: 3) + red,
      control + PNGTestFile.frame(0, 4, 3, blend: 2) + red,
      control + PNGTestFile.frame(0, 4, 3) + PNGTestFile.frame(1, 4, 3) + red,
      control + red + PNGTestFile.frame(0, 2, 1, x: 3) + PNGTestFile.frameData(1, small),
      control + red + PNGTestFile.frame(0, 2, 1, x: 0xffff_ffff) + PNGTestFile.frameData(1, small),
      control + red + PNGTestFile.frame(0, 0, 1) + PNGTestFile.frameData(1, small),
      control + red + PNGTestFile.frame(0, 2, 1),
      control + red + PNGTestFile.frameData(0, small),
      control + red + PNGTestFile.frame(0, 2, 1) + PNGTestFile.frameData(2, small),
      control + red + PNGTestFile.frame(0, 2, 1) + PNGTestFile.chunk("fdAT", [0, 0]),
      PNGTestFile.animation(frames: 0) + PNGTestFile.frame(0, 4, 3) + red,
      red + control + PNGTestFile.frame(0, 2, 1) + PNGTestFile.frameData(1, small),
    ]
    for (index, chunks) in broken.enumerated() {
      let image = try decode(file.file(chunks), partial: true)
      #expect(isRed(image), "number \(index)")
      #expect(image.info?.frameCount == 1 && image.info?.durations == [], "number \(index)")
    }
  }

  @Test func laterDamageKeepsTheFramesBefore() throws {
    let start = PNGTestFile.animation(frames: 3) + PNGTestFile.frame(0, 4, 3) + red
    let second = PNGTestFile.frame(1, 2, 1) + PNGTestFile.frameData(2, small)
    for (chunks, frames) in [
      (start + second, 2), (start + second + PNGTestFile.frame(9, 2, 1), 2),
      (start + second + PNGTestFile.frame(3, 2, 1), 2), (start + PNGTestFile.frame(1, 5, 1), 1),
      (start + second + file.header, 2),
    ] {
      let data = file.file(chunks)
      try data.withUnsafeBytes { bytes in
        let animation = try #require(try PNGStructure(bytes, limits: .default).animation)
        #expect(animation.frames.count == frames)
        #expect(animation.damage != nil)
      }
      // The first frame is whole, and the animation is not.
      #expect(throws: ImagingError.self) { try decode(data) }
      let image = try decode(data, partial: true)
      #expect(isRed(image) && image.isDamaged && !image.isPartial && image.info?.frameCount == frames)
      let dripped = IncrementalDecodes(decoder: PNGDecoder())
      dripped.expectSame(data, "\(frames) frames")
    }
  }

  @Test func framesThatAreMissingAreDamage() throws {
    let data = file.file(
      PNGTestFile.animation(frames: 20) + PNGTestFile.frame(0, 4, 3) + red + PNGTestFile.frame(1, 2, 1)
        + PNGTestFile.frameData(2, small))
    let animation = try AnimatedImage(data: data)
    #expect(animation.frameCount == 2 && animation.info.isDamaged)
    #expect(try !animation.frame(at: 1).isPartial)
    #expect(throws: ImagingError.self) {
      try AnimatedImage(data: data, options: DecodeOptions(damage: .strict))
    }
    // A file that ends there is cut off.
    #expect(throws: ImagingError.self) { try AnimatedImage(data: data.dropLast(12)) }
  }

  @Test func damagedFrameDataIsAnError() throws {
    let head = PNGTestFile.animation(frames: 1) + red + PNGTestFile.frame(0, 2, 1)
    var data = PNGTestFile.frameData(1, small)
    data[data.count - 1] ^= 1
    #expect {
      try decode(file.file(head, data))
    } throws: { error in
      if case .corrupt(.apng, let reason, _) = error as? ImagingError {
        reason.contains("CRC")
      } else {
        false
      }
    }
    let cut = Data(PNGTestFile.signature + file.header + head + PNGTestFile.frameData(1, small).dropLast(12))
    #expect(throws: ImagingError.truncated(.apng, byteCount: cut.count)) { try decode(cut) }
  }

  @Test func framesAreLimited() throws {
    var chunks = PNGTestFile.animation(frames: 20) + PNGTestFile.frame(0, 4, 3) + red
    for frame in 1..<20 {
      chunks += PNGTestFile.frame(frame * 2 - 1, 2, 1) + PNGTestFile.frameData(frame * 2, small)
    }
    let data = file.file(chunks)
    #expect(try PNGDecoder().probe(data, limits: DecodeLimits(maxFrames: 20)).frameCount == 20)
    #expect(throws: ImagingError.limitExceeded(.frames, value: 20, limit: 19)) {
      try PNGDecoder().probe(data, limits: DecodeLimits(maxFrames: 19))
    }
  }
}
