@testable import CalotypeImaging
import FoundationEssentials
import Testing

/// PNG in seven passes, and with few colours.
@Suite struct PNGInterlaceTests {
  private static var interlaced: EncodeOptions {
    var options = EncodeOptions.png
    options.isInterlaced = true
    return options
  }

  private static func isInterlaced(_ data: Data) -> Bool { data[data.startIndex + 28] == 1 }

  @Test(arguments: [true, false], [(1, 1), (2, 1), (1, 2), (3, 5), (8, 8), (9, 17), (61, 43)])
  func pixelsSurvive(_ opaque: Bool, _ size: (Int, Int)) throws {
    let bitmap = try ResamplePictures.noise(size.0, size.1, opaque: opaque, seed: 5)
    for format in [PixelFormat.rgba8, .rgba16, .gray8] where format != .gray8 || opaque {
      let source = try bitmap.converted(to: format)
      let data = try CoderRegistry.standard.encode(Image(bitmap: source), as: Self.interlaced)
      #expect(Self.isInterlaced(data))
      let back = try CoderRegistry.standard.decode(data, options: DecodeOptions(pixels: .native)).bitmap
      #expect(ResamplePictures.bytes(try back.converted(to: format)) == ResamplePictures.bytes(source))
    }
  }

  @Test(arguments: [2, 3, 4, 5, 16, 17, 200, 256], [(1, 1), (5, 3), (64, 48)])
  func palettesHaveSoManyColours(_ colors: Int, _ size: (Int, Int)) throws {
    let bitmap = try ResamplePictures.noise(size.0, size.1, seed: 6)
    var options = EncodeOptions.png
    options.usesPalette = true
    options.paletteSize = colors
    let plain = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: options)
    options.isInterlaced = true
    let passes = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: options)
    #expect(!Self.isInterlaced(plain) && Self.isInterlaced(passes))
    let pixels = try CoderRegistry.standard.decode(plain).bitmap
    #expect(try CoderRegistry.standard.decode(passes).bitmap == pixels)
    let bytes = ResamplePictures.bytes(pixels)
    let used = Set(stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<($0 + 4)]) })
    #expect(used.count <= colors)
    // Noise has a colour for each entry.
    if size.0 > 60 { #expect(used.count >= colors * 3 / 4) }
  }

  @Test(arguments: [-1, 0, 1, 257, Int.max]) func otherNumbersAreRefused(_ colors: Int) throws {
    var options = EncodeOptions.png
    options.usesPalette = true
    options.paletteSize = colors
    let image = Image(bitmap: try ResamplePictures.noise(3, 3))
    #expect(throws: ImagingError.invalidParameter(name: "paletteSize", reason: "\(colors) is not 2 to 256")) {
      try CoderRegistry.standard.encode(image, as: options)
    }
  }

  /// The first pass is an eighth of the picture in each direction.
  @Test func passesComeInOrder() throws {
    let bitmap = try ResamplePictures.make(16, 16) { x, y in
      x % 8 == 0 && y % 8 == 0 ? [9, 8, 7, 255] : [0, 0, 0, 255]
    }
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: Self.interlaced)
    let file = try CoderRegistry.standard.decode(data).bitmap
    #expect(file == bitmap)
    let passes = PNGPass.all(
      of: PNGHeader(size: bitmap.size, bitDepth: 8, colorType: .rgb, isInterlaced: true))
    #expect(passes.map(\.size.pixelCount) == [4, 4, 8, 16, 32, 64, 128])
  }

  @Test func stopsWhenCancelled() async throws {
    let image = Image(bitmap: try ResamplePictures.noise(40, 40))
    let task = Task { () throws -> Data in
      withUnsafeCurrentTask { $0?.cancel() }
      return try PNGEncoder().encode(image, options: Self.interlaced)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
