#if AVIF
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeImaging

/// Pixels are compared with the hashes of another program, with libavif 1.4.
@Suite("AVIF: pixels", .enabled(if: CoderRegistry.standard.decodableFormats.contains(.avif)))
struct AVIFDecoderTests {
  private let decoder = AVIFDecoder()

  private func decoded(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image
  {
    try CoderRegistry.standard.decode(data, options: options)
  }

  private func hash(_ bitmap: Bitmap) -> String {
    String(bitmap.withUnsafeBytes { Hex.encode(MessageDigest.sha256($0)) }.prefix(16))
  }

  @Test(
    "pictures",
    arguments: [
      ("arc_triomphe_extent1000_nullbyte_extent1310", "9182d42a82b24a37"),
      // A grid with an alpha picture for each of its tiles.
      ("color_grid_alpha_nogrid", "4ede0d909351b9b0"), ("draw_points_idat_progressive", "8f54d80b9388bf08"),
      ("gen-ramp", "1ebf7a3e2329fd35"), ("white_1x1", "340dab2cf54d9052"),
    ])
  func pictures(name: String, expected: String) throws {
    // The other program leaves colours as they are stored.
    let image = try decoded(try Fixture.data("avif/\(name).avif"), DecodeOptions(colors: .asStored))
    #expect(hash(image.bitmap) == expected)
  }

  @Test("frames, in any order, with durations")
  func frames() throws {
    let expected = [
      "cef05e2501d6fe21", "47773eaf665c1ad8", "e90c27ddd2ed208f", "66a13a9117c897c7", "0504a348cc9abd02",
    ]
    // Of 12 bits: the first two are exactly those of imagecodecs, the others within a level of the rounding.
    let data = try Fixture.data("avif/colors-animated-12bpc-keyframes-0-2-3.avif")
    let frames = try #require(try decoder.makeFrameDecoder(data, options: DecodeOptions()))
    #expect(frames.info.durations == Array(repeating: .seconds(1), count: 5))
    for index in [0, 1, 2, 3, 4, 1, 4, 4, 2, 0, 3] {
      #expect(hash(try frames.frame(at: index)) == expected[index], "frame \(index)")
    }
    #expect((0..<5).map { frames.isKeyFrame($0) } == [true, false, true, true, false])
    #expect(throws: ImagingError.self) { try frames.frame(at: 5) }
    #expect(throws: ImagingError.self) { try frames.frame(at: -1) }
  }

  @Test("a track of depths is no alpha")
  func depths() throws {
    let image = try decoded(try Fixture.data("avif/colors-animated-8bpc-depth-exif-xmp.avif"))
    #expect(image.bitmap.isOpaque && image.info?.hasAlpha == false)
  }

  @Test("a picture of another size than the file says is damage")
  func lyingSize() throws {
    let data = try Fixture.data("avif/size-too-large-by-little.avif")
    #expect(
      throws: ImagingError.corrupt(
        .avif, reason: "the AV1 picture is not of 128×96 pixels, as the file says", offset: nil)
    ) { try decoded(data) }
  }

