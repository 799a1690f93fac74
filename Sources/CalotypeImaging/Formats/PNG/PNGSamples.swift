import CPixels
import Glibc

/// The stored samples of a bitmap: colour type and depth, and the rows to filter.
struct PNGSamples {
  /// The source of the samples.
  enum Source {
    /// The bitmap without conversion.
    case pixels
    /// A palette index for each pixel, in rows of the bitmap's width.
    case indices([UInt8])
  }

  let bitmap: Bitmap
  let source: Source
  let header: PNGHeader

  /// Creates samples of a bitmap with as few channels as its format allows: without alpha if every pixel is opaque.
  ///
  /// - Throws: `encodingFailed` for inks and sizes that PNG lacks.
  init(_ bitmap: Bitmap, keepsAlpha: Bool = false, isInterlaced: Bool = false) throws(ImagingError) {
    let isOpaque = !keepsAlpha && (bitmap.isOpaque || Self.isOpaque(bitmap))
    let colorType: PNGHeader.ColorType
    switch bitmap.format {
    case .gray8: colorType = .gray
    case .rgba8, .rgba16: colorType = isOpaque ? .rgb : .rgba
    case .cmyk8: throw .encodingFailed(.png, reason: "PNG has no CMYK; convert the image to RGB first")
    }
    source = .pixels
    self.bitmap = bitmap
    header = try Self.header(bitmap, depth: bitmap.format == .rgba16 ? 16 : 8, colorType, isInterlaced)
  }

  /// Creates samples from indices into a palette of `colors` colours.
  init(_ bitmap: Bitmap, indices: [UInt8], colors: Int, isInterlaced: Bool = false) throws(ImagingError) {
    source = .indices(indices)
    self.bitmap = bitmap
    let depth: UInt8 = colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8
    header = try Self.header(bitmap, depth: depth, .indexed, isInterlaced)
  }

  private static func header(
    _ bitmap: Bitmap, depth: UInt8, _ colorType: PNGHeader.ColorType, _ isInterlaced: Bool
  ) throws(ImagingError) -> PNGHeader {
    guard bitmap.width <= Int32.max, bitmap.height <= Int32.max else {
      throw .encodingFailed(.png, reason: "\(bitmap.size) is too large; each side is at most 2147483647")
    }
    return PNGHeader(size: bitmap.size, bitDepth: depth, colorType: colorType, isInterlaced: isInterlaced)
  }

  /// Returns true if every pixel is opaque. Checks row by row, so that a transparent pixel ends the search early.
  static func isOpaque(_ bitmap: Bitmap) -> Bool {
    guard bitmap.format == .rgba8 || bitmap.format == .rgba16 else { return true }
    return bitmap.withUnsafeBytes { pixels in
      guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
      return (0..<bitmap.height).allSatisfy { y in
        cpng_is_opaque(base + y * bitmap.bytesPerRow, bitmap.width, CInt(bitmap.format.bytesPerPixel)) != 0
      }
    }
  }

  /// Bytes of a row, without the filter type.
  var rowBytes: Int { header.rowBytes(width: header.size.width) }

  /// A Boolean value that indicates whether filters can help. Palette indices are no quantities: their differences mean
  /// nothing.
  var filters: Bool { header.colorType != .indexed }

  /// Writes the samples of a row to `target`, which holds ``rowBytes`` bytes.
  func write(
    row y: Int, of area: PixelRectangle, _ pixels: UnsafePointer<UInt8>,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    let width = area.size.width
    let start = (area.y + y) * bitmap.width + area.x
    if case .indices(let indices) = source {
      return pack(indices[start..<start + width], to: target)
    }
    let row = pixels + start * bitmap.format.bytesPerPixel
    switch (bitmap.format, header.colorType) {
    case (.rgba16, _): cpng_store16(row, target, width, header.colorType == .rgb ? 1 : 0)
    case (.rgba8, .rgb): cpng_drop_alpha(row, target, width)
    default: memcpy(target, row, width * bitmap.format.bytesPerPixel)
    }
  }

  /// Writes the samples of a row of a pass to `target`. `scratch` holds ``rowBytes`` bytes.
  func write(
    row y: Int, of pass: PNGPass, _ pixels: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>,
    scratch: UnsafeMutablePointer<UInt8>
  ) {
    let row = pass.y + y * pass.dy
    if case .indices(let indices) = source {
      let first = row * bitmap.width
      let picked = stride(from: pass.x, to: bitmap.width, by: pass.dx).map { indices[first + $0] }
      return pack(picked[...], to: target)
    }
    let whole = PixelRectangle(bitmap.size)
    guard pass.dx > 1 else { return write(row: row, of: whole, pixels, to: target) }
    write(row: row, of: whole, pixels, to: scratch)
    let step = header.bitsPerPixel / 8
    for x in 0..<pass.size.width {
      let from = scratch + (pass.x + x * pass.dx) * step
      for byte in 0..<step { target[x * step + byte] = from[byte] }
    }
  }

  private func pack(_ indices: ArraySlice<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    let depth = Int(header.bitDepth)
    var (byte, used, count) = (0, 0, 0)
    for index in indices {
      byte = byte << depth | Int(index)
      used += depth
      if used == 8 {
        target[count] = UInt8(truncatingIfNeeded: byte)
        (byte, used, count) = (0, 0, count + 1)
      }
    }
    if used > 0 { target[count] = UInt8(truncatingIfNeeded: byte << (8 - used)) }
  }
}
