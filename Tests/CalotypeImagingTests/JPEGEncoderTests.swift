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
    return bitmap.markedOpaque(alpha == 255)
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
      Image(bitmap: bitmap.markedOpaque(false)), options: .jpeg(quality: 100))
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
