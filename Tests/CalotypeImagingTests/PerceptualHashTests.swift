import CalotypeImaging
import Testing

@Suite("Perceptual hashes, swatches and palettes")
struct PerceptualHashTests {
  private static func picture(_ side: Int, _ color: (Double, Double) -> (Double, Double, Double)) throws
    -> Bitmap
  {
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (red, green, blue) = color(Double(x) / Double(side), Double(y) / Double(side))
        pixels += [red, green, blue].map { UInt8(min(max($0, 0), 1) * 255) } + [255]
      }
    }
    return try Bitmap(rgba: pixels, width: side, height: side)
  }

  private static func scene(_ side: Int, gain: Double = 1) throws -> Bitmap {
    try picture(side) { x, y in
      let circle = (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6) < 0.05 ? 0.5 : 0
      return (gain * (y * 0.5 + circle), gain * (x * 0.6), gain * (0.4 - x * y * 0.3 + circle / 2))
    }
  }

  @Test func similarPicturesHaveSimilarHashes() throws {
    let hash = try PerceptualHash(of: Self.scene(200))
    #expect(try PerceptualHash(of: Self.scene(64)).distance(to: hash) <= 4)
    #expect(try PerceptualHash(of: Self.scene(200, gain: 0.8)).distance(to: hash) <= 4)
    #expect(try PerceptualHash(of: Self.scene(200).oriented(.topRight)).distance(to: hash) >= 12)
    let other = try Self.picture(200) { x, y in (x < 0.5 ? 1 : 0, y < 0.5 ? 0 : 1, 0.2) }
    #expect(try PerceptualHash(of: other).distance(to: hash) >= 16)
  }

  @Test func hashesAreText() throws {
    let hash = try PerceptualHash(of: Self.scene(50))
    #expect(hash.description.utf8.count == 16 && PerceptualHash(hash.description) == hash)
    #expect(PerceptualHash(bits: 10).description == "000000000000000a")
    for text in ["", "+00000000000000a", "00000000000000000", "000000000000000g"] {
      #expect(PerceptualHash(text) == nil)
    }
    // One bit: the mean is above the median of nothing.
    let flat = try Self.picture(40) { _, _ in (0.5, 0.5, 0.5) }
    #expect(try PerceptualHash(of: flat).bits == 1 << 63)
  }

  @Test func swatchesAreStrongAndQuiet() throws {
    let bitmap = try Self.picture(80) { x, y in
      if y < 0.5 { return x < 0.5 ? (0.9, 0.1, 0.1) : (0.98, 0.8, 0.55) }
      return x < 0.5 ? (0.55, 0.5, 0.45) : (0.05, 0.06, 0.25)
    }
    let swatches = try Swatches(of: bitmap)
    #expect(swatches.vibrant.map { $0.red > 200 && $0.green < 60 } == true)
    #expect(swatches.lightVibrant.map { $0.red > 230 && $0.blue > 120 } == true)
    #expect(swatches.darkVibrant.map { $0.blue > 50 && $0.red < 40 } == true)
    #expect(swatches.muted.map { abs(Int($0.red) - Int($0.blue)) < 40 } == true)
    #expect(swatches.lightMuted == nil && swatches.darkMuted == nil)
    let built = try Swatches(of: bitmap, buildsMissing: true)
    #expect(built.vibrant == swatches.vibrant && built.muted == swatches.muted)
    #expect(built.lightMuted.map { Int($0.red) + Int($0.green) + Int($0.blue) > 500 } == true)
    #expect(built.darkMuted.map { Int($0.red) + Int($0.green) + Int($0.blue) < 260 } == true)
  }

  @Test func picturesWithoutColoursHaveNoSwatches() throws {
    let gray = try Swatches(of: Self.picture(20) { _, _ in (0.5, 0.5, 0.5) })
    #expect(gray.vibrant == nil && gray.lightVibrant == nil && gray.darkVibrant == nil && gray.muted != nil)
    let red = try Swatches(of: Self.picture(20) { _, _ in (0.9, 0.1, 0.1) })
    #expect(red.vibrant != nil && red.muted == nil && red.darkMuted == nil)
    let clear = try Bitmap(rgba: [UInt8](repeating: 0, count: 400), width: 10, height: 10)
    #expect(try Swatches(of: clear, buildsMissing: true) == Swatches())
  }

  @Test func palettesHaveAtMostTheirNumber() throws {
    let four = try Self.picture(40) { x, y in (x < 0.5 ? 1 : 0, y < 0.5 ? 1 : 0, 0) }
    let exact = try four.palette(count: 4)
    #expect(
      Set(exact) == [
        PixelColor(red: 255, green: 255, blue: 0), PixelColor(red: 0, green: 255, blue: 0),
        PixelColor(red: 255, green: 0, blue: 0), .black,
      ])
    #expect(try four.palette(count: 2).count == 2)
    #expect(try Self.scene(60).palette(count: 16).count == 16)
    #expect(throws: ImagingError.self) { try four.palette(count: 0) }
    #expect(throws: ImagingError.self) { try four.palette(count: 257) }
  }
}
