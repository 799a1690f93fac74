import CSPNG
public import FoundationEssentials

/// Encodes PNG with 8 bits a sample: RGBA, or RGB when every pixel is opaque.
///
/// Filters are chosen row by row, zlib runs at level 6. Besides the result, memory is a few rows. An image that is
/// not upright gets an eXIf chunk with its orientation.
public struct PNGEncoder: ImageEncoding {
  /// `png`.
  public var format: ImageFormat { .png }

  /// Creates an encoder.
  public init() {}

  /// The encoded bytes; `options` has nothing to say about PNG.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = image.bitmap
    let isOpaque = bitmap.isOpaque || Self.isOpaque(bitmap)
    guard bitmap.width <= Int32.max, bitmap.height <= Int32.max else {
      throw .encodingFailed(.png, reason: "\(bitmap.size) is too large; each side is at most 2147483647")
    }
    guard let context = spng_ctx_new(CInt(SPNG_CTX_ENCODER.rawValue)) else {
      throw .outOfMemory(byteCount: 0)
    }
    defer { spng_ctx_free(context) }
    var header = spng_ihdr(
      width: UInt32(bitmap.width), height: UInt32(bitmap.height), bit_depth: 8,
      color_type: UInt8((isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA).rawValue),
      compression_method: 0, filter_method: 0, interlace_method: UInt8(SPNG_INTERLACE_NONE.rawValue))
    try check(spng_set_ihdr(context, &header))
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    try check(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 6))
    try check(spng_set_option(context, SPNG_FILTER_CHOICE, CInt(SPNG_FILTER_CHOICE_ALL.rawValue)))
    if image.orientation != .topLeft { try setOrientation(image.orientation, context) }
    try check(
      spng_encode_image(
        context, nil, 0, CInt(SPNG_FMT_PNG.rawValue),
        CInt(SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue)))
    try bitmap.withUnsafeBytes { pixels throws(ImagingError) in
      try encodeRows(of: pixels, bitmap.size, isOpaque: isOpaque, context)
    }
    var count = 0
    var status: CInt = 0
    guard let bytes = spng_get_png_buffer(context, &count, &status) else { throw failure(status) }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }

  private func encodeRows(
    of pixels: UnsafeRawBufferPointer, _ size: PixelSize, isOpaque: Bool, _ context: OpaquePointer
  ) throws(ImagingError) {
    var rgb = [UInt8](repeating: 0, count: isOpaque ? size.width * 3 : 0)
    let rowsBetweenChecks = max(1, (256 << 10) / (size.width * 4))
    for y in 0..<size.height {
      if y % rowsBetweenChecks == 0 && Task.isCancelled { throw .cancelled }
      let row = UnsafeRawBufferPointer(rebasing: pixels[y * size.width * 4..<(y + 1) * size.width * 4])
      let status: CInt
      if isOpaque {
        Self.dropAlpha(row, into: &rgb)
        status = rgb.withUnsafeBytes { spng_encode_row(context, $0.baseAddress, $0.count) }
      } else {
        status = spng_encode_row(context, row.baseAddress, row.count)
      }
      guard status == (y == size.height - 1 ? SPNG_EOI.code : SPNG_OK.code) else { throw failure(status) }
    }
  }

  /// An Exif block of one entry: the orientation (CIPA DC-008, tag 0x0112).
  private func setOrientation(_ orientation: Orientation, _ context: OpaquePointer) throws(ImagingError) {
    var block: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1]
    block += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    // libspng copies what it is given.
    let status = block.withUnsafeMutableBytes { bytes in
      var exif = spng_exif(length: bytes.count, data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
      return spng_set_exif(context, &exif)
    }
    try check(status)
  }

  private func check(_ status: CInt) throws(ImagingError) {
    if status != SPNG_OK.code { throw failure(status) }
  }

  private func failure(_ status: CInt) -> ImagingError {
    if status == SPNG_EMEM.code { return .outOfMemory(byteCount: 0) }
    return .encodingFailed(
      .png, reason: spng_strerror(status).map { String(cString: $0) } ?? "error \(status)")
  }

  /// Whether every pixel is opaque: found out a row at a time, so that a transparent one ends the search soon.
  private static func isOpaque(_ bitmap: Bitmap) -> Bool {
    bitmap.withUnsafeBytes { pixels in
      pixels.withMemoryRebound(to: UInt32.self) { words in
        for start in stride(from: 0, to: words.count, by: bitmap.width) {
          let common = words[start..<start + bitmap.width].reduce(UInt32.max, &)
          if common.littleEndian >> 24 != 255 { return false }
        }
        return true
      }
    }
  }

  private static func dropAlpha(_ row: UnsafeRawBufferPointer, into rgb: inout [UInt8]) {
    rgb.withUnsafeMutableBytes { rgb in
      var target = 0
      for source in stride(from: 0, to: row.count, by: 4) {
        rgb[target] = row[source]
        rgb[target + 1] = row[source + 1]
        rgb[target + 2] = row[source + 2]
        target += 3
      }
    }
  }
}
