public import FoundationEssentials

/// An encoder for Windows bitmaps without compression: 24 bits per pixel if every pixel is opaque, otherwise 32 bits with
/// an alpha mask in a BITMAPV4HEADER.
public struct BMPEncoder: ImageEncoding {
  /// Creates an encoder.
  public init() {}

  /// `bmp`.
  public var format: ImageFormat { .bmp }

  /// Returns false: the format is lossless.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Returns the encoded image, with 8 bits per sample. Checks for cancellation between rows.
  ///
  /// - Throws: ``ImagingError/encodingFailed(_:reason:)`` for a file of more than 4 GiB, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = try image.bitmap.converted(to: .rgba8)
    let bytesPerPixel = bitmap.isOpaque ? 3 : 4
    let headerByteCount = bitmap.isOpaque ? 40 : 108
    let stride = (bitmap.width * bytesPerPixel + 3) / 4 * 4
    let start = 14 + headerByteCount
    let (pixels, overflow) = stride.multipliedReportingOverflow(by: bitmap.height)
    guard !overflow, pixels <= Int(UInt32.max) - start, max(bitmap.width, bitmap.height) <= Int(Int32.max)
    else { throw .encodingFailed(.bmp, reason: "\(bitmap.size) is too large") }

    var output = Data(capacity: start + pixels)
    output.append(contentsOf: "BM".utf8)
    for value in [start + pixels, 0, start, headerByteCount, bitmap.width, bitmap.height] {
      Self.append(value, to: &output)
    }
    // One plane; compression by masks, if there is alpha; 72 dots per inch.
    output.append(contentsOf: [1, 0, UInt8(8 * bytesPerPixel), 0])
    for value in [bitmap.isOpaque ? 0 : 3, pixels, 2835, 2835, 0, 0] { Self.append(value, to: &output) }
    if !bitmap.isOpaque {
      for mask in [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] { Self.append(mask, to: &output) }
      // `sRGB`, without end points and gammas.
      Self.append(0x7352_4742, to: &output)
      output.append(contentsOf: [UInt8](repeating: 0, count: 48))
    }
    try Self.appendRows(of: bitmap, bytesPerPixel, stride, to: &output)
    return output
  }

  /// Rows from the bottom, blue first.
  private static func appendRows(
    of bitmap: Bitmap, _ bytesPerPixel: Int, _ stride: Int, to output: inout Data
  ) throws(ImagingError) {
    var row = [UInt8](repeating: 0, count: stride)
    try bitmap.withUnsafeBytes { (bytes) throws(ImagingError) in
      for y in (0..<bitmap.height).reversed() {
        if Task.isCancelled { throw .cancelled }
        var (from, to) = (y * bitmap.bytesPerRow, 0)
        for _ in 0..<bitmap.width {
          (row[to], row[to + 1], row[to + 2]) = (bytes[from + 2], bytes[from + 1], bytes[from])
          if bytesPerPixel == 4 { row[to + 3] = bytes[from + 3] }
          from += 4
          to += bytesPerPixel
        }
        output.append(contentsOf: row)
      }
    }
  }

  private static func append(_ value: Int, to output: inout Data) {
    for shift in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
