import CPixels

/// The colours of a picture, or of all frames of an animation, with their frequencies, from which a palette is made.
final class ColorHistogram {
  private let histogram: OpaquePointer?
  private let hasBinaryAlpha: Bool
  /// Each round moves the colours by less; the first four matter most.
  private static let rounds: CInt = 6

  /// - Parameter hasBinaryAlpha: Whether an alpha below 128 counts as transparent and any other as opaque.
  init(hasBinaryAlpha: Bool = false) {
    self.hasBinaryAlpha = hasBinaryAlpha
    histogram = cpal_histogram_make()
  }

  deinit { cpal_histogram_free(histogram) }

  /// Adds the pixels of an RGBA8 picture. Checks for cancellation every 64 rows.
  ///
  /// - Throws: `invalidParameter` for another pixel format, `outOfMemory`, `cancelled`.
  func add(_ bitmap: Bitmap) throws(ImagingError) {
    guard bitmap.format == .rgba8 else {
      throw .invalidParameter(name: "bitmap", reason: "a palette is made from RGBA with 8 bits a sample")
    }
    guard let histogram else { throw .outOfMemory(byteCount: 1 << 20) }
    try bitmap.withUnsafeBytes { bytes throws(ImagingError) in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for y in 0..<bitmap.height {
        if y % 64 == 0, Task.isCancelled { throw .cancelled }
        let row = base + y * bitmap.bytesPerRow
        cpal_histogram_add(
          histogram, row, y > 0 ? row - bitmap.bytesPerRow : nil, bitmap.width, hasBinaryAlpha ? 1 : 0)
      }
    }
  }

  /// Returns true if a palette of `maxColors` holds all colours so far, and a transparent one.
  func fits(_ maxColors: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4 * Int(CPAL_MOST))
    return histogram.map { cpal_histogram_exact($0, CInt(maxColors - 1), &bytes) >= 0 } ?? false
  }

  /// Returns a palette of at most `maxColors` colours, 1 to 256.
  ///
  /// - Throws: `invalidParameter` for another number, `outOfMemory`, `cancelled`.
  func palette(maxColors: Int, reservesTransparency: Bool = false) throws(ImagingError) -> Palette {
    guard (1...256).contains(maxColors) else {
      throw .invalidParameter(name: "maxColors", reason: "\(maxColors) is not within 1...256")
    }
    guard let histogram else { throw .outOfMemory(byteCount: 1 << 20) }
    if Task.isCancelled { throw .cancelled }
    let clear =
      reservesTransparency || cpal_histogram_has_transparency(histogram) != 0
      ? [Palette.Color(pixel: 0)] : []
    let room = CInt(max(0, maxColors - clear.count))
    var bytes = [UInt8](repeating: 0, count: 4 * Int(CPAL_MOST))
    let exact = cpal_histogram_exact(histogram, room, &bytes)
    let count = exact >= 0 || room == 0 ? exact : cpal_colors(histogram, room, Self.rounds, &bytes)
    guard count >= 0 || room == 0 else { throw .outOfMemory(byteCount: 2 << 20) }
    var colors: [Palette.Color] = clear
    for at in stride(from: 0, to: 4 * max(0, Int(count)), by: 4) {
      colors.append(
        Palette.Color(red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2], alpha: bytes[at + 3]))
    }
    return Palette(colors: colors.isEmpty ? [Palette.Color(pixel: 0)] : colors, isExact: exact >= 0)
  }
}
