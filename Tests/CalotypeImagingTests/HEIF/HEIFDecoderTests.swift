#if HEIF
import Calotype
import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Pixels are compared with those of libheif: by hash where all bits agree, by the means of cells otherwise.
@Suite("HEIF: pixels", .enabled(if: HEIFDecoder().refusal(of: .heif) == nil))
struct HEIFDecoderTests {
  private static let coders: CoderRegistry = {
    var coders = CoderRegistry.standard
    coders.register(HEIFDecoder())
    return coders
  }()

  private func decoded(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image
  {
    try Self.coders.decode(data, options: options)
  }

  private func decoded(_ file: ItemFile, _ options: DecodeOptions = DecodeOptions()) throws -> Bitmap {
    try decoded(file.data, options).bitmap
  }

  private func fixture(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try decoded(Fixture.data("heif/\(name)"), options)
  }

  @Test(
    "pictures whose every bit is known",
    arguments: [
      ("RGBA_8__29x100.heif", "76fb7e98d06f6496"), ("RGB_8_chroma444.heif", "c5ea9c43b8937881"),
    ])
  func hashes(name: String, expected: String) throws {
    let image = try fixture(name, DecodeOptions(colors: .asStored))
    #expect(PixelHash.sha256(of: image.bitmap).hasPrefix(expected))
  }

  /// Upright, in four by four cells of red, green and blue.
  @Test(
    "grids, turned, cropped at an odd column, with all of chroma",
    arguments: [
      (
        "gen-grid-thumbnail-irot3.heic", 90, 100,
        "1697a01668b61e60c21f1fe057c36f588a8b5f5fa05f1fbeba6c27ba563db58f5fb4567bdeb61ce09f3eec923feb5a5a"
      ),
      (
        "gen-grid-clap-irot1-imir1.heic", 50, 61,
        "c83522b98d4db37c64ecd627be3427b93d3193737292618467c36d67a07d667d8e6758a01b2abf2648b43f7ca33f58b4"
      ),
      (
        "gen-grid-444.heic", 100, 90,
        "1f1ee15f1dbeb4527dec575d1e5ec25f5ea0b6905eee943f1769b558898bba583ee09e3e1594a157c171ba6926deb61d"
      ),
    ])
  func cells(name: String, width: Int, height: Int, expected: String) throws {
    let image = try fixture(name)
    #expect(image.size == PixelSize(width: width, height: height))
    let grid = ColorGridTests.grid(of: image.bitmap, columns: 4, rows: 4)
    let digits = Array(expected)
    for cell in 0..<16 {
      for channel in 0..<3 {
        let start = 2 * (3 * cell + channel)
        let value = Int(String(digits[start...start + 1]), radix: 16) ?? -99
        #expect(abs(grid[4 * cell + channel] - value) <= 1, "cell \(cell)")
      }
    }
  }

  @Test("10 and 12 bits are rounded once, and kept if they are wanted")
  func depth() throws {
    for (name, depth) in [("L_10__29x100.heif", 10), ("RGB_12__29x100.heif", 12)] {
      let native = try fixture(name, DecodeOptions(pixels: .native))
      let rounded = try fixture(name)
      #expect(native.info?.bitDepth == depth && native.bitmap.format == .rgba16)
      #expect(rounded.bitmap.format == .rgba8)
      let deep = native.bitmap.withUnsafeBytes { Array($0.assumingMemoryBound(to: UInt16.self)) }
      let flat = rounded.bitmap.withUnsafeBytes { Array($0) }
      #expect(zip(deep, flat).allSatisfy { abs(Double($0) / 257 - Double($1)) <= 0.51 })
      #expect(Set(deep.map { $0 & 255 }).count > 8)
    }
  }

  @Test("tiles are where they belong, in any order")
  func tiles() throws {
    let sample = try HEIFSample()
    let single = try (0..<4).map { try decoded(sample.still(data: sample.tiles[$0])) }
    let grid = try decoded(sample.grid([3, 1, 0, 2, 1, 3], columns: 3))
    #expect(grid.size == PixelSize(width: 192, height: 128))
    for (position, index) in [3, 1, 0, 2, 1, 3].enumerated() {
      let (column, row) = (position % 3, position / 3)
      let region = PixelRectangle(x: 64 * column, y: 64 * row, size: PixelSize(width: 64, height: 64))
      #expect(try grid.cropped(to: region) == single[index])
    }
  }

  @Test("thumbnails of tiles are those of the whole picture, nearly")
  func thumbnails() throws {
    let sample = try HEIFSample()
    let data = sample.grid([0, 1, 2, 3], columns: 2).data
    let whole = try decoded(data).bitmap
    for side in [9, 20, 50, 90] {
      let thumbnail = Thumbnail.fit(width: side, height: side)
      let expected = try whole.shrunk(to: thumbnail, sourceSize: whole.size, orientation: .topLeft)
      let streamed = try decoded(data, DecodeOptions(thumbnail: thumbnail)).bitmap
      #expect(streamed.size == expected.size)
      #expect(difference(streamed, expected) < 2.5, "side \(side)")
    }
  }

  private func difference(_ a: Bitmap, _ b: Bitmap) -> Double {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
      }
    }
  }

  // MARK: Embedded thumbnails

  /// A grid, whose thumbnail is a tile that is not a version of it: so that pixels tell which one was used.
  private func withThumbnail(
    _ sample: HEIFSample, _ change: (inout ItemFile) -> Void = { _ in }
  ) -> Data {
    var file = sample.grid([0, 0, 0, 0], columns: 2)
    file.items.append(
      ItemFile.Item(
        id: 6, type: "hvc1", properties: [2, 3], extent: (file.media.count, sample.tiles[3].count)))
    file.media += sample.tiles[3]
    file.references.append(("thmb", 6, [1]))
    change(&file)
    return file.data
  }

  private func usesThumbnail(_ data: Data, _ sample: HEIFSample, side: Int = 64) throws -> Bool {
    let thumbnail = try decoded(sample.still(data: sample.tiles[3]))
    let wanted = Thumbnail.fit(width: side, height: side)
    let made = try decoded(data, DecodeOptions(appliesOrientation: false, thumbnail: wanted)).bitmap
    let expected =
      side == 64
      ? thumbnail : try thumbnail.shrunk(to: wanted, sourceSize: thumbnail.size, orientation: .topLeft)
    return difference(made, expected) < 2
  }

  @Test("an embedded thumbnail is used if it suffices")
  func embedded() throws {
    let sample = try HEIFSample()
    #expect(try usesThumbnail(withThumbnail(sample), sample))
    #expect(try usesThumbnail(withThumbnail(sample), sample, side: 40))
    // It is too small, or has another orientation, shape or depth, or is not sound, or the picture has alpha.
    let large = try decoded(
      withThumbnail(sample), DecodeOptions(thumbnail: .fit(width: 65, height: 65)))
    #expect(
      difference(
        large.bitmap,
        try decoded(
          sample.grid([0, 0, 0, 0], columns: 2), DecodeOptions(thumbnail: .fit(width: 65, height: 65)))) == 0)
    #expect(
      try !usesThumbnail(
        withThumbnail(sample) {
          $0.properties.append(BoxBuilder.box("irot", [1]))
          $0.items[0].properties.append(4)
        }, sample))
    #expect(
      try usesThumbnail(
        withThumbnail(sample) {
          $0.properties.append(BoxBuilder.box("irot", [1]))
          $0.items[0].properties.append(4)
          $0.items[5].properties.append(4)
        }, sample))
    #expect(
      try !usesThumbnail(
        withThumbnail(sample) {
          $0.properties.append(BoxBuilder.size(64, 62))
          $0.items[5].properties = [4, 3]
        }, sample, side: 40))
    #expect(
      try !usesThumbnail(
        withThumbnail(sample) {
          $0.media.replaceSubrange($0.items[5].extent!.offset..<$0.media.count, with: [0, 0, 0, 9])
          $0.items[5].extent!.length = 4
        }, sample))
    #expect(try !usesThumbnail(withThumbnail(sample) { $0.items[5].type = "jpeg" }, sample))
    #expect(
      try !usesThumbnail(
        withThumbnail(sample) { file in
          file.properties.append(
            BoxBuilder.full("auxC", Array("urn:mpeg:hevc:2015:auxid:1".utf8), [0]))
          var alpha = file.items[0]
          (alpha.id, alpha.properties) = (7, [1, 4])
          file.items.append(alpha)
          file.references += [("auxl", 7, [1]), ("dimg", 7, [2, 3, 4, 5])]
        }, sample))
    // In linear light the whole picture is needed.
    let linear = Thumbnail(box: PixelSize(width: 64, height: 64), mode: .fit, linearLight: true)
    let made = try decoded(withThumbnail(sample), DecodeOptions(thumbnail: linear)).bitmap
    #expect(difference(made, try decoded(sample.still(data: sample.tiles[3]))) > 5)
  }

  // MARK: Alpha

  @Test("luma of another picture is alpha, whatever range it states")
  func alpha() throws {
    let sample = try HEIFSample()
    var file = sample.still()
    file.properties.append(BoxBuilder.full("auxC", Array("urn:mpeg:hevc:2015:auxid:1".utf8), [0]))
    file.items.append(
      ItemFile.Item(
        id: 2, type: "hvc1", properties: [1, 2, 3], extent: (file.media.count, sample.tiles[3].count)))
    file.media += sample.tiles[3]
    file.references = [("auxl", 2, [1])]
    let image = try decoded(file.data)
    #expect(image.info?.hasAlpha == true && !image.bitmap.isOpaque)
    let plain = try decoded(sample.still())
    let same = image.bitmap.withUnsafeBytes { a in
      plain.withUnsafeBytes { b in a.indices.allSatisfy { $0 % 4 == 3 || a[$0] == b[$0] } }
    }
    #expect(same)
    file.references.append(("prem", 1, [2]))
    let divided = try decoded(file.data).bitmap
    let grows = image.bitmap.withUnsafeBytes { a in
      divided.withUnsafeBytes { b in a.indices.allSatisfy { $0 % 4 == 3 || b[$0] >= a[$0] } }
    }
    #expect(grows && divided != image.bitmap)
  }

  @Test("colours of the file come before those of the coded data")
  func colors() throws {
    let sample = try HEIFSample()
    func nclx(_ primaries: UInt8, _ transfer: UInt8, _ matrix: UInt8, _ range: UInt8) -> [UInt8] {
      BoxBuilder.box("colr", Array("nclx".utf8), [0, primaries, 0, transfer, 0, matrix, range])
    }
    let full = try decoded(sample.still((64, 64), [nclx(1, 13, 6, 0x80)]))
    let limited = try decoded(sample.still((64, 64), [nclx(1, 13, 6, 0)]))
    #expect(full != limited)
    let bt709 = try decoded(sample.still((64, 64), [nclx(1, 13, 1, 0x80)]))
    #expect(difference(full, bt709) > 0.5)
    // YCgCo is not known, and RGB is not in planes of half the size.
    for matrix in [8, 0] as [UInt8] {
      #expect(throws: ImagingError.self) { try decoded(sample.still((64, 64), [nclx(1, 13, matrix, 0x80)])) }
    }
    let wide = try decoded(
      sample.still((64, 64), [nclx(12, 13, 6, 0x80)]).data, DecodeOptions(colors: .asStored))
    guard case .cicp(let points)? = wide.profile else {
      Issue.record("no code points")
      return
    }
    #expect(points.primaries == 12)
  }

  @Test("the library is not among the coders of a program, but among those of its sandbox")
  func registries() {
    #expect(!CoderRegistry.standard.decodableFormats.contains(.heif))
    #expect(CoderRegistry.sandboxed.decodableFormats.contains(.heif))
    #expect(Self.coders.decodableFormats.contains(.heif))
  }

  @Test("metadata")
  func metadata() throws {
    let data = try Fixture.data("described/gen-irot3-imir0-exif6.heif")
    let image = try decoded(data, DecodeOptions(readsMetadata: true))
    #expect(image.metadata.exif != nil && image.info?.orientation == .rightBottom)
  }
}
#endif
