import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct ThumbHashTests {
  typealias Pictures = ResamplePictures

  private static func hash(_ base64: String) throws -> ThumbHash {
    try ThumbHash(Array(#require(Data(base64Encoded: base64))))
  }

  @Test(arguments: FactPicture.all) func encodesAsOthersDo(picture: FactPicture) throws {
    #expect(Data(try ThumbHash(of: picture.small()).bytes).base64EncodedString() == picture.thumbHash)
  }

  @Test(arguments: FactPicture.all) func decodesAsOthersDo(picture: FactPicture) throws {
    let bitmap = try Self.hash(picture.thumbHash).bitmap()
    #expect(bitmap.size == picture.shown)
    #expect(bitmap.isOpaque == (picture.blurHash != nil))
    let bytes = Pictures.bytes(bitmap)
    let middle = (bitmap.size.pixelCount / 2 + bitmap.width / 2) * 4
    for (first, expected) in zip([0, middle, bytes.count - 4], picture.pixels) {
      for channel in 0..<4 {
        // The other one rounds, where this and the published ones cut off.
        #expect((0...1).contains(Int(expected[channel]) - Int(bytes[first + channel])), "\(first)")
      }
    }
  }

  @Test func meanAndProportionsAreKept() throws {
    let wide = try Pictures.make(70, 20) { _, _ in [200, 100, 50, 255] }
    let hash = try ThumbHash(of: wide)
    #expect(abs(hash.aspectRatio - 3.5) < 0.01 && !hash.hasAlpha)
    let mean = hash.averageColor
    // Six bits a channel, sums of three.
    #expect(abs(Int(mean.red) - 200) <= 6 && abs(Int(mean.green) - 100) <= 6 && abs(Int(mean.blue) - 50) <= 6)
    #expect(mean.alpha == 255)
    let tall = try Pictures.make(10, 50, opaque: false) { _, y in [0, 0, 255, y < 25 ? 255 : 0] }
    let other = try ThumbHash(of: tall)
    #expect(other.hasAlpha && other.aspectRatio == 0.2 && other.bytes.count == 23)
    #expect(abs(Int(other.averageColor.alpha) - 128) <= 9 && other.averageColor.blue > 240)
    let shown = try other.bitmap()
    #expect(shown.size == PixelSize(width: 6, height: 32))
    let bytes = Pictures.bytes(shown)
    #expect(bytes[3] > 155 && bytes[bytes.count - 1] < 100)
  }

  @Test func hiddenColoursHaveNoPart() throws {
    func picture(_ hidden: UInt8) throws -> Bitmap {
      try Pictures.make(20, 20, opaque: false) { x, _ in
        x < 10 ? [10, 20, 200, 255] : [hidden, hidden, 0, 0]
      }
    }
    #expect(try ThumbHash(of: picture(0)) == ThumbHash(of: picture(255)))
    let nothing = try Pictures.make(3, 3, opaque: false) { x, _ in [UInt8(x), 255, 0, 0] }
    #expect(try ThumbHash(of: nothing).averageColor.alpha == 0)
  }

  @Test func whatIsNotThereIsNotMadeOfRounding() throws {
    // Symmetrical: every odd cosine has a sum of 0, whatever order it was summed in.
    let source = try Pictures.make(60, 60) { x, y in
      let value = UInt8(min(x, 59 - x) * 4 + min(y, 59 - y) * 4)
      return [value, value, value, 255]
    }
    let bytes = try ThumbHash(of: source).bytes
    // Cosine 1 across is the low half of the first byte of factors; 0 is stored as 8.
    #expect(bytes[5] & 15 == 8)
    // Greys have no colours: all their factors are 0, and so is their scale.
    #expect(bytes[3] >> 3 == 0 && bytes[4] == 0)
    #expect(bytes.suffix(5).allSatisfy { $0 == 0 })
  }

  @Test func smallAndLongPictures() throws {
    for (width, height) in [(1, 1), (1, 500), (3000, 1), (2, 3), (100, 100), (101, 7)] {
      for opaque in [true, false] {
        let hash = try ThumbHash(of: Pictures.noise(width, height, opaque: opaque))
        #expect(try ThumbHash(hash.bytes) == hash)
        #expect((hash.aspectRatio > 1) == (width > height))
      }
    }
  }

  @Test func wrongBytesAreRefused() throws {
    let good = try Self.hash("3AcGDYJQ2DcvoYhLkno4OJOVL0n6").bytes
    for bytes in [[], [1], Array(good.prefix(4)), Array(good.dropLast()), good + [0]] {
      #expect(RasterSteps.invalid { try ThumbHash(bytes) } == "thumbhash")
    }
    // A side of 0 would be an infinite ratio.
    var flat = good
    flat[3] &= 0xF8
    #expect(RasterSteps.invalid { try ThumbHash(flat) } == "thumbhash")
    // Alpha is announced, and not there.
    var short = good
    short[2] |= 0x80
    #expect(RasterSteps.invalid { try ThumbHash(short) } == "thumbhash")
  }
}
