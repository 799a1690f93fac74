import Testing

@testable import CalotypeImaging

@Suite struct BlurHashTests {
  typealias Pictures = ResamplePictures

  @Test(arguments: FactPicture.all.filter { $0.blurHash != nil }) func encodesAsOthersDo(picture: FactPicture)
    throws
  {
    let small = try picture.small()
    let hash = try BlurHash(of: small)
    #expect(hash.text == picture.blurHash)
    #expect(try BlurHash(of: small, componentsX: 9, componentsY: 9).text == picture.longBlurHash)
    // The mean alone is a prefix of nothing but its own digits.
    let mean = try BlurHash(of: small, componentsX: 1, componentsY: 1)
    #expect(mean.text.dropFirst(2) == hash.text.dropFirst(2).prefix(4) && mean.text.hasPrefix("00"))
    #expect(mean.averageColor == hash.averageColor)
  }

  /// First, middle and last pixel of 7×5, by blurhash-python 1.2.2.
  @Test(arguments: [
    (0, [126, 114, 114], [105, 92, 116], [127, 120, 113]), (1, [95, 91, 5], [113, 101, 91], [104, 93, 65]),
    (2, [149, 129, 62], [168, 153, 146], [165, 126, 96]),
    (3, [163, 160, 158], [0, 90, 101], [240, 240, 236]),
    (4, [255, 251, 233], [101, 90, 56], [229, 209, 201]),
    (5, [142, 155, 133], [157, 150, 163], [133, 140, 143]),
  ])
  func decodesAsOthersDo(index: Int, first: [Int], middle: [Int], last: [Int]) throws {
    let text = try #require(FactPicture.all[index].longBlurHash)
    let bitmap = try BlurHash(text).bitmap(size: PixelSize(width: 7, height: 5))
    #expect(bitmap.isOpaque)
    let bytes = Pictures.bytes(bitmap)
    for (pixel, expected) in [(0, first), (17, middle), (34, last)] {
      for channel in 0..<3 { #expect(abs(Int(bytes[pixel * 4 + channel]) - expected[channel]) <= 1) }
      #expect(bytes[pixel * 4 + 3] == 255)
    }
  }

  @Test func componentsFollowTheShape() throws {
    func components(_ width: Int, _ height: Int) throws -> [Int] {
      let hash = try BlurHash(of: Pictures.noise(width, height))
      #expect(hash.text.utf8.count == 4 + 2 * hash.componentsX * hash.componentsY)
      return [hash.componentsX, hash.componentsY]
    }
    #expect(try components(40, 30) == [4, 3])
    #expect(try components(30, 40) == [3, 4])
    #expect(try components(30, 30) == [4, 4])
    #expect(try components(1, 1) == [4, 4])
    #expect(try components(1000, 1) == [4, 3])
  }

  @Test func oneColourIsThatColour() throws {
    let value: [UInt8] = [200, 13, 77, 255]
    let hash = try BlurHash(of: Pictures.make(20, 10) { _, _ in value })
    #expect(hash.averageColor == PixelColor(red: 200, green: 13, blue: 77))
    #expect(try BlurHash(hash.text) == hash)
    let bytes = Pictures.bytes(try hash.bitmap(size: PixelSize(width: 3, height: 2), punch: 0))
    for first in stride(from: 0, to: bytes.count, by: 4) {
      #expect(Array(bytes[first..<(first + 4)]) == value)
    }
  }

  @Test func hiddenColoursHaveNoPart() throws {
    func picture(_ hidden: UInt8) throws -> Bitmap {
      try Pictures.make(20, 20, opaque: false) { x, _ in
        x < 10 ? [10, 20, 200, 255] : [hidden, hidden, 0, 0]
      }
    }
    let hash = try BlurHash(of: picture(255))
    #expect(try hash == BlurHash(of: picture(0)))
    #expect(hash.averageColor == PixelColor(red: 10, green: 20, blue: 200))
    let nothing = try Pictures.make(3, 3, opaque: false) { _, _ in [255, 255, 0, 0] }
    #expect(try BlurHash(of: nothing).averageColor == .black)
  }

  @Test func punchStretchesContrast() throws {
    let text = try #require(FactPicture.all[2].blurHash)
    func spread(_ punch: Double) throws -> Int {
      let bytes = Pictures.bytes(
        try BlurHash(text).bitmap(size: PixelSize(width: 16, height: 16), punch: punch))
      let reds = stride(from: 0, to: bytes.count, by: 4).map { Int(bytes[$0]) }
      return (reds.max() ?? 0) - (reds.min() ?? 0)
    }
    #expect(try spread(0) == 0)
    #expect(try spread(0.5) < spread(1))
    #expect(try spread(1) < spread(2))
  }

  @Test(arguments: [
    "", "L", "00", "~0VfDI", "L6Av?=J701?Y57-QR*R,0KNG?aR", "L6Av?=J701?Y57-QR*R,0KNG?aRRR", "00 000",
    "00~~~~",
    "10000000~~", "00\u{e9}000", "\"00000",
  ])
  func wrongTextsAreRefused(text: String) {
    #expect(RasterSteps.invalid { try BlurHash(text) } == "blurhash")
  }

  @Test func longTextsAreNotRead() {
    let text = String(repeating: "~", count: 10_000_000)
    #expect(RasterSteps.invalid { try BlurHash("|" + text) } == "blurhash")
  }

  @Test func nonsenseIsRefused() async throws {
    let picture = try Pictures.noise(4, 4)
    for (x, y) in [(0, 1), (1, 10), (-1, 3), (.max, .max)] {
      #expect(throws: ImagingError.self) { try BlurHash(of: picture, componentsX: x, componentsY: y) }
    }
    let hash = try BlurHash("00EVjK")
    for size in [(0, 1), (1, -1), (1 << 20, 1 << 20), (.max, .max)] {
      #expect(throws: ImagingError.self) { try hash.bitmap(size: PixelSize(width: size.0, height: size.1)) }
    }
    for punch in [Double.nan, -1, 101, .infinity] {
      #expect(throws: ImagingError.self) {
        try hash.bitmap(size: PixelSize(width: 1, height: 1), punch: punch)
      }
    }
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try hash.bitmap(size: PixelSize(width: 100, height: 100))
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
