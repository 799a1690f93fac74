import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct APNGEncoderTests {
  private func bitmap(_ frame: Int, format: PixelFormat = .rgba8) throws(ImagingError) -> Bitmap {
    try Bitmap(size: PixelSize(width: 20, height: 11), format: format) { bytes throws(ImagingError) in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index * 5) }
      // A spot that wanders and is transparent at times; frames 3 and 4 are the same.
      let spot = min(frame, 3) * 3
      for at in 0..<8 { bytes[spot * 8 + at * 4] = UInt8(frame == 4 ? 3 * 60 : frame * 60) }
      return false
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .rgba16, .gray8]) func framesSurvive(_ format: PixelFormat) throws {
    let durations = [40, 100, 70_000, 33, 90_000_000]
    let source = AnimationSource(frameCount: 5, loopCount: 3) { index throws(ImagingError) in
      AnimationSource.Frame(
        bitmap: try bitmap(index, format: format), duration: .milliseconds(durations[index]))
    }
    let data = try APNGEncoder().encode(source, options: EncodeOptions(format: .apng))
    let decoder = try #require(
      try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions(pixels: .native)))
    #expect(decoder.info.format == .apng)
    #expect(decoder.info.loopCount == 3)
    #expect(decoder.info.durations.map(\.wholeMilliseconds) == [40, 100, 70_000, 33, 65_535_000])
    for index in 0..<5 {
      let expected = try bitmap(index, format: format)
      let frame = try decoder.frame(at: index)
      if format == .gray8 {
        #expect(frame.bytes == expected.bytes.flatMap { [$0, $0, $0, 255] })
      } else {
        #expect(frame == expected)
      }
    }
  }

  @Test func onlyWhatChangedIsWritten() throws {
    let old = try bitmap(0)
    #expect(PNGChange.area(from: old, to: old).size == PixelSize(width: 1, height: 1))
    let new = try Bitmap(size: old.size) { bytes in
      old.withUnsafeBytes { bytes.copyMemory(from: $0) }
      bytes[(3 * 20 + 7) * 4] ^= 1
      bytes[(5 * 20 + 4) * 4 + 3] ^= 1
      return false
    }
    #expect(
      PNGChange.area(from: old, to: new) == PixelRectangle(x: 4, y: 3, size: PixelSize(width: 4, height: 3)))
  }

  @Test func framesOfOtherSizesAreRefused() throws {
    let small = try Bitmap(size: PixelSize(width: 1, height: 1)) { bytes in
      for index in bytes.indices { bytes[index] = 0 }
      return false
    }
    let source = AnimationSource(frameCount: 2, loopCount: 0) { index throws(ImagingError) in
      AnimationSource.Frame(bitmap: index == 0 ? try bitmap(0) : small, duration: .milliseconds(100))
    }
    #expect(throws: ImagingError.self) {
      try APNGEncoder().encode(source, options: EncodeOptions(format: .apng))
    }
  }

  private func noise(_ x: Int, _ y: Int) -> Int { (x &* 7919 ^ y &* 104_729 ^ x &* y &* 31) % 29 }

  @Test func framesShareALossyPalette() throws {
    // A gradient with noise, and a square that wanders over it.
    let bitmaps = try (0..<4).map { frame in
      try ResamplePictures.make(64, 48) { x, y in
        (frame * 10..<frame * 10 + 12).contains(x) && y < 12
          ? [250, 30, UInt8(y), 255]
          : [UInt8(x * 3 + noise(x, y)), UInt8(y * 4 + noise(y, x)), UInt8(x + y), 255]
      }
    }
    let source = AnimationSource(frameCount: 4, loopCount: 0) { index in
      AnimationSource.Frame(bitmap: bitmaps[index], duration: .milliseconds(50))
    }
    var options = EncodeOptions.apng
    let exact = try APNGEncoder().encode(source, options: options)
    options.usesPalette = true
    options.paletteSize = 64
    let data = try APNGEncoder().encode(source, options: options)
    #expect(data.count * 2 < exact.count)
    let made = try AnimatedImage(data: data)
    #expect(made.frameCount == 4)
    var colors: Set<UInt32> = []
    var last: [UInt32] = []
    for (index, bitmap) in bitmaps.enumerated() {
      let frame = try made.frame(at: index).bitmap
      let pixels = frame.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
      colors.formUnion(pixels)
      let psnr = try ImageQuality(original: bitmap).psnr(of: frame)
      #expect(psnr > 25)
      // Pixels that do not change do not flicker.
      if index > 0 {
        let same = zip(
          bitmaps[index - 1].withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) },
          bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
        ).map { $0 == $1 }
        #expect(pixels.indices.allSatisfy { !same[$0] || pixels[$0] == last[$0] })
      }
      last = pixels
    }
    #expect(colors.count <= 64)
    // Few colours are kept as they are.
    options.paletteSize = 256
    let few = AnimationSource(frameCount: 2, loopCount: 0) { index in
      AnimationSource.Frame(
        bitmap: try! ResamplePictures.make(20, 20) { x, y in [UInt8((x + index) % 5), 0, 0, 255] },
        duration: .milliseconds(50))
    }
    options.usesPalette = false
    let plain = try APNGEncoder().encode(few, options: options)
    options.usesPalette = true
    #expect(try APNGEncoder().encode(few, options: options) == plain)
    options.paletteSize = 1
    #expect(throws: ImagingError.self) { try APNGEncoder().encode(few, options: options) }
  }
}
