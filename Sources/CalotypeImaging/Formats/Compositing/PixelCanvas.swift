import Glibc

/// The pixels of a picture during decoding: a buffer that becomes a bitmap without a copy.
final class PixelCanvas {
  let size: PixelSize
  let format: PixelFormat
  /// All pixels, row after row, and at least the requested spare bytes.
  let buffer: UnsafeMutableRawBufferPointer
  let pool: PixelPool
  private var isOwned = true

  /// Allocates memory for `size` and `spare` bytes behind it. The contents are undefined.
  ///
  /// - Throws: `outOfMemory`.
  init(size: PixelSize, format: PixelFormat, spare: Int = 0, pool: PixelPool = .shared) throws(ImagingError) {
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
    let (total, excess) = bytes.addingReportingOverflow(spare)
    guard !overflow, !excess, total <= 1 << 56, let buffer = pool.take(byteCount: total) else {
      throw .outOfMemory(byteCount: overflow || excess ? .max : total)
    }
    self.size = size
    self.format = format
    self.pool = pool
    self.buffer = buffer
  }

  deinit {
    if isOwned { pool.giveBack(buffer) }
  }

  /// The bytes of all pixels, without the spare ones.
  var pixels: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount]) }

  /// Bytes of the pixels.
  var byteCount: Int { size.pixelCount * format.bytesPerPixel }
  var bytesPerRow: Int { size.width * format.bytesPerPixel }

  /// Returns the address of a pixel, which must be on the canvas.
  func address(x: Int, y: Int) -> UnsafeMutableRawPointer {
    // Buffers of a pool are never empty.
    buffer.baseAddress.unsafelyUnwrapped + y * bytesPerRow + x * format.bytesPerPixel
  }

  /// Fills the canvas with transparent black.
  func clear() { memset(address(x: 0, y: 0), 0, byteCount) }

  /// Fills a rectangle with transparent black.
  func clear(_ area: PixelRectangle) {
    for y in area.y..<area.y + area.size.height {
      memset(address(x: area.x, y: y), 0, area.size.width * format.bytesPerPixel)
    }
  }

  /// Copies a rectangle from a canvas of the same size and format.
  func copy(_ area: PixelRectangle, from other: PixelCanvas) {
    for y in area.y..<area.y + area.size.height {
      memcpy(
        address(x: area.x, y: y), other.address(x: area.x, y: y), area.size.width * format.bytesPerPixel)
    }
  }

  /// Returns a copy of the current pixels.
  func copied(isOpaque: Bool) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size, format: format, pool: pool) { pixels in
      pixels.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<pixels.count]))
      return isOpaque
    }
  }

  /// Returns the pixels as a bitmap, which owns the memory from then on. Called once, last.
  func finished(isOpaque: Bool) -> Bitmap {
    precondition(isOwned)
    isOwned = false
    return Bitmap(adopting: buffer, of: pool, size: size, format: format, isOpaque: isOpaque)
  }
}
