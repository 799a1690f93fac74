import Testing

@testable import CalotypeImaging

@Suite struct PaletteTests {
  private func bitmap(
    _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for (channel, value) in pixel(x, y).enumerated() { bytes[(y * width + x) * 4 + channel] = value }
        }
      }
      return false
    }
  }

  private func shown(_ palette: Palette, _ indices: [UInt8]) -> [[UInt8]] {
    indices.map {
      let color = palette.colors[Int($0)]
      return [color.red, color.green, color.blue, color.alpha]
    }
  }

  @Test func fewColorsAreExact() throws {
    let pixel = { (x: Int, y: Int) in [UInt8(x * 16), UInt8(y * 16), 7, (x + y) % 3 == 0 ? 0 : 255] as [UInt8] }
    let picture = try bitmap(16, 16, pixel)
    let palette = try Palette.make(from: picture)
    #expect(palette.isExact && palette.colors.count <= 256)
    let colors = shown(palette, try palette.indices(of: picture, dithers: true))
    for y in 0..<16 {
      for x in 0..<16 {
        let wanted = pixel(x, y)
        #expect(colors[y * 16 + x] == (wanted[3] == 0 ? [0, 0, 0, 0] : wanted))
      }
    }
  }

  @Test(arguments: [2, 16, 256]) func manyColorsAreApproached(_ count: Int) throws {
    let picture = try bitmap(128, 96) { x, y in [UInt8(x * 2), UInt8(y * 2), UInt8((x * y) & 255), 255] }
    let palette = try Palette.make(from: picture, maxColors: count)
    #expect(palette.colors.count == count && !palette.isExact)
    #expect(palette.colors.allSatisfy { $0.alpha == 255 })
    for dithers in [false, true] {
      let colors = shown(palette, try palette.indices(of: picture, dithers: dithers))
      let bytes = picture.bytes
      var total = 0
      for (index, color) in colors.enumerated() {
        for channel in 0..<3 { total += abs(Int(bytes[index * 4 + channel]) - Int(color[channel])) }
      }
      // The mean difference of a channel.
      let limit = count == 2 ? 60.0 : count == 16 ? 26 : 12
      #expect(Double(total) / Double(colors.count * 3) < limit, "\(dithers)")
    }
  }

  @Test func ditheringKeepsTheMean() throws {
    let picture = try bitmap(64, 64) { _, _ in [100, 100, 100, 255] }
    let palette = Palette(colors: [.init(pixel: 0xff00_0000), .init(pixel: 0xffff_ffff)])
    let colors = shown(palette, try palette.indices(of: picture, dithers: true))
    let mean = Double(colors.reduce(0) { $0 + Int($1[0]) }) / Double(colors.count)
    #expect(abs(mean - 100) < 3)
    #expect(Set(try palette.indices(of: picture, dithers: false)).count == 1)
  }

  @Test func transparencyHasAColorOfItsOwn() throws {
    let picture = try bitmap(64, 64) { x, y in [UInt8(x * 4), UInt8(y * 4), 0, x < 8 ? 0 : x < 16 ? 100 : 255] }
    let palette = try Palette.make(from: picture, maxColors: 8, hasBinaryAlpha: true)
    #expect(palette.colors.count <= 8)
    #expect(palette.colors[0].alpha == 0 && palette.colors.dropFirst().allSatisfy { $0.alpha == 255 })
    let indices = try palette.indices(of: picture, dithers: true, hasBinaryAlpha: true)
    for (at, index) in indices.enumerated() { #expect((index == 0) == (at % 64 < 16)) }
    let opaque = try bitmap(1, 1) { _, _ in [1, 2, 3, 255] }
    let reserved = try Palette.make(from: opaque, reservesTransparency: true)
    #expect(reserved.colors.map(\.alpha) == [0, 255])
  }

  @Test func wrongRequestsAreRefused() throws {
    let picture = try bitmap(1, 1) { _, _ in [0, 0, 0, 255] }
    #expect(throws: ImagingError.self) { try Palette.make(from: picture, maxColors: 0) }
    #expect(throws: ImagingError.self) { try Palette.make(from: picture, maxColors: 257) }
    #expect(try Palette.make(from: picture, maxColors: 1).colors.count == 1)
  }
}
