import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct WebPEncoderTests {
  private let encoder = WebPEncoder()

  /// Colours in all directions; alpha too, with colours under full transparency, unless opaque.
  static func gradient(width: Int, height: Int, isOpaque: Bool = true) throws(ImagingError) -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let at = 4 * (y * width + x)
          bytes[at] = UInt8(x * 255 / max(1, width - 1))
          bytes[at + 1] = UInt8(y * 255 / max(1, height - 1))
          bytes[at + 2] = UInt8((x &* 31 ^ y &* 17) & 255)
          bytes[at + 3] = isOpaque ? 255 : UInt8(x * 37 % 256)
        }
      }
      return isOpaque
    }
  }

  private func decoded(_ data: Data) throws(ImagingError) -> Image {
    try WebPDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
  }

  @Test(arguments: [(1, 1), (3, 2), (17, 5), (64, 64)], [false, true])
  func keepsEveryByteLosslessly(size: (Int, Int), isOpaque: Bool) throws {
    let source = try Self.gradient(width: size.0, height: size.1, isOpaque: isOpaque)
    let data = try encoder.encode(Image(bitmap: source), options: .webpLossless)
    let back = try decoded(data)
    #expect(back.bitmap == source)
    #expect(back.bitmap.isOpaque == isOpaque)
    #expect(back.info?.hasAlpha == !isOpaque)
  }

  @Test func keepsAlphaExactlyAndColoursNearlyWhenLossy() throws {
    let source = try Self.gradient(width: 40, height: 30, isOpaque: false)
    let back = try decoded(try encoder.encode(Image(bitmap: source), options: .webp(quality: 95)))
    #expect(back.info?.hasAlpha == true)
    let wanted = source.withUnsafeBytes { Array($0) }
    let got = back.bitmap.withUnsafeBytes { Array($0) }
    var alphaErrors = 0
    var colorError = 0
    for pixel in stride(from: 0, to: got.count, by: 4) {
      if got[pixel + 3] != wanted[pixel + 3] { alphaErrors += 1 }
      // Green stands for brightness; colours below transparent pixels are free.
      if got[pixel + 3] > 0 { colorError += abs(Int(got[pixel + 1]) - Int(wanted[pixel + 1])) }
    }
    #expect(alphaErrors == 0)
    #expect(colorError < 16 * got.count / 4)
  }

  @Test func getsSmallerWithTheQuality() throws {
    let image = Image(bitmap: try Self.gradient(width: 64, height: 64))
    var before = Int.max
    for quality in [100, 75, 30, 0] {
      let count = try encoder.encode(image, options: .webp(quality: quality)).count
      #expect(count < before)
      before = count
    }
  }

  @Test func refusesSizesThatTheFormatCannotHold() throws {
    let wide = try Self.gradient(width: WebPEncoder.maxSide + 1, height: 1)
    let error = #expect(throws: ImagingError.self) {
      try encoder.encode(Image(bitmap: wide), options: .webpLossless)
    }
    #expect(error?.code == "invalidParameter")
    #expect(error?.description.contains("16383") == true)
    let fits = try Self.gradient(width: WebPEncoder.maxSide, height: 1)
    #expect(try decoded(try encoder.encode(Image(bitmap: fits), options: .webpLossless)).bitmap == fits)
  }

  @Test(arguments: [-1, 101])
  func refusesQualitiesOutOfRange(quality: Int) throws {
    let image = Image(bitmap: try Self.gradient(width: 2, height: 2))
    let error = #expect(throws: ImagingError.self) {
      try encoder.encode(image, options: .webp(quality: quality))
    }
    #expect(error?.code == "invalidParameter")
  }

  @Test func stopsWhenItsTaskIsCancelled() async throws {
    let image = Image(bitmap: try Self.gradient(width: 128, height: 128))
    for options in [EncodeOptions.webp(quality: 80), .webpLossless] {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try WebPEncoder().encode(image, options: options)
      }
      await #expect(throws: ImagingError.cancelled) { try await task.value }
    }
  }
}
