import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// JPEG that is written can be read back and looks like what it was made from.
@Suite("JPEG encoder")
struct JPEGEncoderTests {
  static func gradient(_ width: Int, _ height: Int, alpha: UInt32 = 255) throws -> Bitmap {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: width, height: height)) { x, y in
      UInt32(x * 255 / max(1, width - 1)) | UInt32(y * 255 / max(1, height - 1)) << 8 | 100 << 16 | alpha
        << 24
    }
    return try bitmap.markedOpaque(alpha == 255)
  }

  static func largestDifference(_ a: Bitmap, _ b: Bitmap) -> Int {
    a.withUnsafeBytes { x in b.withUnsafeBytes { y in zip(x, y).map { abs(Int($0) - Int($1)) }.max() ?? 0 } }
  }

  @Test("there and back", arguments: [(1, 1), (7, 5), (64, 48), (33, 100)])
  func thereAndBack(_ width: Int, _ height: Int) throws {
    let bitmap = try Self.gradient(width, height)
    let bytes = try JPEGEncoder().encode(Image(bitmap: bitmap), options: .jpeg(quality: 95))
    let image = try JPEGDecoder().decode(bytes, minimumSize: nil, options: DecodeOptions())
    #expect(image.bitmap.size == bitmap.size)
    #expect(image.bitmap.isOpaque)
    // Smooth, but with chroma at half the resolution: tiny pictures have steep gradients.
    #expect(Self.largestDifference(image.bitmap, bitmap) <= (width < 16 ? 90 : 12))
  }

  @Test("half the chroma resolution, baseline, Huffman")
  func structure() throws {
    let bytes = try JPEGEncoder().encode(Image(bitmap: try Self.gradient(32, 32)), options: .jpeg())
    let header = try JPEGHeader(bytes)
    #expect(header.process == 0xC0)
    #expect(header.components.map { [$0.horizontal, $0.vertical] } == [[2, 2], [1, 1], [1, 1]])
  }

  @Test(
    "chroma at the resolution asked for",
    arguments: [(EncodeOptions.Subsampling.yuv420, [2, 2]), (.yuv422, [2, 1]), (.yuv444, [1, 1])])
  func subsampling(_ subsampling: EncodeOptions.Subsampling, _ luma: [Int]) throws {
    var options = EncodeOptions.jpeg(quality: 95)
    options.subsampling = subsampling
    let bitmap = try Self.gradient(7, 5)
    let bytes = try JPEGEncoder().encode(Image(bitmap: bitmap), options: options)
    let components = try JPEGHeader(bytes).components.map { [$0.horizontal, $0.vertical] }
    #expect(components == [luma, [1, 1], [1, 1]])
    guard subsampling == .yuv444 else { return }
    let image = try JPEGDecoder().decode(bytes, minimumSize: nil, options: DecodeOptions())
    #expect(Self.largestDifference(image.bitmap, bitmap) <= 12)
  }

  /// What the tables are made from: few symbols and many, long codes, bytes that need a zero behind them.
  enum Pattern: CaseIterable {
    case flat, gradient, noise, rareEdges
  }

  @Test(
    "tables of its own change no pixel and save bytes", arguments: Pattern.allCases,
    EncodeOptions.Subsampling.allCases)
  func tables(_ pattern: Pattern, _ subsampling: EncodeOptions.Subsampling) throws {
    for (width, height) in [(1, 1), (8, 8), (17, 9), (131, 70), (320, 213)] {
      for quality in [1, 50, 80, 100] {
        var state: UInt32 = 1
        let bitmap = try OrientationTests.bitmap(PixelSize(width: width, height: height)) { x, y in
          state = state &* 1_664_525 &+ 1_013_904_223
          let color: UInt32 =
            switch pattern {
            case .flat: 0x80_40_20
            case .gradient: UInt32(x * 255 / width) | UInt32(y * 255 / height) << 8
            case .noise: state >> 8
            case .rareEdges: state >> 24 == 0 ? 0xFF_FF_FF : UInt32(y & 255) << 8
            }
          return color | 0xFF << 24
        }
        let gray = try Bitmap(size: bitmap.size, format: .gray8) { target in
          bitmap.withUnsafeBytes { pixels in
            for index in target.indices { target[index] = pixels[index * 4] }
          }
          return true
        }
        for picture in [bitmap, gray] {
          let image = Image(bitmap: picture)
          var options = EncodeOptions.jpeg(quality: quality)
          options.subsampling = subsampling
          let own = try JPEGEncoder().encode(image, options: options)
          options.effort = .fast
          let fixed = try JPEGEncoder().encode(image, options: options)
          #expect(own.count < fixed.count)
          let read = try [own, fixed].map {
            try JPEGDecoder().decode($0, minimumSize: nil, options: DecodeOptions()).bitmap
          }
          #expect(read[0] == read[1])
        }
      }
    }
  }

  @Test("more effort, fewer bytes; but for the smallest files, the same pixels")
  func effort() throws {
    let image = Image(
      bitmap: try OrientationTests.bitmap(PixelSize(width: 200, height: 200)) { x, y in
        UInt32(truncatingIfNeeded: (x * x ^ y * y) & 255) * 0x10101 | 255 << 24
      })
    var pictures: [Bitmap] = []
    var sizes: [Int] = []
    for effort in EncodeOptions.Effort.allCases {
      var options = EncodeOptions.jpeg()
      options.effort = effort
      let bytes = try JPEGEncoder().encode(image, options: options)
      #expect(try JPEGHeader(bytes).process == (effort == .small ? 0xC2 : 0xC0))
      sizes.append(bytes.count)
      pictures.append(try JPEGDecoder().decode(bytes, minimumSize: nil, options: DecodeOptions()).bitmap)
    }
    #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    #expect(pictures[0] == pictures[1])
    var options = EncodeOptions.jpeg()
    options.isProgressive = true
    #expect(try JPEGHeader(try JPEGEncoder().encode(image, options: options)).process == 0xC2)
  }

  @Test("a grey bitmap has one component")
  func gray() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 20, height: 10), format: .gray8) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(index % 20 * 12) }
      return true
    }
    let bytes = try JPEGEncoder().encode(Image(bitmap: bitmap), options: .jpeg(quality: 95))
    #expect(try JPEGHeader(bytes).components.count == 1)
    var options = DecodeOptions()
    options.pixels = .native
    let image = try JPEGDecoder().decode(bytes, minimumSize: nil, options: options)
    #expect(image.bitmap.format == .gray8 && Self.largestDifference(image.bitmap, bitmap) <= 6)
  }

  @Test("16-bit samples are rounded to 8", arguments: [true, false])
  func deep(isOpaque: Bool) throws {
    let size = PixelSize(width: 16, height: 16)
    let deep = try Bitmap(size: size, format: .rgba16) { pixels in
      for (index, offset) in stride(from: 0, to: pixels.count, by: 2).enumerated() {
        let value = index % 4 == 3 ? (isOpaque ? 65535 : 32768) : index / 4 * 256 + 100
        pixels.storeBytes(of: UInt16(value), toByteOffset: offset, as: UInt16.self)
      }
      return isOpaque
    }
    let shallow = try OrientationTests.bitmap(size) { x, y in
      let value = (Double((x + 16 * y) * 256 + 100) / 257).rounded()
      return UInt32(isOpaque ? value : (value + 255) / 2) * 0x10101 | 255 << 24
    }
    let image = try JPEGDecoder().decode(
      try JPEGEncoder().encode(Image(bitmap: deep), options: .jpeg(quality: 100)), minimumSize: nil,
      options: DecodeOptions())
    #expect(Self.largestDifference(image.bitmap, shallow) <= 3)
  }

  @Test("inks are refused")
  func inks() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .cmyk8) { pixels in
      for index in pixels.indices { pixels[index] = 0 }
      return true
    }
    #expect(throws: ImagingError.self) { try JPEGEncoder().encode(Image(bitmap: bitmap), options: .jpeg()) }
  }

  @Test("transparent pixels are laid on the background")
  func background() throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 16, height: 16)) { _, _ in 0x0012_3456 }
    var options = EncodeOptions.jpeg(quality: 100)
    options.background = PixelColor(red: 200, green: 30, blue: 60)
    let bytes = try JPEGEncoder().encode(Image(bitmap: try bitmap.markedOpaque(false)), options: options)
    let image = try JPEGDecoder().decode(bytes, minimumSize: nil, options: DecodeOptions())
    image.bitmap.withUnsafeBytes { pixels in
      for (index, value) in [200, 30, 60].enumerated() { #expect(abs(Int(pixels[index]) - value) <= 2) }
    }
  }

  @Test("quality decides the size, and has bounds")
  func quality() throws {
    let image = Image(bitmap: try Self.gradient(64, 64))
    let sizes = try [0, 50, 100].map { try JPEGEncoder().encode(image, options: .jpeg(quality: $0)).count }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[2])
    for quality in [-1, 101] {
      #expect(throws: ImagingError.self) { try JPEGEncoder().encode(image, options: .jpeg(quality: quality)) }
    }
    #expect(throws: ImagingError.self) {
      try JPEGEncoder().encode(image, options: EncodeOptions(format: .jpeg, isLossless: true))
    }
  }

  @Test("transparent pixels are laid on white", arguments: [0, 128] as [UInt32])
  func transparency(alpha: UInt32) throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 16, height: 16)) { _, _ in alpha << 24 }
    let bytes = try JPEGEncoder().encode(
      Image(bitmap: try bitmap.markedOpaque(false)), options: .jpeg(quality: 100))
    let image = try JPEGDecoder().decode(bytes, minimumSize: nil, options: DecodeOptions())
    let grey = Int(255 - alpha)
    image.bitmap.withUnsafeBytes { pixels in
      for index in 0..<3 { #expect(abs(Int(pixels[index]) - grey) <= 1) }
      #expect(pixels[3] == 255)
    }
  }

  @Test("a side that JPEG cannot hold is refused")
  func tooLong() throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 65_501, height: 1)) { _, _ in .max }
    #expect(throws: ImagingError.self) { try JPEGEncoder().encode(Image(bitmap: bitmap), options: .jpeg()) }
  }

  @Test("a cancelled task stops it")
  func cancellation() async throws {
    let image = Image(bitmap: try Self.gradient(256, 256))
    let task = Task { () throws -> Data in
      withUnsafeCurrentTask { $0?.cancel() }
      return try JPEGEncoder().encode(image, options: .jpeg())
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}

extension Bitmap {
  /// The same pixels, said to be opaque or not.
  fileprivate func markedOpaque(_ isOpaque: Bool) throws -> Bitmap {
    try Bitmap(size: size, format: format) { copy in
      self.withUnsafeBytes { copy.copyMemory(from: $0) }
      return isOpaque
    }
  }
}