  @Test(
    "the data of one picture cannot hold any number of frames; any number of pictures can follow each other")
  func repeatedFrames() throws {
    let source = try WebPEncoderTests.gradient(width: 64, height: 64)
    let file = try AVIFEncoder().encode(Image(bitmap: source), options: .avif(quality: 50))
    let data = file.suffix(from: try #require(file.firstRange(of: Data("mdat".utf8))?.upperBound))
    let size = PixelSize(width: 64, height: 64)
    func decode(_ unit: Data, count: Int) throws {
      let decoder = try AV1Decoder(size: size, limits: .default)
      for _ in 0..<count {
        let shown = try unit.withUnsafeBytes { unit throws(ImagingError) in try decoder.picture(of: unit) }
        #expect(shown.size == size)
      }
    }
    try decode(data, count: 100)
    let layers = [Data](repeating: data, count: 4).reduce(Data(), +)
    try decode(layers, count: 1)
    let many = [Data](repeating: data, count: 1000).reduce(Data(), +)
    let error = #expect(throws: ImagingError.self) { try decode(many, count: 1) }
    #expect(error?.description.contains("more frames than one picture needs") == true)
  }

  @Test("thumbnails are those of the whole picture, nearly")
  func thumbnails() throws {
    let source = try WebPEncoderTests.gradient(width: 401, height: 299)
    let smooth = try source.shrunk(
      to: .fit(width: 101, height: 75), sourceSize: source.size, orientation: .topLeft
    )
    .resampled(to: source.size)
    let data = try AVIFEncoder().encode(Image(bitmap: smooth), options: .avif(quality: 95))
    let whole = try decoded(data).bitmap
    for side in [20, 50, 90, 150] {
      let thumbnail = Thumbnail.fit(width: side, height: side)
      let expected = try whole.shrunk(to: thumbnail, sourceSize: whole.size, orientation: .topLeft)
      let streamed = try decoded(data, DecodeOptions(thumbnail: thumbnail)).bitmap
      #expect(streamed.size == expected.size)
      #expect(difference(streamed, expected) < 2.5, "side \(side)")
    }
    #expect(decoder.scaleDivisor(for: whole.size, minimumSize: PixelSize(width: 52, height: 38)) == 4)
    #expect(decoder.scaleDivisor(for: whole.size, minimumSize: PixelSize(width: 51, height: 38)) == 8)
    #expect(decoder.scaleDivisor(for: whole.size, minimumSize: nil) == 1)
  }

  @Test("thumbnails of transparent pictures have no colours of hidden pixels")
  func hiddenColors() throws {
    // Red under transparency on the left, opaque blue on the right.
    let source = try Bitmap(size: PixelSize(width: 64, height: 64)) { bytes in
      for pixel in 0..<64 * 64 {
        let isHidden = pixel % 64 < 32
        bytes.storeBytes(of: isHidden ? 0x0000_00FF : 0xFFFF_0000, toByteOffset: 4 * pixel, as: UInt32.self)
      }
      return false
    }
    let data = try AVIFEncoder().encode(Image(bitmap: source), options: .avifLossless)
    let small = try decoded(data, DecodeOptions(thumbnail: .fit(width: 5, height: 5))).bitmap
    small.withUnsafeBytes { bytes in
      for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 40 {
        #expect(bytes[pixel] < 20, "\(Array(bytes[pixel..<pixel + 4]))")
      }
    }
  }

  private func difference(_ a: Bitmap, _ b: Bitmap) -> Double {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
      }
    }
  }

  @Test("rows in bands are those of the whole", arguments: EncodeOptions.Subsampling.allCases, [8, 10])
  func bands(subsampling: EncodeOptions.Subsampling, depth: Int) throws {
    let source = try WebPEncoderTests.gradient(width: 65, height: 41)
    var options = EncodeOptions.avif(quality: 90)
    options.subsampling = subsampling
    options.extras = ["depth": "\(depth)"]
    let data = try AVIFEncoder().encode(Image(bitmap: source), options: options)
    try data.bytes.withUnsafeBytes { bytes in
      let file = try AVIFFile(bytes, limits: .default)
      let watch = DecodeLimits.DeadlineChecker(.default)
      let reader = AVIFPictureReader(file: file.media, bytes: bytes, limits: .default, watch: watch)
      for pixels: DecodeOptions.Pixels in [.rgba8, .native] {
        let made = try reader.pixels(divisor: 1, options: DecodeOptions(pixels: pixels))
        let whole = try made.bitmap(watch)
        let stride = whole.bytesPerRow
        for band in [1, 2, 3, 7, 16] {
          var rows = [UInt8](repeating: 0, count: whole.byteCount)
          try rows.withUnsafeMutableBytes { target in
            for row in Swift.stride(from: 0, to: 41, by: band) {
              try made.convert(
                rows: row..<min(41, row + band), to: target.baseAddress! + row * stride)
            }
          }
          #expect(whole.withUnsafeBytes { $0.elementsEqual(rows) }, "\(band) rows, \(pixels)")
        }
      }
    }
  }

  @Test("the layers of a picture are its previews")
  func layers() throws {
    let data = try Fixture.data("avif/draw_points_idat_progressive.avif")
    let whole = try decoded(data)
    // The first layers end 46 bytes before the others; the file keeps its data inside the header.
    let parts = try moved(data)
    let (head, rest) = try #require(parts)
    let incremental = CoderRegistry.standard.makeIncrementalDecoder()
    try incremental.append(head)
    #expect(incremental.info?.size == whole.size)
    #expect(try incremental.snapshot() == nil)
    var previews: [Image] = []
    for byte in rest {
      try incremental.append(Data([byte]))
      if let preview = try incremental.snapshot() { previews.append(preview) }
    }
    #expect(previews.count == 1)
    let preview = try #require(previews.first)
    #expect(preview.isPartial && preview.size == whole.size)
    #expect(difference(preview.bitmap, whole.bitmap) < 20)
    #expect(try incremental.finish().bitmap == whole.bitmap)
  }

  /// Returns the file with its `idat` as `mdat` behind the header.
  private func moved(_ file: Data) throws -> (head: Data, rest: Data)? {
    let bytes = [UInt8](file)
    guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: Array("idat".utf8)) }),
      let table = bytes.indices.first(where: { bytes[$0...].starts(with: Array("iloc".utf8)) }),
      let meta = bytes.indices.first(where: { bytes[$0...].starts(with: Array("meta".utf8)) })
    else { return nil }
    let content = Array(bytes[(place + 4)...])
    var head = Array(bytes[..<(place - 4)])
    let mediaStart = head.count + 8
    head.replaceSubrange(meta - 4..<meta, with: BoxBuilder.number(head.count - meta + 4, 4))
    // Two items of two extents each, of 4 + 4 bytes, in `idat` so far: method 1 becomes 0, the file.
    var position = table + 4 + 4 + 2 + 2
    for _ in 0..<2 {
      head[position + 3] = 0
      position += 2 + 2 + 2 + 2
      for _ in 0..<2 {
        let offset = head[position..<position + 4].reduce(0) { $0 << 8 | Int($1) } + mediaStart
        head.replaceSubrange(position..<position + 4, with: BoxBuilder.number(offset, 4))
        position += 8
      }
    }
    return (Data(head), Data(BoxBuilder.box("mdat", content)))
  }

  @Test("frames arrive one by one")
  func arriving() throws {
    let data = try SampleImages.animation(.avif(quality: 60), frames: 4, width: 32, height: 24)
    let incremental = CoderRegistry.standard.makeIncrementalDecoder()
    var counts: [Int] = []
    for byte in data {
      try incremental.append(Data([byte]))
      if counts.last != incremental.completeFrameCount { counts.append(incremental.completeFrameCount) }
    }
    #expect(counts == [0, 1, 2, 3, 4])
    _ = try incremental.finish()
    #expect(incremental.info?.frameCount == 4)
  }

  @Test("samples of more than 8 bits")
  func depth() throws {
    let source = try WebPEncoderTests.gradient(width: 40, height: 30)
    for depth in [10, 12] {
      var options = EncodeOptions.avif(quality: 100)
      options.extras = ["depth": "\(depth)"]
      options.subsampling = .yuv444
      let data = try AVIFEncoder().encode(Image(bitmap: source), options: options)
      let native = try decoded(data, DecodeOptions(pixels: .native))
      #expect(native.info?.bitDepth == depth && native.bitmap.format == .rgba16)
      let rounded = try decoded(data)
      #expect(rounded.bitmap.format == .rgba8)
      #expect(difference(rounded.bitmap, source) < 1.5)
      #expect(try native.bitmap.converted(to: .rgba8) == rounded.bitmap)
    }
  }

  @Test("grey is gray8, natively")
  func gray() throws {
    let source = try WebPEncoderTests.gradient(width: 33, height: 17).converted(to: .gray8)
    let data = try AVIFEncoder().encode(Image(bitmap: source), options: .avifLossless)
    let native = try decoded(data, DecodeOptions(pixels: .native)).bitmap
    #expect(native == source)
    #expect(try decoded(data).bitmap == source.converted(to: .rgba8))
  }

  @Test("a header alone, and a limit of memory, cost no pixels")
  func limits() throws {
    let big = ItemFile.still(30_000, 30_000).data
    #expect(throws: ImagingError.self) { try decoded(big) }
    var limits = DecodeLimits()
    limits.maxPixels = 100
    let data = try SampleImages.still(.avif(), width: 32, height: 32)
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 1024, limit: 100)) {
      try decoded(data, DecodeOptions(limits: limits))
    }
  }

  @Test("a missing library is named with its package")
  func missing() {
    let library = OptionalLibrary(
      format: .avif, package: "libavif15", open: { missingReason }, isInstalled: { false })
    #expect(throws: ImagingError.self) { try library.require() }
    #expect(
      "\(library.refusal.map(String.init(describing:)) ?? "")".contains(
        "install the Debian package libavif15"))
  }
}

/// Lives as long as the process.
private nonisolated(unsafe) let missingReason = UnsafePointer<CChar>(strdup("no such file"))

#endif
