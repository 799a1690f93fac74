/// A bitmap that is written row by row as the bytes of a picture arrive.
///
/// The bitmap must not be passed on before its last row is written, because bitmaps are immutable for their users.
/// Snapshots are copies.
struct JPEGCanvas {
  /// The bitmap; its pixels are undefined until they are written.
  let bitmap: Bitmap
  /// All of its bytes; valid as long as the bitmap.
  let pixels: UnsafeMutableRawBufferPointer

  /// Allocates memory from the pool.
  init(size: PixelSize, format: PixelFormat) throws(ImagingError) {
    var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    // The buffer is the storage of the bitmap and never moves; it outlives the closure with the bitmap.
    bitmap = try Bitmap(size: size, format: format) {
      bytes = $0
      return true
    }
    pixels = bytes
  }

  /// Fills the rows from this one on with the grey of lost blocks.
  func fill(fromRow row: Int) {
    Self.fill(UnsafeMutableRawBufferPointer(rebasing: pixels[(row * bitmap.bytesPerRow)...]), bitmap.format)
  }

  /// Returns a copy of the first rows, with the others grey.
  func copy(rows: Int) throws(ImagingError) -> Bitmap {
    let count = rows * bitmap.bytesPerRow
    return try Bitmap(size: bitmap.size, format: bitmap.format) {
      UnsafeMutableRawBufferPointer(rebasing: $0[..<count]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: pixels[..<count]))
      Self.fill(UnsafeMutableRawBufferPointer(rebasing: $0[count...]), bitmap.format)
      return true
    }
  }

  /// Fills pixels with medium grey, which libjpeg shows for lost blocks; for inks, half black.
  static func fill(_ pixels: UnsafeMutableRawBufferPointer, _ format: PixelFormat) {
    let pixel: UInt32 =
      switch format {
      case .cmyk8: 0x7F00_0000
      case .gray8: 0x8080_8080
      default: 0xFF80_8080
      }
    let whole = pixels.count & ~3
    for offset in stride(from: 0, to: whole, by: 4) {
      pixels.storeBytes(of: UInt32(littleEndian: pixel), toByteOffset: offset, as: UInt32.self)
    }
    for offset in whole..<pixels.count { pixels[offset] = 0x80 }
  }
}
