import Testing

@testable import CalotypeImaging

@Suite struct ImageSummaryTests {
  typealias Pictures = ResamplePictures

  @Test func averageIsExact() throws {
    for (width, height) in [(1, 1), (1, 70), (300, 301), (70_001, 1)] {
      for opaque in [true, false] {
        let source = try Pictures.noise(width, height, opaque: opaque, seed: UInt64(width))
        let bytes = Pictures.bytes(source)
        var sums = [0, 0, 0, 0]
        for first in stride(from: 0, to: bytes.count, by: 4) {
          for channel in 0..<3 { sums[channel] += Int(bytes[first + channel]) * Int(bytes[first + 3]) }
          sums[3] += Int(bytes[first + 3])
        }
        func mean(_ channel: Int) -> UInt8 {
          sums[3] == 0 ? 0 : UInt8((Double(sums[channel]) / Double(sums[3])).rounded())
        }
        let alpha = UInt8((Double(sums[3]) / Double(width * height)).rounded())
        #expect(
          try source.averageColor() == PixelColor(red: mean(0), green: mean(1), blue: mean(2), alpha: alpha))
        #expect(try source.hasTransparency() == (sums[3] < 255 * width * height))
      }
    }
    let clear = try Pictures.make(3, 2, opaque: false) { _, _ in [255, 1, 2, 0] }
    #expect(try clear.averageColor() == .clear)
    // Not known to be opaque, and opaque all the same.
    let opaque = try Pictures.make(3, 2, opaque: false) { _, _ in [255, 1, 2, 255] }
    #expect(try !opaque.hasTransparency())
  }

  @Test func sumsOfManyPixelsDoNotOverflow() throws {
    let white = try Bitmap(size: PixelSize(width: 3000, height: 1500)) { bytes in
      for index in bytes.indices { bytes[index] = 255 }
      return true
    }
    #expect(try white.averageColor() == .white)
  }

  @Test func dominantColoursAreThoseOfTheParts() throws {
    // Half red, a third green, a sixth blue.
    let source = try Pictures.make(60, 10) { x, _ in
      x < 30 ? [250, 10, 10, 255] : x < 50 ? [10, 240, 10, 255] : [5, 5, 220, 255]
    }
    let colors = try source.dominantColors()
    #expect(colors.map(\.color) == [PixelColor("fa0a0a"), PixelColor("0af00a"), PixelColor("0505dc")])
    for (color, share) in zip(colors, [0.5, 1.0 / 3, 1.0 / 6]) { #expect(abs(color.share - share) < 1e-9) }
    #expect(try source.dominantColors(count: 1).count == 1)
    let clear = try Pictures.make(3, 2, opaque: false) { _, _ in [255, 1, 2, 0] }
    #expect(try clear.dominantColors().isEmpty)
  }

  @Test func alphaIsWeight() throws {
    let source = try Pictures.make(10, 10, opaque: false) { x, _ in
      x < 2 ? [0, 0, 255, 255] : x < 7 ? [255, 0, 0, 51] : [0, 255, 0, 0]
    }
    let colors = try source.dominantColors()
    #expect(colors.map(\.color.hex) == ["0000ff", "ff0000"])
    #expect(abs((colors.first?.share ?? 0) - 2.0 / 3) < 1e-9)
  }

  @Test func coloursThatHardlyDifferAreOne() throws {
    var generator = Pictures.SplitMix(state: 2)
    let source = try Pictures.make(50, 50) { x, _ in
      let noise = UInt8.random(in: 0...6, using: &generator)
      return x < 25 ? [100 + noise, 60, 60, 255] : [60, 60, 100 + noise, 255]
    }
    let colors = try source.dominantColors()
    #expect(colors.count == 2)
    #expect(abs(colors.reduce(0) { $0 + $1.share } - 1) < 1e-9)
  }

  @Test func allAtOnceAreThoseOfEach() throws {
    for (width, height, opaque) in [(320, 200, true), (17, 90, false), (1, 1, true)] {
      let source = try Pictures.noise(width, height, opaque: opaque)
      let facts = try source.facts()
      #expect(facts.averageColor == (try source.averageColor()))
      #expect(facts.dominantColors == (try source.dominantColors()))
      #expect(facts.hasTransparency == !opaque)
      #expect(facts.blurHash == (try BlurHash(of: source).text))
      #expect(facts.thumbHash == (try ThumbHash(of: source).bytes))
    }
  }

  @Test func otherPixelsAreConverted() throws {
    let grey = try Bitmap(size: PixelSize(width: 4, height: 3), format: .gray8) { bytes in
      for index in bytes.indices { bytes[index] = 77 }
      return true
    }
    #expect(try grey.facts().averageColor == PixelColor(red: 77, green: 77, blue: 77))
    #expect(try grey.dominantColors().map(\.color.hex) == ["4d4d4d"])
  }

  @Test func nonsenseIsRefused() async throws {
    let source = try Pictures.noise(200, 200)
    for count in [0, -1, 17, .max] {
      #expect(throws: ImagingError.self) { try source.dominantColors(count: count) }
    }
    let task = Task { () throws -> ImageSummary in
      withUnsafeCurrentTask { $0?.cancel() }
      return try source.facts()
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
