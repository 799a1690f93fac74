import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Lossless PNG takes no more bits than its pixels need.
@Suite struct PNGReductionTests {
  /// A kind of picture, and the colour type and depth that suffice.
  struct Kind: CustomTestStringConvertible {
    let name: String
    let colorType: PNGHeader.ColorType
    let depth: UInt8
    let pixel: @Sendable (Int, Int) -> [UInt8]
    var testDescription: String { name }
  }

  private static func noise(_ x: Int, _ y: Int) -> Int { (x &* 2_654_435_761 ^ y &* 40503) >> 7 & 0xff_ffff }
  private static func color(_ x: Int, _ y: Int) -> [UInt8] {
    let value = noise(x, y)
    return [UInt8(value & 255), UInt8(value >> 8 & 255), UInt8(value >> 16)]
  }
  private static func gray(_ value: Int, _ alpha: UInt8 = 255) -> [UInt8] {
    let value = UInt8(truncatingIfNeeded: value)
    return [value, value, value, alpha]
  }

  static let kinds: [Kind] = [
    Kind(name: "black and white", colorType: .gray, depth: 1) { x, y in gray(noise(x, y) & 1 == 0 ? 0 : 255)
    },
    Kind(name: "four greys", colorType: .gray, depth: 2) { x, y in gray((noise(x, y) & 3) * 85) },
    Kind(name: "sixteen greys", colorType: .gray, depth: 4) { x, y in gray((noise(x, y) & 15) * 17) },
    Kind(name: "many greys", colorType: .gray, depth: 8) { x, y in gray(noise(x, y)) },
    Kind(name: "sixteen uneven greys", colorType: .indexed, depth: 4) { x, y in
      gray((noise(x, y) & 15) * 9 + 3)
    },
    Kind(name: "two colours", colorType: .indexed, depth: 1) { x, y in
      noise(x, y) & 1 == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255]
    },
    Kind(name: "five colours with alpha", colorType: .indexed, depth: 4) { x, y in
      let place = noise(x, y) % 5
      return [UInt8(place * 50), 0, 9, UInt8(place * 60)]
    },
    Kind(name: "grey with alpha", colorType: .grayAlpha, depth: 8) { x, y in
      gray(noise(x, y), UInt8(noise(y, x) & 255))
    },
    Kind(name: "grey with one transparent level", colorType: .gray, depth: 8) { x, y in
      let value = noise(x, y) & 255
      return gray(value, value == 77 ? 0 : 255)
    },
    Kind(name: "colours with one transparent colour", colorType: .rgb, depth: 8) { x, y in
      (x + y) % 7 == 0 ? [1, 2, 3, 0] : color(x, y).map { $0 | 8 } + [255]
    },
    Kind(name: "a transparent colour that is also visible", colorType: .rgba, depth: 8) { x, y in
      x == 0 ? [1, 2, 3, y == 9 ? 255 : 0] : color(x, y) + [255]
    },
    Kind(name: "two transparent colours", colorType: .rgba, depth: 8) { x, y in
      x == 0 ? [1, 2, y == 9 ? 4 : 3, 0] : color(x, y).map { $0 | 8 } + [255]
    },
    Kind(name: "opaque colours", colorType: .rgb, depth: 8) { x, y in color(x, y) + [255] },
    Kind(name: "colours with alpha", colorType: .rgba, depth: 8) { x, y in
      color(x, y) + [UInt8(noise(y, x) & 255)]
    },
  ]

  private static func bitmap(
    _ kind: Kind, _ size: PixelSize = PixelSize(width: 67, height: 45)
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size) { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          for (channel, value) in kind.pixel(x, y).enumerated() {
            bytes[(y * size.width + x) * 4 + channel] = value
          }
        }
      }
      return false
    }
  }

  @Test(arguments: kinds, EncodeOptions.Effort.allCases)
  func everyPixelSurvivesInFewBits(_ kind: Kind, _ effort: EncodeOptions.Effort) throws {
    let bitmap = try Self.bitmap(kind)
    for isInterlaced in [false, true] {
      var options = EncodeOptions.png
      options.effort = effort
      options.isInterlaced = isInterlaced
      let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: options)
      // The smallest file of few uneven greys may be one without a palette, whose chunk costs more than it saves.
      if effort != .small || kind.name != "sixteen uneven greys" {
        #expect(data[25] == kind.colorType.rawValue && data[24] == kind.depth)
      }
      #expect(try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap == bitmap)
    }
  }

  @Test(arguments: kinds) func largePicturesAreReducedAlike(_ kind: Kind) throws {
    // Beyond the size whose sample is all of it.
    let bitmap = try Self.bitmap(kind, PixelSize(width: 300, height: 200))
    let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
    #expect(data[25] == kind.colorType.rawValue && data[24] == kind.depth)
    #expect(try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap == bitmap)
  }

  @Test func sixteenBitsAreKeptWhereTheyCount() throws {
    for (low, depth) in [(UInt16(0), UInt8(8)), (1, 16)] {
      for (isGray, hasAlpha) in [(true, true), (true, false), (false, true), (false, false)] {
        let size = PixelSize(width: 41, height: 33)
        let bitmap = try Bitmap(size: size, format: .rgba16) { bytes in
          let samples = bytes.bindMemory(to: UInt16.self)
          for pixel in 0..<size.pixelCount {
            let value = UInt16(truncatingIfNeeded: Self.noise(pixel, 3) & 255) * 257
            for channel in 0..<3 {
              samples[4 * pixel + channel] = isGray ? value : value &* UInt16(channel + 1) / 257 % 256 * 257
            }
            samples[4 * pixel + 3] = hasAlpha ? UInt16(pixel % 250) * 257 : 65535
            samples[4 * pixel] ^= pixel == 700 && !isGray ? low : 0
            if isGray, pixel == 700 { for channel in 0..<3 { samples[4 * pixel + channel] ^= low } }
          }
          return false
        }
        let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
        let types: [Bool: [Bool: PNGHeader.ColorType]] = [
          true: [true: .grayAlpha, false: .gray], false: [true: .rgba, false: .rgb],
        ]
        #expect(data[24] == depth && data[25] == types[isGray]?[hasAlpha]?.rawValue)
        let back = try PNGDecoder().decode(
          data, minimumSize: nil, options: DecodeOptions(pixels: .native))
        #expect(try back.bitmap.converted(to: .rgba16) == bitmap)
      }
    }
  }

  @Test func hiddenColorsAreClearedOnRequest() throws {
    let bitmap = try Self.bitmap(
      Kind(name: "", colorType: .rgba, depth: 8) { x, y in
        Self.color(x, y) + [x % 2 == 0 ? 0 : UInt8(y * 5)]
      })
    let kept = try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
    #expect(try PNGDecoder().decode(kept, minimumSize: nil, options: DecodeOptions()).bitmap == bitmap)
    var options = EncodeOptions.png
    options.clearsHiddenColors = true
    let cleared = try PNGEncoder().encode(Image(bitmap: bitmap), options: options)
    #expect(cleared.count < kept.count)
    let found = try PNGDecoder().decode(cleared, minimumSize: nil, options: DecodeOptions()).bitmap
    let (old, new) = (ResamplePictures.bytes(bitmap), ResamplePictures.bytes(found))
    for at in stride(from: 0, to: old.count, by: 4) {
      #expect(Array(new[at..<at + 4]) == (old[at + 3] == 0 ? [0, 0, 0, 0] : Array(old[at..<at + 4])))
    }
    // Lossless WebP knows the same choice.
    for clears in [false, true] {
      var options = EncodeOptions.webpLossless
      options.clearsHiddenColors = clears
      let data = try WebPEncoder().encode(Image(bitmap: bitmap), options: options)
      #expect((try CoderRegistry.standard.decode(data).bitmap == bitmap) == !clears)
    }
  }

  @Test func aKeptProfileKeepsTheKindOfItsPixels() throws {
    let gray = try Self.bitmap(Self.kinds[0])
    let profile = ColorProfile.icc(try Fixture.data("Metadata/DisplayP3-v4.icc"))
    var options = EncodeOptions.png
    options.keeps = [.icc]
    let data = try PNGEncoder().encode(Image(bitmap: gray, profile: profile), options: options)
    #expect(data[25] == PNGHeader.ColorType.indexed.rawValue)
    let back = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    #expect(back.profile == profile && back.bitmap == gray)
    // Nothing is kept of sRGB, which needs no profile.
    let plain = try PNGEncoder().encode(Image(bitmap: gray, profile: .sRGB), options: options)
    #expect(plain[25] == PNGHeader.ColorType.gray.rawValue)
    // And a grey bitmap with a grey profile gets no palette.
    let levels = try Self.bitmap(Self.kinds[4]).converted(to: .gray8)
    let calibrated = ColorProfile.calibrated(.init(gamma: 0.5))
    let kept = try PNGEncoder().encode(Image(bitmap: levels, profile: calibrated), options: options)
    #expect(kept[25] == PNGHeader.ColorType.gray.rawValue)
    #expect(try PNGEncoder().encode(Image(bitmap: levels), options: options)[25] == 3)
  }

  @Test func drawingsAreNotFiltered() throws {
    // Rows that repeat earlier ones, as text does: a filter would hide it.
    let glyphs = (0..<40).map { glyph in (0..<12).map { Self.color($0 + glyph * 77, glyph) } }
    let size = PixelSize(width: 480, height: 360)
    let bitmap = try Bitmap(size: size) { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let glyph = Self.noise(x / 12, y / 9) % 40
          let color = glyphs[glyph][(x % 12 + y % 9) % 12] + [255]
          for channel in 0..<4 { bytes[(y * size.width + x) * 4 + channel] = color[channel] }
        }
      }
      return true
    }
    let survey = PNGSurvey(clears: false)
    try survey.add(bitmap)
    let layouts = PNGLayout.candidates(for: survey, rules: .init(allowsPalette: false)) { _ in false }
    let samples = try PNGSamples(bitmap, layouts[0])
    let compression = PNGCompression(effort: .balanced, area: PixelRectangle(size))
    let ways = compression.ways([samples])
    #expect(ways.map(\.filter) == [.none, .leastSum, .bands])
    let sizes = try ways.map { try compression.smallest(of: [$0]).stream.count }
    #expect(sizes[0] * 2 < sizes[1])
    #expect(try compression.smallest(of: ways).stream.count == sizes[0])
    // A smooth picture is.
    let smooth = try PNGSamples(
      try Bitmap(size: size) { bytes in
        for at in bytes.indices { bytes[at] = at % 4 == 3 ? 255 : UInt8(at / 4 % 480 / 4 + at / 1920 / 4) }
        return true
      }, layouts[0])
    let smoothSizes = try compression.ways([smooth]).map { try compression.smallest(of: [$0]).stream.count }
    #expect(smoothSizes[1] < smoothSizes[0])
    #expect(
      try compression.smallest(of: compression.ways([smooth])).stream.count == smoothSizes.min())
  }

  @Test func framesOfAnAnimationAreReducedTogether() throws {
    let kinds: [(PNGHeader.ColorType, UInt8, @Sendable (Int, Int, Int) -> [UInt8])] = [
      (.gray, 1, { _, x, y in Self.gray(Self.noise(x, y) & 1 == 0 ? 0 : 255) }),
      (.indexed, 2, { frame, x, y in [UInt8(Self.noise(x + frame, y) & 3) * 60, 9, 0, 255] }),
      (.rgb, 8, { frame, x, y in Self.color(x + frame, y) + [255] }),
      // The last frame alone is transparent.
      (.rgba, 8, { frame, x, y in Self.color(x, y) + [frame == 2 ? UInt8(x) : 255] }),
    ]
    let size = PixelSize(width: 37, height: 21)
    for (colorType, depth, pixel) in kinds {
      let frames = try (0..<3).map { frame in
        try Bitmap(size: size) { bytes in
          for y in 0..<size.height {
            for x in 0..<size.width {
              for (channel, value) in pixel(frame, x, y).enumerated() {
                bytes[(y * size.width + x) * 4 + channel] = value
              }
            }
          }
          return false
        }
      }
      let source = AnimationSource(frameCount: 3, loopCount: 0) { (index) throws(ImagingError) in
        AnimationSource.Frame(bitmap: frames[index], duration: .milliseconds(50))
      }
      let data = try APNGEncoder().encode(source, options: .apng)
      #expect(data[25] == colorType.rawValue && data[24] <= depth, "\(colorType), \(depth)")
      let animation = try AnimatedImage(data: data)
      for index in 0..<3 { #expect(try animation.frame(at: index).bitmap == frames[index]) }
    }
  }
}
