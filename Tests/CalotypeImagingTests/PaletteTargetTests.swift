import FoundationEssentials
import Synchronization
import Testing

@testable import CalotypeImaging

/// Palettes of a measured quality.
@Suite("Palettes by a target")
struct PaletteTargetTests {
  static func options(_ score: Double, most: Int = 256) -> EncodeOptions {
    var options = EncodeOptions.png
    options.usesPalette = true
    options.paletteSize = most
    options.qualityTarget = .target(.ssimulacra2(score))
    return options
  }

  /// Returns the palettes that are tried for a picture whose values are given.
  static func tried(
    goal: Double, detail: Double, most: Int = 256, mayDither: Bool = true,
    _ value: (PaletteSearch.Setting) -> Double
  ) -> [PaletteSearch.Setting] {
    var search = PaletteSearch(
      .ssimulacra2(goal), detail: detail, most: most, mayDither: mayDither, goal: goal, tolerance: 1)
    var tried: [PaletteSearch.Setting] = []
    for _ in 0..<3 {
      guard let setting = search.next() else { break }
      tried.append(setting)
      search.add(value(setting), with: setting)
    }
    return tried
  }

  @Test("colours without spread errors, as long as they suffice")
  func plain() {
    let value = { (setting: PaletteSearch.Setting) in
      100 - 400 / Double(setting.colors) + (setting.dithers ? 3 : 0)
    }
    let tried = Self.tried(goal: 75, detail: 5, value)
    #expect(tried.allSatisfy { !$0.dithers })
    #expect(tried.contains { abs(value($0) - 75) < 2 }, "\(tried)")
  }

  @Test("spread errors where the most colours do not suffice, unless they are not wanted")
  func dithered() {
    let value = { (setting: PaletteSearch.Setting) in
      (setting.dithers ? 85 : 60) - 500 / Double(setting.colors)
    }
    let tried = Self.tried(goal: 78, detail: 9, value)
    #expect(tried.last?.dithers == true && tried.contains { value($0) >= 77 }, "\(tried)")
    let without = Self.tried(goal: 78, detail: 9, mayDither: false, value)
    #expect(without.allSatisfy { !$0.dithers } && without.contains { $0.colors == 256 }, "\(without)")
  }

  @Test("no more colours than the options allow")
  func most() {
    let tried = Self.tried(goal: 90, detail: 8, most: 16) { Double($0.colors) }
    #expect(tried.allSatisfy { 2...16 ~= $0.colors } && tried.contains { $0.colors == 16 }, "\(tried)")
  }

  @Test("frequent colours are counted")
  func detail() throws {
    let four = try ResamplePictures.make(64, 64) { x, y in
      [UInt8(x / 32 * 200), UInt8(y / 32 * 200), 0, 255]
    }
    #expect(four.colorDetail() == 2)
    let clear = try ResamplePictures.make(8, 8) { _, _ in [1, 2, 3, 0] }
    #expect(clear.colorDetail() == 0)
  }

  @Test("a score is met by as few colours as needed, within three encodes", arguments: [60.0, 70, 78])
  func scores(wanted: Double) throws {
    let picture = try PhotoFixture.picture("dogs.webp", side: 320)
    let encoder = QualityTargetTests.Counting(PNGEncoder())
    let coders = QualityTargetTests.registry(encoder)
    let data = try coders.encode(Image(bitmap: picture), as: Self.options(wanted))
    let score = try ImageQuality(original: picture).ssimulacra2(of: coders.decode(data).bitmap)
    #expect(score >= wanted - 1 && score < wanted + 6, "\(score)")
    #expect(encoder.qualities.withLock(\.count) <= 3)
    var all = Self.options(wanted)
    all.qualityTarget = nil
    #expect(data.count < (try coders.encode(Image(bitmap: picture), as: all).count))
  }

  @Test("tiny pictures, transparent ones, and palettes that are not of 2 to 256 colours")
  func others() throws {
    let tiny = Image(bitmap: try ImageQualityTests.ramp(9, 9))
    #expect(try CoderRegistry.standard.encode(tiny, as: Self.options(70)).count > 60)
    let clear = try PhotoFixture.picture("brushes.png", side: 200)
    let data = try CoderRegistry.standard.encode(Image(bitmap: clear), as: Self.options(60))
    let score = try ImageQuality(original: clear).ssimulacra2(of: CoderRegistry.standard.decode(data).bitmap)
    #expect(score > 40, "\(score)")
    for most in [1, 257] {
      let error = #expect(throws: ImagingError.self) {
        try CoderRegistry.standard.encode(tiny, as: Self.options(70, most: most))
      }
      #expect(error?.code == "invalidParameter")
    }
  }

  @Test("colours that were counted before make the same file", arguments: [16, 256])
  func countedColors(most: Int) throws {
    // Of more colours than cuts and means look at one by one.
    let bitmap = try PNGBandFilterTests.mixed(width: 320, height: 240)
    let image = Image(bitmap: bitmap)
    var options = EncodeOptions.png
    (options.usesPalette, options.paletteSize) = (true, most)
    let colors = ColorHistogram()
    try colors.add(bitmap)
    let counted = try PNGEncoder.encode(image, options: options, colors: colors)
    #expect(try counted == PNGEncoder.encode(image, options: options))
    // Looking at the colours does not use them up.
    #expect(try counted == PNGEncoder.encode(image, options: options, colors: colors))
  }

  @Test("means of merged colours are as near as those of all colours")
  func mergedColors() throws {
    // Fewer colours than the histogram can count, so that four each are merged for cuts and means alone.
    let bitmap = try ResamplePictures.make(250, 250) { x, y in [UInt8(x), UInt8(y), 128, 255] }
    var options = EncodeOptions.png
    (options.usesPalette, options.dithers) = (true, false)
    let decoded = try PNGDecoder().decode(
      PNGEncoder().encode(Image(bitmap: bitmap), options: options), minimumSize: nil, options: DecodeOptions()
    )
    var worst = 0
    decoded.bitmap.withUnsafeBytes { ours in
      bitmap.withUnsafeBytes { theirs in
        for (a, b) in zip(ours, theirs) { worst = max(worst, abs(Int(a) - Int(b))) }
      }
    }
    // 256 equal squares of the plane have sides of 16 levels.
    #expect(worst <= 16, "\(worst)")
  }
}
